// The slider of times, with play.

import { element } from "./dom.js";
import { format } from "./numbers.js";

const PERIOD = 260; // ms of a frame in play

export class Times {
  #playing = false;

  constructor(times, ontime) {
    this.times = times;
    this.ontime = ontime;
    this.index = times.length - 1;
    this.play = element("button", {
      class: "play",
      "aria-label": "Play",
      onclick: () => (this.#playing ? this.stop() : this.start()),
    });
    this.slider = element("input", { type: "range", min: 0, max: times.length - 1, step: 1, "aria-label": "Time" });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.#go(Number(this.slider.value));
    });
    this.label = element("output", {});
    this.node = element("div", { class: "times" }, this.play, this.slider, this.label);
    this.mark(this.index);
  }

  mark(index) {
    this.index = index;
    this.slider.value = index;
    const words = `t = ${format(this.times[index], 3)}`;
    this.slider.setAttribute("aria-valuetext", words);
    this.label.textContent = words;
  }

  start() {
    this.#playing = true;
    this.play.setAttribute("aria-label", "Pause");
    this.#next();
  }

  stop() {
    this.#playing = false;
    clearTimeout(this.timer);
    this.play.setAttribute("aria-label", "Play");
  }

  // the next frame waits for this one, so that a slow server is not overrun
  async #next() {
    const began = performance.now();
    await this.#go((this.index + 1) % this.times.length);
    if (this.#playing) this.timer = setTimeout(() => this.#next(), Math.max(PERIOD - (performance.now() - began), 0));
  }

  #go(index) {
    this.mark(index);
    return this.ontime(index);
  }
}
