// Makes all elements of the page, always from text. No markup is ever parsed: the text of a model stays text.

import { plain } from "./text.js";

let drawn = 0;

/** A unique element id. */
export function freshId(prefix) {
  drawn += 1;
  return `${prefix}-${drawn}`;
}

/** An element with attributes and children; null or false children and attributes are left out. */
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

/** Text of a model or a person: it has its own direction, which does not change the text around it. */
export function foreign(text) {
  return el("bdi", {}, text);
}

/** The same as a block. */
export function foreignBlock(name, text, className = "", id = null) {
  return el(name, { class: `foreign ${className}`.trim(), dir: "auto", id }, text);
}

/** Replace everything on the page. */
export function show(...children) {
  const page = document.getElementById("page");
  page.replaceChildren(...children.filter(Boolean));
  page.setAttribute("aria-busy", "false");
}
