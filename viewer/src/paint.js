// Darcy: the permeability has two values, and a brush paints one of them on the grid.

import { element, select } from "./dom.js";
import { format } from "./numbers.js";

const BRUSHES = [
  ["0.02", "fine"],
  ["0.05", "medium"],
  ["0.1", "wide"],
];
const STEP = 0.03;

export class Paint {
  hint =
    "Drag on the permeability to paint; with keys: arrows move the brush, Space paints. Wheel and two fingers zoom.";
  brush = 0.05;
  value = 1;
  busy = false;
  hasFine = true; // answers while one paints are of a coarser grid

  constructor(live) {
    this.live = live;
    const { arrays, meta } = live.start;
    this.mesh = live.startMesh;
    [this.lo, this.hi] = live.about.live.values;
    this.shape = meta.grid ?? live.about.live.grid;
    this.cells = Uint8Array.from(arrays.permeability);
    this.first = this.cells.slice();
    this.physical = new Float32Array(this.cells.length);
    const [lo, hi] = this.mesh.bounds;
    this.size = [hi[0] - lo[0], hi[1] - lo[1]];
    this.cursor = [lo[0] + this.size[0] / 2, lo[1] + this.size[1] / 2];
    this.ring = element("div", { class: "brush", hidden: true, "aria-hidden": "true" });
  }

  attach() {
    this.live.stage.tools.permeability = this.#tool();
    this.live.stage.overlay = () => this.#drawRing();
  }

  detach() {
    delete this.live.stage.tools.permeability;
    this.live.stage.overlay = null;
    this.ring.remove();
  }

  body() {
    return { permeability: btoa(String.fromCharCode(...this.cells)), shape: this.shape };
  }

  widen(focus) {
    return focus;
  }

  parts() {
    for (let i = 0; i < this.cells.length; i++) this.physical[i] = this.cells[i] ? this.hi : this.lo;
    return [
      {
        name: "permeability",
        title: "Permeability",
        unit: "paint here",
        kind: "input",
        values: this.physical,
        mesh: this.mesh,
        lo: this.lo,
        hi: this.hi,
        fixed: true,
      },
    ];
  }

  controls() {
    const button = (label, act) => element("button", { onclick: act }, label);
    return [
      labelled(
        "Brush",
        select("Brush size", BRUSHES, String(this.brush), (size) => (this.brush = Number(size))),
      ),
      labelled(
        "Paint",
        select(
          "Value to paint",
          [
            ["1", format(this.hi)],
            ["0", format(this.lo)],
          ],
          String(this.value),
          (value) => (this.value = Number(value)),
        ),
      ),
      button(`All ${format(this.lo)}`, () => this.#replace(() => 0)),
      button("As before", () => this.#replace((_, i) => this.first[i])),
    ];
  }

  #tool() {
    const stage = this.live.stage;
    const to = (at) => {
      const [x, y] = stage.toPlane(at);
      this.#stroke(this.cursor, [x, y]);
      this.cursor = [x, y];
    };
    return {
      start: (at) => {
        this.busy = true;
        this.cursor = stage.toPlane(at);
        to(at);
      },
      move: to,
      end: () => (this.busy = false),
      key: (event, arrow) => this.#key(event, arrow),
    };
  }

  #key(event, arrow) {
    if (event.key === " ") this.#stroke(this.cursor, this.cursor);
    else if (arrow) {
      const [lo, hi] = this.mesh.bounds;
      const next = this.cursor.map((at, k) => at + (k ? -1 : 1) * arrow[k] * STEP * this.size[k]);
      this.cursor = next.map((at, k) => Math.min(Math.max(at, lo[k]), hi[k]));
      this.live.stage.recolor();
    } else return false;
    return true;
  }

  #replace(value) {
    this.cells.forEach((_, i) => (this.cells[i] = value(_, i)));
    this.#repaint();
  }

  // every point nearer to the stroke than the brush takes the value
  #stroke([ax, ay], [bx, by]) {
    const radius = this.brush * Math.max(...this.size);
    const [dx, dy] = [bx - ax, by - ay];
    const length = dx * dx + dy * dy || 1;
    let any = false;
    for (let i = 0; i < this.cells.length; i++) {
      const [px, py] = [this.mesh.points[3 * i] - ax, this.mesh.points[3 * i + 1] - ay];
      const along = Math.min(Math.max((px * dx + py * dy) / length, 0), 1);
      if ((px - along * dx) ** 2 + (py - along * dy) ** 2 > radius * radius || this.cells[i] === this.value) continue;
      this.cells[i] = this.value;
      any = true;
    }
    if (any) this.#repaint();
  }

  #repaint() {
    this.live.stage.updateValues(this.parts()[0]);
    this.live.changed();
  }

  #drawRing() {
    const view = this.live.stage.panels.get("permeability")?.view;
    if (!view) return;
    if (this.ring.parentElement !== view) view.append(this.ring);
    const box = { width: view.clientWidth, height: view.clientHeight };
    const [x, y] = this.live.stage.fromPlane(...this.cursor, box);
    const radius = (this.brush * Math.max(...this.size) * box.height) / this.live.stage.camera.height;
    this.ring.hidden = document.activeElement !== view;
    Object.assign(this.ring.style, {
      transform: `translate(${x - radius}px, ${y - radius}px)`,
      width: `${2 * radius}px`,
      height: `${2 * radius}px`,
    });
  }
}

const labelled = (text, control) => element("label", { class: "labelled" }, element("span", {}, text), control);
