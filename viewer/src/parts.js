// From the arrays of a case to what the panels show: values, their range, and a word on each.

import { format, percent } from "./numbers.js";

const TITLES = { truth: "Truth", prediction: "Prediction", error: "Error", bar: "Error \u00f7 bar" };
export const PARTS = Object.keys(TITLES);
const KINDS = { truth: "value", prediction: "value", error: "error", bar: "ratio" };
const EXTREME = 0.998; // share of the points whose error the colors tell apart

// Fields to choose from: those of the server and the length of each vector.
export function choices(about) {
  const lengths = (about.vectors ?? []).map(({ name, components }) => {
    const first = about.fields.find((field) => field.name === components[0]);
    return {
      ...first,
      name: `|${name}|`,
      parts: (first?.parts ?? []).filter((part) => part !== "bar"),
      components,
      range: null,
    };
  });
  const order = { output: 0, input: 1 };
  return [...about.fields, ...lengths].sort((a, b) => order[a.role] - order[b.role]);
}

// The arrays of a field by part, computed where the server sends only components.
export function arraysOf(field, arrays) {
  if (!field.components)
    return Object.fromEntries(
      PARTS.flatMap((part) => (arrays[`${field.name}/${part}`] ? [[part, arrays[`${field.name}/${part}`]]] : [])),
    );
  const found = {};
  for (const part of ["truth", "prediction"]) {
    const each = field.components.map((name) => arrays[`${name}/${part}`]);
    if (each.every(Boolean)) found[part] = each[0].map((_, i) => Math.hypot(...each.map((values) => values[i])));
  }
  if (found.truth && found.prediction) found.error = found.prediction.map((value, i) => value - found.truth[i]);
  return found;
}

// What panels can be made of these arrays, without their ranges.
export function describe(field, found, { share = "" } = {}) {
  const { truth, prediction, error, bar } = found;
  const made = [];
  const add = (name, values, more = {}) =>
    made.push({ name, title: TITLES[name], unit: field.unit, kind: KINDS[name], values, ...more });
  if (truth) add("truth", truth, prediction || field.role === "output" ? {} : { title: field.name });
  if (prediction) add("prediction", prediction);
  if (error) add("error", error, { note: errorNote(error) });
  if (bar && error) add("bar", ratio(error, bar), { unit: "", note: barNote(error, bar, share, field.unit) });
  else if (bar && bar.length > 1)
    add("bar", bar, { title: "Error bar", kind: "bar", note: share && `${share} of errors are smaller` });
  return made;
}

// Limits of the colors per kind of panel; values share one range, so that they can be compared.
export function ranges(made) {
  const values = extent(made.filter((part) => part.kind === "value").map((part) => part.values));
  const error = made.find((part) => part.kind === "error");
  const most = error ? quantile(error.values, EXTREME) || 1e-12 : 1;
  const bar = made.find((part) => part.kind === "bar");
  return { value: values, error: [-most, most], ratio: [0, 2], bar: bar ? [0, extent([bar.values])[1]] : [0, 1] };
}

export function within(error, bar) {
  let [inside, all] = [0, 0];
  error.forEach((value, i) => {
    if (Number.isNaN(value)) return;
    all++;
    if (Math.abs(value) <= (bar.length > 1 ? bar[i] : bar[0])) inside++;
  });
  return all ? inside / all : NaN;
}

export function extent(lists) {
  let [lo, hi] = [Infinity, -Infinity];
  for (const values of lists) {
    for (const value of values) {
      if (value < lo) lo = value;
      if (value > hi) hi = value;
    }
  }
  if (!(lo <= hi)) return [0, 1];
  return lo === hi ? [lo - (Math.abs(lo) || 1) * 0.5, hi + (Math.abs(hi) || 1) * 0.5] : [lo, hi];
}

const ratio = (error, bar) => error.map((value, i) => Math.abs(value) / (bar.length > 1 ? bar[i] : bar[0]));

function quantile(values, share) {
  const sizes = values
    .filter((value) => Number.isFinite(value))
    .map(Math.abs)
    .sort();
  return sizes.length ? sizes[Math.ceil(share * (sizes.length - 1))] : 0;
}

function errorNote(error) {
  let [sum, most, count] = [0, 0, 0];
  for (const value of error) {
    if (!Number.isFinite(value)) continue;
    sum += Math.abs(value);
    most = Math.max(most, Math.abs(value));
    count++;
  }
  return count ? `mean ${format(sum / count, 3)}, largest ${format(most, 3)}` : "";
}

function barNote(error, bar, share, unit) {
  const size = bar.length > 1 ? "the bar" : `\u00b1${format(bar[0], 3)}${unit ? ` ${unit}` : ""}`;
  return `${percent(within(error, bar))} within ${size}${share ? ` (${share} meant)` : ""}`;
}
