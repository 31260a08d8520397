// The line above the panels: which case this is, how it compares, and the way to its neighbors.

import { element } from "./dom.js";
import { format, percent, seconds } from "./numbers.js";

export function caseLine(viewing) {
  const { list, case: id, field, answer } = viewing;
  const one = list.find(id) ?? { label: `case ${id}` };
  const rank = list.rank(id);
  const count = list.cases.length;
  const step = (by, label, sign) =>
    element(
      "button",
      {
        class: "step",
        "aria-label": label,
        disabled: !list.cases[rank + by],
        onclick: () => stepAndKeepFocus(list, by, label),
      },
      sign,
    );
  const steps = count > 1 ? [step(-1, "Previous case", "\u2039"), step(1, "Next case", "\u203a")] : [];
  return [...steps, element("h2", {}, one.label), element("dl", {}, ...facts(one, rank, count, field, answer))];
}

function facts(one, rank, count, field, answer) {
  const fact = (name, value, more = {}) => element("div", more, element("dt", {}, name), element("dd", {}, value));
  const found = [];
  const error = answer.meta.errors?.[field.name] ?? one.errors?.[field.name];
  if (error != null)
    found.push(fact(`error of ${field.name}`, percent(error), { class: "main", title: "relative L2 error" }));
  if (one.problem) found.push(fact("error unknown", one.problem, { class: "bad" }));
  if (one.error != null && count > 1)
    found.push(
      fact(
        "rank",
        rank === 0 ? `worst of ${count}` : rank === count - 1 ? `best of ${count}` : `${rank + 1} of ${count}`,
      ),
    );
  if (one.distance != null) found.push(fact("distance", format(one.distance, 3), { title: "from the training cases" }));
  for (const [name, value] of Object.entries(one.parameters ?? {}).slice(0, 4))
    found.push(fact(name, format(value, 4)));
  const predict = answer.meta.seconds?.predict;
  // a kept prediction takes no time
  if (predict >= 0.0005) found.push(fact("predicted in", seconds(predict)));
  if (one.points) found.push(fact("points", one.points.toLocaleString("en-US")));
  return found;
}

// the line is rebuilt for the new case; the keyboard stays on the button that was pressed
function stepAndKeepFocus(list, by, label) {
  list.step(by);
  const watch = new MutationObserver(() => {
    document.querySelector(`#case-line [aria-label="${label}"]`)?.focus();
    watch.disconnect();
  });
  watch.observe(document.getElementById("case-line"), { childList: true });
}
