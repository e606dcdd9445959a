// Makes all elements of the page, always from text. No markup is ever parsed: the text of a model stays text.

import { piecesOf } from "./signs.js";
import { plain, say } from "./text.js";

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

/** The nodes of a text of a model or a person: what a reader could not see, or could mistake, is shown by its code. */
export function marked(text, options) {
  return piecesOf(String(text), options).map(({ text: plainly, code, own, of }) => {
    if (plainly) return plainly;
    if (code) return sign(`[${code}]`, code);
    return of === " " ? sign(own, code, say("space")) : el("span", { class: "sign" }, own + of);
  });
}

// For a screen reader: it would spell out the brackets, and would leave out a sign for a space.
function sign(shown, code, name = say("character", { code })) {
  return el("span", { class: "sign", role: "img", "aria-label": name }, shown);
}

/** Text of a model or a person: it has its own direction, which does not change the text around it. */
export function foreign(text) {
  return el("bdi", {}, ...marked(text));
}

/** The same as a block. */
export function foreignBlock(name, text, className = "", attributes = {}) {
  return el(name, { class: `foreign ${className}`.trim(), dir: "auto", ...attributes }, ...marked(text));
}

/** A text of the page with a text of a person in it, as {name}. */
export function sayWith(key, name, more = {}) {
  const [before, behind] = say(key, { name: "\n", ...more }).split("\n");
  return el("span", {}, before, foreign(name), behind);
}

/** A list of rows, each a label with one value or several; labels and values are texts of the page, or nodes. */
export function labelled(rows) {
  return el("dl", {}, ...rows.map(([label, ...values]) =>
    el("div", {}, el("dt", {}, label), ...values.map((value) => el("dd", {}, value)))));
}

/** Replace everything on the page. */
export function show(...children) {
  const page = document.getElementById("page");
  page.replaceChildren(...children.filter(Boolean));
  page.setAttribute("aria-busy", "false");
}
