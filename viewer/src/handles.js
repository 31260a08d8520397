// Airfoil and pipe: control points on the picture that are dragged up and down, or moved by arrow keys.

import { element, svg } from "./dom.js";
import { format } from "./numbers.js";

const STEPS = 40; // arrow keys from one limit to the other

export class Handles {
  busy = false;
  hasFine = false;
  hint = "Drag the round handles, or focus one and press the arrow keys. Drag elsewhere to move the view.";

  constructor(live) {
    this.live = live;
    const { controls, values, lines, follows, names } = live.start.meta;
    this.points = controls;
    this.values = values ? [...values] : controls.map(([, , lo, hi]) => (lo + hi) / 2);
    this.first = [...this.values];
    this.lines = lines ?? [];
    this.follows = follows ?? controls.map(() => -1);
    this.names = names ?? controls.map((_, k) => `control point ${k + 1}`);
    this.wires = svg("svg", { class: "wires", "aria-hidden": "true" });
    this.handles = controls.map((_, k) => this.#handle(k));
    this.layer = element("div", { class: "handles" }, this.wires, ...this.handles);
    this.#label();
  }

  attach() {
    this.live.stage.overlay = () => this.#draw();
  }

  detach() {
    this.live.stage.overlay = null;
    this.layer.remove();
  }

  body() {
    return { controls: this.values };
  }

  // The view holds still while the shape changes, and has room for where the handles may go.
  widen([lo, hi]) {
    const xs = this.points.map(([x]) => x);
    const base = this.points.map((point, k) => this.#base(point, k));
    const low = base.map((y, k) => y + this.points[k][2]);
    const high = base.map((y, k) => y + this.points[k][3]);
    return [
      [Math.min(lo[0], ...xs), Math.min(lo[1], ...low), 0],
      [Math.max(hi[0], ...xs), Math.max(hi[1], ...high), 0],
    ];
  }

  parts() {
    return [];
  }

  controls() {
    return [element("button", { onclick: () => this.#replace() }, "As before")];
  }

  #handle(k) {
    const handle = element("button", {
      class: "handle",
      role: "slider",
      "aria-orientation": "vertical",
      "aria-label": this.names[k],
      title: this.names[k],
      "data-control": k,
    });
    let offset = null;
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      offset = this.#plane(event)[1] - this.values[k];
      this.busy = true;
    });
    handle.addEventListener("pointermove", (event) => {
      if (offset != null) this.#set(k, this.#plane(event)[1] - offset);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      handle.addEventListener(name, () => {
        offset = null;
        this.busy = false;
        this.live.released();
      });
    }
    handle.addEventListener("keydown", (event) => {
      const [, , lo, hi] = this.points[k];
      const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5 }[event.key];
      const to =
        event.key === "Home" ? lo : event.key === "End" ? hi : step && this.values[k] + (step * (hi - lo)) / STEPS;
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.#set(k, to);
    });
    return handle;
  }

  #plane(event) {
    const box = this.layer.parentElement.getBoundingClientRect();
    return this.live.stage.toPlane({ x: event.clientX - box.left, y: event.clientY - box.top, box });
  }

  #set(k, value) {
    const [, , lo, hi] = this.points[k];
    const next = Math.min(Math.max(value, lo), hi);
    if (next === this.values[k]) return;
    this.values[k] = next;
    this.#changed();
  }

  #replace() {
    this.values = [...this.first];
    this.#changed();
  }

  #changed() {
    this.#label();
    this.#draw();
    this.live.changed();
  }

  #label() {
    this.handles.forEach((handle, k) => {
      const [, , lo, hi] = this.points[k];
      handle.setAttribute("aria-valuemin", lo);
      handle.setAttribute("aria-valuemax", hi);
      handle.setAttribute("aria-valuenow", this.values[k]);
      handle.setAttribute("aria-valuetext", format(this.values[k], 3));
    });
  }

  #base([, y], k) {
    return y + (this.follows[k] >= 0 ? this.values[this.follows[k]] : 0);
  }

  #draw() {
    const view = this.live.stage.panels.get("prediction")?.view;
    if (!view) return;
    if (this.layer.parentElement !== view) view.append(this.layer);
    const box = { width: view.clientWidth, height: view.clientHeight };
    const place = (point, k, value) => this.live.stage.fromPlane(point[0], this.#base(point, k) + value, box);
    const at = this.points.map((point, k) => place(point, k, this.values[k]));
    const ends = this.points.map((point, k) => [point[2], point[3]].map((value) => place(point, k, value)));
    at.forEach(([x, y], k) => (this.handles[k].style.transform = `translate(${x}px, ${y}px)`));
    const line = ([x1, y1], [x2, y2], kind) => svg("line", { x1, y1, x2, y2, class: kind });
    this.wires.replaceChildren(
      ...ends.map(([low, high]) => line(low, high, "reach")),
      ...this.lines.map(([a, b]) => line(at[a], at[b], "wire")),
    );
  }
}
