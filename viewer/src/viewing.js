// The tab of cases: one case, one field, one time, on the panels that were chosen.

import { fromAddress, toAddress } from "./address.js";
import { caseLine } from "./case_line.js";
import { caseToolbar } from "./case_toolbar.js";
import { Cases } from "./cases.js";
import { Cut } from "./cut.js";
import { makeRoom, movedPoints } from "./deformed.js";
import { byId, element } from "./dom.js";
import { readMesh } from "./mesh.js";
import { format } from "./numbers.js";
import { PARTS, arraysOf, choices, describe, ranges } from "./parts.js";
import { getContainer, getJson, remembering } from "./server.js";
import { Times } from "./times.js";
import { trouble } from "./trouble.js";

const AGAIN = 1000; // ms until errors that are still to come are asked for

// of a body in a flow, its surface is what one looks at first
function firstField(about, fields) {
  const surface = ({ mask }) => about.problem?.space_dim === 3 && mask === "surface";
  // coordinates are seen in the deformed mesh; the color is free for what moved how far
  const moved = ({ components }) => about.deformed && components;
  return fields.find(surface) ?? fields.find(moved) ?? fields[0];
}

export class Viewing {
  #container = remembering(getContainer, 40);
  #turn = 0;

  constructor(about, stage, firstCases) {
    const wanted = fromAddress();
    this.about = about;
    this.stage = stage;
    this.fields = choices(about);
    this.field = this.fields.find(({ name }) => name === wanted.field) ?? firstField(about, this.fields);
    this.split = about.splits?.includes(wanted.split) ? wanted.split : about.split;
    this.wanted = wanted.case;
    this.shown = new Set(PARTS);
    this.rangeMode = about.times && this.hasAll ? "all" : "case";
    this.own = {};
    this.firstCases = firstCases;
    this.times = about.times?.length > 1 ? new Times(about.times, (index) => this.showTime(index)) : null;
    const time = Number(wanted.time);
    if (this.times && wanted.time && time >= 0 && time < about.times.length) this.times.mark(time);
    this.cut = new Cut(() => this.restyle());
    this.deformed = Boolean(about.deformed);
  }

  async open() {
    this.list = new Cases(byId("side"), {
      about: this.about,
      split: this.split,
      onsplit: (split) => trouble.during(() => this.#openSplit(split)),
      onchoose: (id) => trouble.during(() => this.showCase(id)),
    });
    this.opened = true;
    await this.#openSplit(this.split);
  }

  close() {
    this.opened = false;
    this.times?.stop();
    clearTimeout(this.again);
    this.case = null;
    this.stage.unprobe();
  }

  async showCase(id) {
    const turn = ++this.#turn;
    this.list.mark(id);
    const asked = ["mesh", "fields"].map((what) => this.#container(this.#path(id, what)));
    const [meshAnswer, fieldsAnswer] = await Promise.all(asked);
    if (turn !== this.#turn || !this.opened) return;
    const first = this.case == null;
    this.case = id;
    meshAnswer.read ??= readMesh(meshAnswer);
    this.mesh = meshAnswer.read;
    this.answer = fieldsAnswer;
    if (first) this.#firstView();
    // the flow around a body is wider than the body
    this.show({ keepView: !first, room: this.cut.on ? 1.5 : 1 });
    this.#line();
    toAddress({
      case: id,
      field: this.field.name,
      split: this.split === this.about.split ? null : this.split,
      time: this.times?.index,
    });
  }

  async showTime() {
    await trouble.during(() => this.showCase(this.list.chosen));
  }

  get hasAll() {
    return Boolean(this.field.range);
  }

  setRange(kind, lo, hi, first) {
    if (lo == null) {
      this.rangeMode = "case";
      this.#toolbar();
      return this.show();
    }
    const most = first ? Math.abs(lo) : Math.abs(hi);
    this.own[kind] = kind === "error" ? [-most, most] : [lo, hi];
    this.rangeMode = "own";
    this.#toolbar();
    this.show();
  }

  setProbe(probe) {
    if (!this.probe) return;
    const names = ["x", "y", "z"];
    this.probe.textContent = probe
      ? probe.at.map((value, k) => `${names[k]} = ${format(value)}`).join("   ") +
        (probe.pinned ? "   (held; Esc lets go)" : "")
      : "Point at a panel to read values; a click holds the place.";
  }

  async #openSplit(split) {
    const asked = this.firstCases ?? getJson(`api/cases?split=${encodeURIComponent(split)}`);
    this.firstCases = null;
    const answer = await asked;
    clearTimeout(this.again);
    this.split = split;
    this.case = null;
    this.list.chosen = null;
    this.#listed(answer);
    if (!answer.cases.length) return this.#waiting(answer);
    await this.#showFirst(answer);
  }

  #waiting({ pending }) {
    byId("case-line").replaceChildren(
      element("h2", {}, pending ? "The first case is on its way\u2026" : `No cases in ${this.split}`),
    );
  }

  async #showFirst(answer) {
    const wanted = answer.cases.find((one) => String(one.id) === this.wanted) ?? answer.cases[0];
    this.wanted = null;
    await this.showCase(wanted.id);
  }

  #listed(answer) {
    this.list.show(answer);
    const single = answer.cases.length < 2 && !answer.pending && !(this.about.splits?.length > 1);
    byId("side").hidden = single;
    document.body.classList.toggle("single", single);
    if (this.case != null) this.#line();
    if (!answer.pending) return;
    this.again = setTimeout(async () => {
      const split = this.split;
      const next = await trouble.during(() => getJson(`api/cases?split=${encodeURIComponent(split)}`));
      if (!next || !this.opened || split !== this.split) return;
      this.#listed(next);
      if (this.case == null && this.list.chosen == null && next.cases.length)
        await trouble.during(() => this.#showFirst(next));
    }, AGAIN);
  }

  #path(id, what) {
    const time = what === "fields" && this.times ? `&time=${this.times.index}` : "";
    return `api/cases/${id}/${what}?split=${encodeURIComponent(this.split)}${time}`;
  }

  #firstView() {
    // fields of the air are seen where a plane cuts through it
    const volume =
      this.mesh.dim === 3 && this.mesh.surface && this.field.mask !== "surface" && this.field.role === "output";
    this.cut.set(Boolean(volume), this.mesh.up === "y" ? 0 : 1);
    this.#toolbar();
    this.#below();
  }

  show(view) {
    const made = describe(this.field, arraysOf(this.field, this.answer.arrays), { share: this.about.trust?.share });
    const limits = this.#limits(made);
    const parts = made.filter(({ name }) => this.shown.has(name) || made.length === 1);
    for (const part of parts) {
      [part.lo, part.hi] = limits[part.kind];
      part.mesh = this.mesh;
      if (this.deformed) part.positions = movedPoints(this.about.deformed, this.answer, this.mesh, part.name);
    }
    this.stage.style.cut = this.cut.for(this.mesh);
    if (this.deformed) makeRoom(this.mesh, parts);
    this.stage.show(parts, view);
  }

  #limits(made) {
    const own = ranges(made);
    if (this.rangeMode === "all" && this.field.range) own.value = this.field.range;
    return this.rangeMode === "own" ? { ...own, ...this.own } : own;
  }

  restyle() {
    this.stage.style.cut = this.cut.for(this.mesh);
    this.stage.unprobe();
  }

  #toolbar() {
    byId("toolbar").replaceChildren(...caseToolbar(this));
  }

  chooseField(name) {
    this.field = this.fields.find((field) => field.name === name);
    this.own = {};
    if (this.rangeMode === "own" || (this.rangeMode === "all" && !this.hasAll)) this.rangeMode = "case";
    this.#firstView();
    this.show();
    this.#line();
    toAddress({ ...fromAddress(), field: name });
    byId("toolbar").querySelector("select").focus();
  }

  #below() {
    this.probe = element("p", { class: "probe", role: "status" });
    byId("below").replaceChildren(
      ...[this.times?.node, this.mesh.dim === 3 ? this.cut.node : null, this.probe].filter(Boolean),
    );
    this.setProbe(null);
  }

  #line() {
    byId("case-line").replaceChildren(...caseLine(this));
  }
}
