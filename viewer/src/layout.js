// How many panels stand side by side, and how high: the arrangement in which they are largest.

import { sizeOf } from "./mesh.js";

const CHROME = 78; // height of a panel's name, legend and note
const GAP = 14;
const NARROW = 560;
const MARGIN = 1.06;
const LEAST = 120;

export function arrange(grid, mesh, count) {
  const aspect = aspectOf(mesh);
  const stage = grid.parentElement;
  const scrolls = getComputedStyle(stage).getPropertyValue("--scrolls").trim() === "1";
  const width = stage.clientWidth;
  const height = scrolls ? Infinity : room(stage);
  const columns = scrolls ? narrow(width, aspect, count) : best(width, height, aspect, count);
  const rows = Math.ceil(count / columns);
  const wide = (width - GAP * (columns - 1)) / columns;
  const high = Math.min(
    (height - GAP * (rows - 1)) / rows - CHROME,
    mesh.dim === 3 ? wide * 1.05 : (wide / aspect) * MARGIN,
  );
  grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  grid.style.setProperty("--view-height", `${Math.round(Math.max(high, LEAST))}px`);
}

// What the page's other rows leave, so that nothing scrolls.
function room(stage) {
  const main = stage.parentElement;
  const style = getComputedStyle(main);
  const others = [...main.children].filter((child) => child !== stage && child.offsetParent !== null);
  const used = others.reduce((sum, child) => sum + child.offsetHeight + parseFloat(style.rowGap), 0);
  return main.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) - used;
}

function aspectOf(mesh) {
  if (mesh.dim === 3) return 1.6;
  const [w, h] = sizeOf(mesh.focus);
  return Math.min(Math.max(w / (h || w || 1), 0.5), 6) || 1;
}

const narrow = (width, aspect, count) => (count === 1 || aspect > 2.2 ? 1 : width < NARROW ? 2 : Math.min(count, 3));

function best(width, height, aspect, count) {
  const fits = Array.from({ length: count }, (_, k) => {
    const columns = k + 1;
    const rows = Math.ceil(count / columns);
    const wide = (width - GAP * k) / columns;
    const high = (height - GAP * (rows - 1)) / rows - CHROME;
    const empty = columns * rows - count;
    return { columns, size: Math.min(wide, high * aspect) * (1 - 0.03 * empty) };
  });
  return fits.sort((a, b) => b.size - a.size)[0].columns;
}
