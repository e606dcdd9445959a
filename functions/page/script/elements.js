// Elements are made here and nowhere else, always from text. No markup is ever parsed: what a model wrote stays text.

import { plain } from "./text.js";

let drawn = 0;

/** An id that no other element has. */
export function freshId(prefix) {
  drawn += 1;
  return `${prefix}-${drawn}`;
}

/** An element with attributes and children; null children and attributes that are null or false are left out. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : plain(String(child)));
  }
  return element;
}

/** Text that a model or a person wrote: its direction is its own and turns nothing around it. */
export function foreign(text) {
  return el("bdi", {}, text);
}

/** The same, on lines of its own. */
export function foreignBlock(name, text, className = "", id = null) {
  return el(name, { class: `foreign ${className}`.trim(), dir: "auto", id }, text);
}

/** Replace everything on the page. */
export function show(...children) {
  const page = document.getElementById("page");
  page.replaceChildren(...children.filter(Boolean));
  page.setAttribute("aria-busy", "false");
}
