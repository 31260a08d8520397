// The controls above the panels of a case.

import { checkbox, element } from "./dom.js";
import { format } from "./numbers.js";
import { savePicture } from "./picture.js";
import { colorSelect, fieldSelect, partChips, rangeSelect } from "./toolbar.js";

const CHIPS = Object.entries({ truth: "Truth", prediction: "Prediction", error: "Error", bar: "Error bar" });

export function caseToolbar(viewing) {
  const { about, field, mesh, stage } = viewing;
  const { style } = stage;
  const chips = CHIPS.filter(([name]) => field.parts.includes(name));
  const toggle = (label, name) =>
    checkbox(label, style[name], (on) => {
      style[name] = on;
      viewing.restyle();
    });
  const deformed = () =>
    checkbox("Deformed", viewing.deformed, (on) => {
      viewing.deformed = on;
      viewing.show();
    });
  return [
    fieldSelect(viewing.fields, field.name, (name) => viewing.chooseField(name)),
    chips.length > 1 ? partChips(chips, viewing.shown, () => viewing.show()) : null,
    rangeSelect(viewing.rangeMode, viewing.hasAll, (mode) => chooseRange(viewing, mode)),
    colorSelect(style.sequential, (name) => {
      style.sequential = name;
      stage.recolor();
    }),
    toggle("Isolines", "isolines"),
    mesh.triangles ? toggle("Points", "points") : null,
    about.deformed ? deformed() : null,
    element("button", { class: "picture", onclick: () => save(viewing) }, "Picture"),
  ].filter(Boolean);
}

// own limits begin with those that are shown
function chooseRange(viewing, mode) {
  const limits = viewing.stage.parts.map(({ kind, lo, hi }) => [kind, [lo, hi]]);
  viewing.rangeMode = mode;
  viewing.own = mode === "own" ? Object.fromEntries(limits) : {};
  viewing.show();
}

function save({ about, field, list, case: id, times, stage }) {
  const time = times ? `t = ${format(about.times[times.index], 3)}` : "";
  const what = field.unit ? `${field.name} (${field.unit})` : field.name;
  const where = [list.find(id)?.label ?? `case ${id}`, time].filter(Boolean).join(", ");
  savePicture(stage, {
    title: `${about.title}: ${what}, ${where}`,
    caption: [about.name, about.subtitle].filter(Boolean).join(", "),
    file: `${about.problem?.name ?? "case"}-${id}-${field.name}.png`,
  });
}
