// The cutting plane in 3-D: an axis, a position, and which side is taken away.

import { checkbox, element, select } from "./dom.js";
import { sizeOf } from "./mesh.js";
import { onScale } from "./numbers.js";
import { section } from "./section.js";

const AXES = ["x", "y", "z"];

export class Cut {
  on = false;
  axis = 0;
  share = 0.5;
  turned = false;

  constructor(onchange) {
    this.onchange = onchange;
    const set = (change) => {
      change();
      this.#words();
      onchange();
    };
    this.toggle = checkbox("Cut", false, (on) => set(() => (this.on = on)));
    this.axes = select(
      "Axis of the cut",
      AXES.map((name, k) => [String(k), name]),
      "0",
      (k) => set(() => (this.axis = Number(k))),
    );
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.005,
      value: 0.5,
      "aria-label": "Position of the cut",
    });
    this.slider.addEventListener("input", () => set(() => (this.share = Number(this.slider.value))));
    this.label = element("output");
    this.side = checkbox("Other side", false, (turned) => set(() => (this.turned = turned)));
    this.node = element("div", { class: "cut" }, this.toggle, this.axes, this.slider, this.label, this.side);
  }

  set(on, axis = this.axis) {
    this.on = on;
    this.axis = axis;
    this.axes.value = String(axis);
    this.toggle.querySelector("input").checked = on;
    this.#words();
  }

  // The plane, its drawn side, and the section of what lies around the body.
  for(mesh) {
    this.mesh = mesh;
    this.#words();
    if (!this.on) return null;
    const at = this.#position();
    const sign = this.turned ? -1 : 1;
    const normal = AXES.map((_, k) => (k === this.axis ? sign : 0));
    return { plane: [...normal, sign * at], section: this.#section(mesh, at) };
  }

  #section(mesh, at) {
    const last = this.last;
    if (last?.mesh !== mesh || last.axis !== this.axis || last.at !== at)
      this.last = { mesh, axis: this.axis, at, section: section(mesh, this.axis, at) };
    return this.last.section;
  }

  #position() {
    const [lo, hi] = this.mesh.bounds;
    return lo[this.axis] + this.share * (hi[this.axis] - lo[this.axis]);
  }

  #words() {
    for (const part of [this.axes, this.slider, this.label, this.side]) part.hidden = !this.on;
    if (this.mesh)
      this.label.textContent = `${AXES[this.axis]} = ${onScale(this.#position(), sizeOf(this.mesh.bounds)[this.axis])}`;
  }
}
