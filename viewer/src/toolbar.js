// What is shown and how: field, panels, range and colors, and the picture.

import { SEQUENTIAL } from "./colors.js";
import { checkbox, element, select } from "./dom.js";

const RANGES = [
  ["case", "this case"],
  ["all", "all cases"],
  ["own", "own limits"],
];

const labelled = (text, control) => element("label", { class: "labelled" }, element("span", {}, text), control);

export function fieldSelect(fields, chosen, onchange) {
  const list = element("select", { "aria-label": "Field" });
  const groups = [
    ["output", "outputs"],
    ["input", "inputs"],
  ].map(([role, label]) => [fields.filter((field) => field.role === role), label]);
  const used = groups.filter(([each]) => each.length);
  for (const [each, label] of used) {
    const options = each.map(
      ({ name, unit }) => new Option(unit ? `${name} (${unit})` : name, name, false, name === chosen),
    );
    if (used.length === 1) list.append(...options);
    else {
      const group = element("optgroup", { label });
      group.append(...options);
      list.append(group);
    }
  }
  list.addEventListener("change", () => onchange(list.value));
  return labelled("Field", list);
}

export function partChips(parts, shown, onchange) {
  const group = element("div", { class: "chips", role: "group", "aria-label": "Panels" });
  for (const [name, title] of parts) {
    group.append(
      checkbox(title, shown.has(name), (on) => {
        if (on) shown.add(name);
        else shown.delete(name);
        onchange();
      }),
    );
  }
  return group;
}

export function rangeSelect(chosen, hasAll, onchange) {
  const list = select(
    "Range of the colors",
    RANGES.filter(([name]) => name !== "all" || hasAll),
    chosen,
    onchange,
  );
  return labelled("Range", list);
}

export function colorSelect(chosen, onchange) {
  return labelled(
    "Colors",
    select(
      "Color map",
      Object.keys(SEQUENTIAL).map((name) => [name, name]),
      chosen,
      onchange,
    ),
  );
}
