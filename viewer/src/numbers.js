// Numbers as people read them.

const MINUS = "\u2212";

export function format(value, digits = 4) {
  if (value == null || Number.isNaN(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e5 || size < 1e-4
      ? value
          .toExponential(Math.max(digits - 2, 0))
          .replace(/\.?0+e/, "e")
          .replace("e+", "e")
      : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", MINUS);
}

// A number on a scale: as many digits as tell apart a hundredth of the scale's length.
export function onScale(value, length) {
  if (!(length > 0) || !Number.isFinite(value)) return format(value, 3);
  const unit = 10 ** (Math.floor(Math.log10(length)) - 2);
  const rounded = Math.round(value / unit) * unit;
  return format(rounded, Math.max(3, Math.ceil(Math.log10(Math.abs(rounded) / unit + 1))));
}

export const percent = (share, digits = 3) => `${format(100 * share, digits)} %`;

export const parse = (text) => {
  const number = Number(text.trim().replaceAll(MINUS, "-").replace(",", "."));
  return text.trim() === "" ? NaN : number;
};

// Round numbers strictly inside of a range, about `count` of them.
export function ticks(lo, hi, count) {
  if (!(hi > lo)) return [];
  const raw = (hi - lo) / (count + 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const found = [];
  for (let k = Math.ceil(lo / step); k * step < hi; k++) {
    const value = k * step;
    if (value - lo > 0.04 * (hi - lo) && hi - value > 0.04 * (hi - lo))
      found.push(Math.abs(value) < step / 1e6 ? 0 : value);
  }
  return found;
}

export const seconds = (value) =>
  value < 0.0995
    ? `${format(1000 * value, 2)} ms`
    : value < 1
      ? `${Math.round(1000 * value)} ms`
      : `${format(value, 3)} s`;
