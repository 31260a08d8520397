// The line that says what went wrong, while the rest of the page stays usable.

import { byId, element } from "./dom.js";

// What went wrong in one line for the reader.
export class Trouble extends Error {}

export const trouble = {
  say(line) {
    const close = element("button", { "aria-label": "Close this message", onclick: () => this.clear() }, "\u00d7");
    byId("trouble").replaceChildren(element("span", {}, line), close);
    byId("trouble").hidden = false;
  },

  clear() {
    byId("trouble").hidden = true;
  },

  // Runs a task; what it says goes wrong becomes the line, a success takes the line away.
  async during(task) {
    try {
      const result = await task();
      this.clear();
      return result;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      this.say(error.message);
    }
  },
};
