// When to draw: only on demand, and coarser while the view moves if the machine needs it.

const REST = 180; // ms without movement until the fine picture
const SLOW = 27; // ms between frames above which the resolution falls
const FAST = 18;

export class Pace {
  #asked = false;
  #rest = 0;
  #coarse = Math.min(devicePixelRatio, 2);
  #last = 0;
  #recent = [];
  ratio = this.fine;

  constructor(draw) {
    this.draw = draw;
  }

  get fine() {
    return Math.min(Math.max(devicePixelRatio, 1.5), 2);
  }

  ask() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => {
      this.#asked = false;
      this.#measure(now);
      this.draw();
    });
  }

  moving() {
    this.ratio = this.#coarse;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.ratio = this.fine;
      this.#last = 0;
      this.ask();
    }, REST);
    this.ask();
  }

  #measure(now) {
    if (this.ratio === this.#coarse && this.#last && now - this.#last < 250) this.#recent.push(now - this.#last);
    this.#last = now;
    if (this.#recent.length < 8) return;
    const typical = this.#recent.sort((a, b) => a - b)[4];
    this.#recent = [];
    if (typical > SLOW) this.#coarse = Math.max(this.#coarse * 0.75, 0.4);
    else if (typical < FAST) this.#coarse = Math.min(this.#coarse * 1.15, Math.min(devicePixelRatio, 2));
    this.ratio = this.#coarse;
  }
}
