// The list of cases, worst first, with a search and a scatter of error over distance to pick from.

import { element, select } from "./dom.js";
import { percent } from "./numbers.js";
import { Scatter } from "./scatter.js";

const counted = (count) => `${count} case${count === 1 ? "" : "s"}`;

export class Cases {
  cases = [];
  chosen = null;

  constructor(node, { about, split, onsplit, onchoose }) {
    this.onchoose = onchoose;
    this.search = element("input", {
      type: "search",
      placeholder: "Find a case",
      "aria-label": "Find a case by number",
    });
    this.search.addEventListener("input", () => this.#list());
    this.search.addEventListener("keydown", (event) => event.key === "Enter" && this.#firstFound());
    this.list = element("ul", { role: "listbox", tabindex: "0", "aria-label": "Cases" });
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) this.onchoose(this.shown[row.dataset.row].id);
    });
    this.state = element("p", { class: "note", role: "status" });
    this.scatter = new Scatter((id) => this.onchoose(id));
    const splits =
      about.splits?.length > 1
        ? select(
            "Split",
            about.splits.map((name) => [name, name]),
            split,
            onsplit,
          )
        : null;
    node.replaceChildren(
      element("div", { class: "find" }, this.search, splits),
      this.state,
      this.list,
      this.scatter.node,
    );
  }

  show({ cases, pending = 0, sorted = "" }) {
    this.cases = cases;
    this.state.textContent = `${counted(cases.length)}${sorted && `, ${sorted}`}${pending ? `; ${pending} still to come` : ""}`;
    this.#list();
    this.scatter.show(cases);
    if (this.chosen != null) this.mark(this.chosen);
  }

  find(id) {
    return this.cases.find((one) => one.id === id);
  }

  rank(id) {
    return this.cases.findIndex((one) => one.id === id);
  }

  step(by) {
    const next = this.cases[this.rank(this.chosen) + by];
    if (next) this.onchoose(next.id);
  }

  mark(id) {
    this.chosen = id;
    for (const row of this.list.children) {
      const is = this.shown[row.dataset.row].id === id;
      row.setAttribute("aria-selected", is);
      if (!is) continue;
      this.list.setAttribute("aria-activedescendant", row.id);
      const [top, bottom] = [
        row.offsetTop - this.list.offsetTop,
        row.offsetTop - this.list.offsetTop + row.offsetHeight,
      ];
      if (top < this.list.scrollTop) this.list.scrollTop = top;
      if (bottom > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = bottom - this.list.clientHeight;
    }
    this.scatter.mark(id);
  }

  #list() {
    const wanted = this.search.value.trim().toLowerCase();
    this.shown = this.cases.filter(
      (one) => !wanted || String(one.id) === wanted || one.label.toLowerCase().includes(wanted),
    );
    const most = Math.max(...this.cases.map((one) => one.error ?? 0)) || 1;
    this.list.replaceChildren(...this.shown.map((one, row) => this.#row(one, row, most)));
    if (!this.shown.length)
      this.list.append(element("li", { class: "none", "aria-disabled": "true", "data-row": -1 }, "no such case"));
    if (this.chosen != null && this.shown.length) this.mark(this.chosen);
  }

  #row(one, row, most) {
    const length = element("i", { "aria-hidden": "true" });
    length.style.width = `${(100 * (one.error ?? 0)) / most}%`;
    const error = element("b", {}, one.error == null ? "" : percent(one.error));
    return element(
      "li",
      { role: "option", id: `row-${row}`, "data-row": row, "aria-selected": one.id === this.chosen },
      element("span", {}, one.label),
      error,
      length,
    );
  }

  #key(event) {
    const at = this.shown.findIndex((one) => one.id === this.chosen);
    const last = this.shown.length - 1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + 10, PageUp: at - 10 }[
      event.key
    ];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.onchoose(this.shown[Math.min(Math.max(next, 0), last)].id);
  }

  #firstFound() {
    if (this.shown.length) this.onchoose(this.shown[0].id);
  }
}
