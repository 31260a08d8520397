// Elements of the page. Text is always set as text, so that no name from a file becomes markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

export function select(label, options, chosen, onchange) {
  const list = element("select", { "aria-label": label });
  for (const [value, text] of options) list.append(new Option(text, value, false, value === chosen));
  list.addEventListener("change", () => onchange(list.value));
  return list;
}

export function checkbox(label, checked, onchange) {
  const box = element("input", { type: "checkbox" });
  box.checked = checked;
  box.addEventListener("change", () => onchange(box.checked));
  return element("label", { class: "chip" }, box, element("span", {}, label));
}
