// The panels and the one canvas behind them: what is shown, from where, and the probe across all.

import { Camera } from "./camera.js";
import { table, theme } from "./colors.js";
import { byId } from "./dom.js";
import { gestures } from "./gestures.js";
import { arrange } from "./layout.js";
import { interpolate, positionAt } from "./mesh.js";
import { format } from "./numbers.js";
import { Pace } from "./pace.js";
import { Panel } from "./panel.js";
import { pixelOf, placeAt } from "./probe.js";
import { Renderer } from "./renderer.js";
import { dotSize } from "./dots.js";

export class Stage {
  camera = new Camera();
  panels = new Map();
  parts = [];
  style = {
    points: false,
    isolines: false,
    cut: null,
    sequential: "viridis",
    dot: (mesh, view) => dotSize(mesh, view, this.camera),
  };
  overlay = null; // drawn over the views after each picture: handles of the live tab
  tools = {}; // of a panel: what a drag does in place of moving the view

  constructor({ onrange, onprobe }) {
    this.node = byId("stage");
    this.canvas = this.node.querySelector("canvas");
    this.grid = byId("panels");
    this.renderer = new Renderer(this.canvas);
    this.pace = new Pace(() => this.#draw());
    this.onrange = onrange;
    this.onprobe = onprobe;
    this.probe = null;
    const watch = new ResizeObserver(() => this.layout());
    for (const node of [this.node.parentElement, byId("toolbar"), byId("below"), byId("case-line")])
      watch.observe(node);
  }

  // parts: {name, title, unit, kind, mesh, values, positions, lo, hi, note, fixed}
  show(parts, { keepView = true, room } = {}) {
    const meshChanged = this.parts[0]?.mesh !== parts[0]?.mesh;
    const names = parts.map((part) => part.name).join();
    const panelsChanged = names !== this.parts.map((part) => part.name).join();
    this.parts = parts;
    if (meshChanged && parts.length) this.camera.frame(parts[0].mesh, { keep: keepView, room });
    if (panelsChanged) this.#setPanels();
    for (const part of parts) {
      part.positions ??= part.mesh.points;
      this.renderer.setPart(part.name, part);
      const panel = this.panels.get(part.name);
      panel.title(part.title, part.unit);
      panel.note.textContent = part.note ?? "";
    }
    if (this.probe && !this.#probeFits()) this.unprobe();
    if (panelsChanged || meshChanged) this.layout();
    else this.recolor();
    this.#tell();
  }

  // New values of one panel, at once and without touching the others.
  updateValues(part) {
    Object.assign(this.#part(part.name), part);
    this.renderer.setPart(part.name, { positions: part.mesh.points, ...part });
    this.pace.ask();
  }

  recolor() {
    for (const part of this.parts) {
      part.lut = this.#table(part.kind);
      this.panels.get(part.name).legend.show(part);
    }
    this.pace.ask();
  }

  layout() {
    if (!this.parts.length) return;
    arrange(this.grid, this.parts[0].mesh, this.parts.length);
    this.#fit();
    this.recolor();
  }

  unprobe() {
    this.probe = null;
    this.#tell();
    this.pace.ask();
  }

  // Draws in another theme and resolution, for a picture; the next picture of the page restores it.
  drawFor(shown, ratio) {
    const box = this.canvas.getBoundingClientRect();
    this.renderer.resize(box.width, box.height, ratio);
    const views = this.#views().map((view) => ({ ...view, lut: this.#table(view.kind, shown) }));
    this.renderer.draw(views, this.camera.three(), { theme: shown, style: this.style });
    this.drawnRatio = 0;
    this.pace.ask();
    return views;
  }

  // From a pixel of a view to the plane of a 2-D mesh, and back.
  toPlane(at) {
    const height = this.camera.height;
    const { x, y } = this.camera.target;
    return [
      x + ((at.x - at.box.width / 2) / at.box.height) * height,
      y + ((at.box.height / 2 - at.y) / at.box.height) * height,
    ];
  }

  fromPlane(x, y, box) {
    const scale = box.height / this.camera.height;
    return [box.width / 2 + (x - this.camera.target.x) * scale, box.height / 2 - (y - this.camera.target.y) * scale];
  }

  #setPanels() {
    const kept = new Map(this.panels);
    this.panels = new Map(this.parts.map(({ name }) => [name, kept.get(name) ?? this.#panel(name)]));
    for (const [name] of kept) if (!this.panels.has(name)) this.renderer.removePart(name);
    this.grid.replaceChildren(...[...this.panels.values()].map((panel) => panel.node));
  }

  #panel(name) {
    const panel = new Panel(name, (lo, hi, first) => this.onrange(this.#part(name).kind, lo, hi, first));
    gestures(panel.view, this.camera, {
      tool: () => this.tools[name],
      moved: () => this.pace.moving(),
      hover: (at, kind) => !this.probe?.pinned && kind !== "touch" && this.#probeAt(name, at, false),
      click: (at) => this.#probeAt(name, at, true),
      leave: () => !this.probe?.pinned && this.unprobe(),
      nudge: (dx, dy) => this.#nudge(name, dx, dy),
    });
    panel.view.addEventListener("keydown", (event) => event.key === "Escape" && this.unprobe());
    return panel;
  }

  #part(name) {
    return this.parts.find((part) => part.name === name);
  }

  #probeAt(name, { x, y, box }, pinned) {
    const part = this.#part(name);
    const place =
      part && placeAt(part, this.camera.three(), { x, y, width: box.width, height: box.height }, this.style);
    this.probe = place ? { ...place, mesh: part.mesh, pinned } : null;
    this.#tell();
    this.#mark();
  }

  #nudge(name, dx, dy) {
    const box = this.panels.get(name).view.getBoundingClientRect();
    const part = this.#part(name);
    const [x, y] = this.probe
      ? pixelOf(this.probe, part.positions, this.camera.three(), box)
      : [box.width / 2, box.height / 2];
    const step = this.probe ? 8 : 0;
    this.#probeAt(name, { x: x + dx * step, y: y + dy * step, box }, true);
  }

  #probeFits() {
    return this.parts.every((part) => part.mesh.count === this.probe.mesh.count);
  }

  #tell() {
    for (const part of this.parts) {
      const fits = this.probe && part.mesh.count === this.probe.mesh.count;
      const value = fits ? interpolate(part.values, this.probe) : null;
      this.panels.get(part.name).value.textContent = value == null ? "" : format(value);
    }
    const part = this.parts.find(({ mesh }) => mesh.count === this.probe?.mesh.count);
    this.onprobe(
      part ? { at: positionAt(part.positions, this.probe).slice(0, part.mesh.dim), pinned: this.probe.pinned } : null,
    );
  }

  #mark() {
    const camera = this.camera.three();
    for (const part of this.parts) {
      const panel = this.panels.get(part.name);
      if (!this.probe || part.mesh.count !== this.probe.mesh.count) panel.unmark();
      else {
        const box = { width: panel.view.clientWidth, height: panel.view.clientHeight };
        panel.markAt(...pixelOf(this.probe, part.positions, camera, box), part.mesh.dim === 2);
      }
    }
  }

  #views() {
    const origin = this.canvas.getBoundingClientRect();
    return this.parts.map((part) => {
      const box = this.panels.get(part.name).view.getBoundingClientRect();
      return { ...part, x: box.left - origin.left, y: box.top - origin.top, width: box.width, height: box.height };
    });
  }

  #fit() {
    const view = this.panels.get(this.parts[0].name).view;
    this.camera.aspect = view.clientWidth / (view.clientHeight || 1) || 1;
  }

  #draw() {
    if (!this.parts.length) return;
    const [width, height, ratio] = [this.node.clientWidth, this.node.clientHeight, this.pace.ratio];
    if (this.drawnRatio !== ratio || this.drawnSize !== `${width} ${height}`) {
      this.renderer.resize(width, height, ratio);
      this.drawnRatio = ratio;
      this.drawnSize = `${width} ${height}`;
    }
    this.renderer.draw(this.#views(), this.camera.three(), { theme: theme(), style: this.style });
    this.#mark();
    this.overlay?.();
    this.canvas.dataset.first ??= Math.round(performance.now());
    this.canvas.dataset.frames = Number(this.canvas.dataset.frames ?? 0) + 1;
  }

  #tables = new Map();

  #table(kind, shown = theme()) {
    const key = `${kind} ${this.style.sequential} ${shown.name}`;
    if (!this.#tables.has(key)) this.#tables.set(key, table(kind, this.style.sequential, shown));
    return this.#tables.get(key);
  }
}
