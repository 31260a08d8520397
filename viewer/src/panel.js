// One panel: its name and probed value, the view that the canvas shines through, its legend.

import { element } from "./dom.js";
import { Legend } from "./legend.js";

export class Panel {
  constructor(name, onrange) {
    this.name = name;
    this.heading = element("h3");
    this.value = element("output", { class: "value" });
    this.cross = element("div", { class: "cross", hidden: true }, element("i"), element("i"), element("b"));
    this.view = element("div", { class: "view", tabindex: "0", role: "application", "data-view": name }, this.cross);
    this.note = element("p", { class: "note" });
    this.legend = new Legend(name, onrange);
    this.node = element(
      "section",
      { class: "panel", "data-part": name },
      element("header", {}, this.heading, this.value),
      this.view,
      this.legend.node,
      this.note,
    );
  }

  title(text, unit) {
    this.heading.replaceChildren(text, ...(unit ? [element("small", {}, unit)] : []));
    this.view.setAttribute(
      "aria-label",
      `${text}; arrows move the view, plus and minus zoom, 0 resets, Shift and arrows probe`,
    );
  }

  markAt(x, y, flat) {
    this.cross.hidden = false;
    this.cross.classList.toggle("flat", flat);
    this.cross.style.transform = `translate(${x}px, ${y}px)`;
  }

  unmark() {
    this.cross.hidden = true;
  }
}
