// Error of every case over its distance from the training cases; a click picks the nearest dot.

import { element, svg } from "./dom.js";
import { percent, ticks } from "./numbers.js";

const [WIDTH, HEIGHT] = [236, 150];
const [LEFT, RIGHT, TOP, BOTTOM] = [40, 8, 8, 30];

export class Scatter {
  constructor(onpick) {
    this.onpick = onpick;
    this.drawing = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": "Error of each case over its distance from the training cases",
    });
    this.drawing.addEventListener("click", (event) => this.#pick(event));
    this.node = element(
      "figure",
      { class: "scatter", hidden: true },
      element("figcaption", {}, "error over distance from training"),
      this.drawing,
    );
  }

  show(cases) {
    this.dots = cases.filter((one) => one.error != null && one.distance != null);
    this.node.hidden = this.dots.length < 3;
    if (this.node.hidden) return;
    const farthest = Math.max(...this.dots.map((one) => one.distance)) * 1.05 || 1;
    const most = Math.max(...this.dots.map((one) => one.error)) * 1.08 || 1;
    this.x = (distance) => LEFT + (distance / farthest) * (WIDTH - LEFT - RIGHT);
    this.y = (error) => HEIGHT - BOTTOM - (error / most) * (HEIGHT - TOP - BOTTOM);
    this.marked = svg("circle", { class: "marked", r: 4.5, cx: -20, cy: -20 });
    const dots = this.dots.map((one) => svg("circle", { r: 2.3, cx: this.x(one.distance), cy: this.y(one.error) }));
    this.drawing.replaceChildren(...this.#axes(farthest, most), ...dots, this.marked);
  }

  mark(id) {
    const one = this.dots?.find((dot) => dot.id === id);
    this.marked?.setAttribute("cx", one ? this.x(one.distance) : -20);
    this.marked?.setAttribute("cy", one ? this.y(one.error) : -20);
  }

  #axes(farthest, most) {
    const line = (x1, y1, x2, y2) => svg("line", { x1, y1, x2, y2 });
    const text = (x, y, anchor, words) => svg("text", { x, y, "text-anchor": anchor }, words);
    const floor = HEIGHT - BOTTOM;
    const up = ticks(0, most, 3).flatMap((error) => [
      line(LEFT, this.y(error), WIDTH - RIGHT, this.y(error)),
      text(LEFT - 5, this.y(error) + 3.5, "end", percent(error, 2)),
    ]);
    const along = ticks(0, farthest, 4).map((distance) =>
      text(this.x(distance), floor + 14, "middle", String(Number(distance.toPrecision(3)))),
    );
    return [...up, ...along, line(LEFT, floor, WIDTH - RIGHT, floor), text(LEFT - 5, floor + 3.5, "end", "0")];
  }

  #pick(event) {
    const box = this.drawing.getBoundingClientRect();
    const [x, y] = [
      ((event.clientX - box.left) / box.width) * WIDTH,
      ((event.clientY - box.top) / box.height) * HEIGHT,
    ];
    const away = (one) => Math.hypot(this.x(one.distance) - x, this.y(one.error) - y);
    const nearest = this.dots.reduce((best, one) => (away(one) < away(best) ? one : best));
    if (away(nearest) < 16) this.onpick(nearest.id);
  }
}
