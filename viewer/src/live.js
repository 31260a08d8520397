// The live tab: a problem is changed by hand and the surrogate's answer follows at once.

import { byId, checkbox, element } from "./dom.js";
import { Handles } from "./handles.js";
import { readMesh } from "./mesh.js";
import { format, percent, seconds } from "./numbers.js";
import { Paint } from "./paint.js";
import { arraysOf, choices, describe, ranges } from "./parts.js";
import { savePicture } from "./picture.js";
import { getContainer, latestWins, postContainer } from "./server.js";
import { colorSelect, fieldSelect } from "./toolbar.js";
import { trouble } from "./trouble.js";

const TITLES = { darcy: "Paint the medium", airfoil: "Bend the airfoil", pipe: "Bend the pipe" };
const SOLVE = "Run solver";
const QUIET = 350; // ms without a change until the fine answer is asked for

const compared = (ratio, fact) =>
  ratio >= 1 ? fact("faster by", `${format(ratio, 2)}\u00d7`) : fact("slower by", `${format(1 / ratio, 2)}\u00d7`);

export class Live {
  #ask = latestWins((fine) => trouble.during(() => this.#predict(fine)));

  constructor(about, stage) {
    this.about = about;
    this.stage = stage;
    this.fields = choices(about).filter(({ role }) => role === "output");
    this.field = this.fields[0];
    this.own = null;
    this.compared = [];
    this.answers = 0;
  }

  async open() {
    this.opened = true;
    history.replaceState(null, "", "#live");
    document.body.classList.remove("single");
    byId("case-line").replaceChildren(
      element("h2", {}, TITLES[this.about.live.kind] ?? "Live"),
      (this.facts = element("dl", { "aria-live": "polite" })),
    );
    this.hint = element("p", { class: "probe", role: "status" });
    byId("below").replaceChildren(this.hint);
    this.start ??= await getContainer("api/live/start");
    this.answer ??= this.start;
    this.startMesh ??= readMesh(this.start);
    this.mesh ??= this.startMesh;
    const Editor = this.about.live.kind === "darcy" ? Paint : Handles;
    this.editor ??= new Editor(this);
    this.focus ??= this.editor.widen(this.startMesh.focus);
    this.startMesh.focus = this.focus;
    this.#toolbar();
    this.#side();
    this.editor.attach();
    this.setProbe(null);
    this.#show({ keepView: false });
    this.#tell();
    if (!this.answer.arrays[`${this.fields[0].name}/prediction`]) await this.#ask(true);
  }

  close() {
    this.opened = false;
    clearTimeout(this.quiet);
    this.editor?.detach();
    this.stage.unprobe();
  }

  // The problem was changed: its answer is asked for, and the fine one when the hand rests.
  changed() {
    // drawn coarser meanwhile: on the same processor the model has work to do
    this.stage.pace.moving();
    this.#ask(false);
    clearTimeout(this.quiet);
    if (this.editor.hasFine) this.quiet = setTimeout(() => this.#rest(), QUIET);
  }

  // The hand lets go: what the earlier problem was compared with may leave.
  released() {
    this.#show();
  }

  #rest() {
    if (!this.opened) return;
    if (this.editor.busy) this.quiet = setTimeout(() => this.#rest(), QUIET);
    else this.#ask(true);
  }

  setRange(kind, lo, hi, first) {
    if (lo == null) {
      this.own = null;
      return this.#show();
    }
    const most = first ? Math.abs(lo) : Math.abs(hi);
    this.own = { ...this.own, [kind]: kind === "error" ? [-most, most] : [lo, hi] };
    this.#show();
  }

  setProbe(probe) {
    if (!this.hint) return;
    this.hint.textContent = probe
      ? probe.at.map((value, k) => `${"xyz"[k]} = ${format(value)}`).join("   ")
      : (this.editor?.hint ?? "");
  }

  async #predict(fine) {
    const asked = performance.now();
    const answer = await postContainer("api/live/predict", { ...this.editor.body(), fine });
    this.#take(answer);
    this.facts.dataset.answer = Math.round(performance.now() - asked);
    this.facts.dataset.answers = this.answers += 1;
  }

  async #solve() {
    this.button.disabled = true;
    this.button.textContent = "Solving\u2026";
    clearTimeout(this.quiet);
    const asked = JSON.stringify(this.editor.body());
    const answer = await trouble.during(() => postContainer("api/live/solve", this.editor.body()));
    this.button.disabled = false;
    this.button.textContent = SOLVE;
    // an answer to a problem that has changed meanwhile would stand beside the wrong one
    if (answer && JSON.stringify(this.editor.body()) === asked) this.#take(answer);
  }

  #take(answer) {
    if (!this.opened) return;
    this.answer = answer;
    this.mesh = answer.arrays.points
      ? readMesh({ ...answer, meta: { ...this.start.meta, ...answer.meta } })
      : this.startMesh;
    this.mesh.focus = this.focus;
    this.#show();
    this.#tell();
  }

  #show(view) {
    const made = describe(this.field, arraysOf(this.field, this.answer.arrays), { share: this.about.trust?.share });
    const limits = { ...ranges(made), ...this.own };
    const order = ["prediction", "truth", "error", "bar"];
    const parts = made
      .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
      .map((part) => ({ ...part, lo: limits[part.kind][0], hi: limits[part.kind][1], mesh: this.mesh }));
    for (const part of parts)
      if (part.name !== "bar") part.unit = [this.field.name, this.field.unit].filter(Boolean).join(", ");
    for (const part of parts) if (part.name === "truth") part.title = "Solver";
    Object.assign(this.stage.style, { cut: null, points: false });
    this.stage.show([...this.editor.parts(), ...this.#withComparison(parts)], view);
  }

  // Panels come and go between drags, never under the pointer: until then the old comparison stays, named so.
  #withComparison(parts) {
    if (!parts.length)
      return [
        {
          name: "prediction",
          title: "Prediction",
          unit: "coming\u2026",
          kind: "value",
          values: new Float32Array(this.mesh.count).fill(NaN),
          mesh: this.mesh,
          lo: 0,
          hi: 1,
          fixed: true,
        },
      ];
    const compared = parts.filter(({ name }) => name !== "prediction");
    if (compared.length || !this.editor.busy) this.compared = compared;
    if (!compared.length) parts.push(...this.compared.map((part) => ({ ...part, note: "before the change" })));
    return parts;
  }

  #tell() {
    const { seconds: times = {}, errors = {}, distance, warning, grid } = this.answer.meta;
    const fact = (name, value, more = {}) => element("div", more, element("dt", {}, name), element("dd", {}, value));
    const facts = [];
    if (errors[this.field.name] != null)
      facts.push(
        fact(`error of ${this.field.name}`, percent(errors[this.field.name]), {
          class: "main",
          title: "relative L2 error",
        }),
      );
    const bar = this.answer.arrays[`${this.field.name}/bar`];
    const share = this.about.trust?.share;
    if (bar?.length === 1) facts.push(fact(`error bar${share ? ` (${share})` : ""}`, `\u00b1${format(bar[0], 3)}`));
    if (times.predict != null) facts.push(fact("surrogate", seconds(times.predict)));
    if (times.solve != null) facts.push(fact("solver", seconds(times.solve)));
    if (times.solve && times.predict) facts.push(compared(times.solve / times.predict, fact));
    if (grid) facts.push(fact("grid", grid.join(" \u00d7 ")));
    if (distance != null) facts.push(fact("distance", format(distance, 3), { title: "from the training cases" }));
    if (warning) facts.push(fact("careful", warning, { class: "bad" }));
    this.facts.replaceChildren(...facts);
  }

  #toolbar() {
    this.button = element(
      "button",
      { class: "solve", title: "Runs the reference solver on this problem", onclick: () => this.#solve() },
      SOLVE,
    );
    const bar = [
      ...(this.fields.length > 1 ? [fieldSelect(this.fields, this.field.name, (name) => this.#chooseField(name))] : []),
      ...this.editor.controls(),
      colorSelect(this.stage.style.sequential, (name) => {
        this.stage.style.sequential = name;
        this.stage.recolor();
      }),
      checkbox("Isolines", this.stage.style.isolines, (on) => {
        this.stage.style.isolines = on;
        this.stage.recolor();
      }),
      this.button,
      element("button", { class: "picture", onclick: () => this.#picture() }, "Picture"),
    ];
    byId("toolbar").replaceChildren(...bar);
  }

  #side() {
    byId("side").replaceChildren();
    byId("side").hidden = true;
  }

  #chooseField(name) {
    this.field = this.fields.find((field) => field.name === name);
    this.own = null;
    this.#show();
    this.#tell();
  }

  #picture() {
    const title = `${this.about.title}, live: ${this.field.name}${this.field.unit ? ` (${this.field.unit})` : ""}`;
    const caption = [...this.facts.querySelectorAll("div")]
      .map((fact) => [...fact.children].map((part) => part.textContent).join(" "))
      .join(", ");
    savePicture(this.stage, { title, caption, file: `${this.about.live.kind}-live.png` });
  }
}
