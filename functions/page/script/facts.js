// Shows any JSON value as a list of names and values.

import { el, foreignBlock } from "./elements.js";
import { readable, written } from "./json_values.js";
import { say, titled } from "./text.js";

const DEEPEST = 4;

/** The elements for a value. */
export function facts(value, depth = 0) {
  if (value === null || typeof value !== "object") return foreignBlock("span", readable(value));
  if (depth >= DEEPEST) return el("pre", { dir: "auto", tabindex: "0" }, written(value));
  if (Array.isArray(value) && value.every((item) => item === null || typeof item !== "object")) {
    return foreignBlock("span", value.length ? value.map(readable).join(", ") : say("none"));
  }
  const entries = Array.isArray(value) ? value.map((item, index) => [index + 1, item]) : Object.entries(value);
  if (!entries.length) return foreignBlock("span", say("none"));
  return el("dl", {}, ...entries.map(([name, item]) =>
    el("div", {}, el("dt", { class: "foreign", dir: "auto" }, titled(name)), el("dd", {}, facts(item, depth + 1)))));
}
