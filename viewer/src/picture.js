// The panels as a PNG with names, legends and caption, in light colors and fine resolution: for a slide.

import { THEMES } from "./colors.js";
import { onScale, ticks } from "./numbers.js";

const SCALE = 2;
const EDGE = 20;
const FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif";

export function savePicture(stage, { title, caption, file }) {
  paint(stage, title, caption).toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = file.replace(/[^\w.+-]+/g, "-");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, "image/png");
}

function paint(stage, title, caption) {
  const theme = THEMES.light;
  const views = stage.drawFor(theme, SCALE);
  const top = Math.min(...views.map((view) => view.y)) - 26;
  const right = Math.max(...views.map((view) => view.x + view.width));
  const bottom = Math.max(...views.map((view) => view.y + view.height)) + 52;
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * (right + 2 * EDGE);
  canvas.height = SCALE * (bottom - top + 34 + 2 * EDGE + 18);
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.fillStyle = theme.back;
  context.fillRect(0, 0, canvas.width, canvas.height);
  words(context, title, EDGE, EDGE + 14, `600 17px ${FONT}`, theme.ink);
  context.translate(EDGE, EDGE + 34 - top);
  for (const view of views) panel(context, stage.canvas, view, theme);
  words(context, caption, 0, bottom + 10, `12px ${FONT}`, theme.soft);
  return canvas;
}

function panel(context, source, view, theme) {
  const { x, y, width, height } = view;
  words(context, view.title, x, y - 9, `600 13px ${FONT}`, theme.ink);
  if (view.unit) {
    context.font = `600 13px ${FONT}`;
    words(context, view.unit, x + context.measureText(view.title).width + 6, y - 9, `12px ${FONT}`, theme.soft);
  }
  context.drawImage(source, SCALE * x, SCALE * y, SCALE * width, SCALE * height, x, y, width, height);
  legend(context, view, theme);
  words(context, view.note ?? "", x, y + height + 44, `12px ${FONT}`, theme.soft, "left", width);
}

function legend(context, { x, y, width, height, lut, lo, hi }, theme) {
  const strip = new OffscreenCanvas(256, 1);
  strip.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(lut), 256, 1), 0, 0);
  context.drawImage(strip, x, y + height + 8, width, 8);
  const label = (value, at, align) =>
    words(context, onScale(value, hi - lo), at, y + height + 28, `12px ${FONT}`, theme.soft, align);
  label(lo, x, "left");
  label(hi, x + width, "right");
  for (const value of ticks(lo, hi, width > 260 ? 3 : 1)) {
    const share = (value - lo) / (hi - lo);
    if (share > 0.18 && share < 0.82) label(value, x + share * width, "center");
  }
}

function words(context, text, x, y, font, color, align = "left", most = undefined) {
  context.font = font;
  context.fillStyle = color;
  context.textAlign = align;
  context.fillText(text, x, y, most);
}
