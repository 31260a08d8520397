// The color scale under a panel: gradient, round numbers, and both ends to type other limits into.

import { element } from "./dom.js";
import { onScale, parse, ticks } from "./numbers.js";

export class Legend {
  constructor(label, onrange) {
    this.bar = element("canvas", { width: 256, height: 1, "aria-hidden": "true" });
    this.lo = this.#end(`${label}: lower limit of the colors`);
    this.hi = this.#end(`${label}: upper limit of the colors`);
    this.marks = element("div", { class: "marks", "aria-hidden": "true" });
    this.node = element(
      "div",
      { class: "legend" },
      this.bar,
      element("div", { class: "scale" }, this.lo, this.marks, this.hi),
    );
    this.onrange = onrange;
  }

  show({ lo, hi, lut, fixed = false }) {
    this.range = [lo, hi];
    const context = this.bar.getContext("2d");
    context.putImageData(new ImageData(new Uint8ClampedArray(lut), 256, 1), 0, 0);
    this.#restore();
    this.lo.readOnly = this.hi.readOnly = fixed;
    const room = this.marks.clientWidth > 150 ? 3 : 1;
    this.marks.replaceChildren(...ticks(lo, hi, room).map((value) => this.#mark(value, lo, hi)));
  }

  #mark(value, lo, hi) {
    const mark = element("span", {}, onScale(value, hi - lo));
    const share = (value - lo) / (hi - lo);
    mark.style.left = `${100 * share}%`;
    mark.hidden = share < 0.18 || share > 0.82;
    return mark;
  }

  #end(label) {
    const take = () => {
      const [lo, hi] = [parse(this.lo.value), parse(this.hi.value)];
      if (input.value.trim() === "") this.onrange(null, null);
      else if (!(lo < hi)) this.#restore();
      else this.onrange(...(input === this.lo ? [lo, this.range[1]] : [this.range[0], hi]), input === this.lo);
    };
    const input = element("input", {
      type: "text",
      inputmode: "decimal",
      "aria-label": label,
      title: "Type a limit; empty is automatic",
      spellcheck: "false",
    });
    input.addEventListener("change", take);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#restore();
      event.stopPropagation();
    });
    input.addEventListener("focus", () => input.select());
    return input;
  }

  #restore() {
    const [lo, hi] = this.range;
    for (const [input, value] of [
      [this.lo, lo],
      [this.hi, hi],
    ]) {
      input.value = onScale(value, hi - lo);
      input.style.width = `calc(${Math.max(input.value.length, 4)}ch + 12px)`;
    }
  }
}
