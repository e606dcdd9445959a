// Shows any JSON value. What is read determines the value: no two different values read the same.
//
// A text is shown as it is, a number with the digits of the record. Everything else has a note in brackets, and so have
// groups and lists: with their count, it is clear where they end. Names are those of the caller, in the caller's order.

import { diffText, pairText } from "./diff_view.js";
import { el, labelled, marked } from "./elements.js";
import { entriesOf, isNumber, isObject } from "./exact_json.js";
import { folded } from "./folding.js";
import { imageText } from "./image_view.js";
import { jsonBlock } from "./json_view.js";
import { say } from "./text.js";
import { columnsOf, tableOf } from "./table_view.js";
import { note, valueText } from "./value_text.js";

const DEEPEST = 5;
const MANY = 30;

/**
 * The element for a value. The outermost group has no note: it is the whole. `name` is the value's own, for an image.
 * `own(name, value)` draws the members of the outermost group that are not drawn as values; it returns null for others.
 */
export function facts(value, depth = 0, { name = "", own = () => null } = {}) {
  if (isNumber(value)) return el("span", { class: "value number", dir: "ltr" }, String(value));
  if (typeof value === "string" && value) return diffText(value) ?? imageText(value, name) ?? valueText(value);
  if (!isObject(value)) return special(value);
  const entries = Array.isArray(value) ? value.map((item) => [null, item]) : entriesOf(value);
  if (!entries.length) return special(value);
  const count = el("p", { class: "quiet note" }, `(${countOf(value, entries.length)})`);
  if (depth >= DEEPEST) return el("div", {}, count, jsonBlock(value));
  const list = listOf(value, entries, depth, own);
  return depth ? el("div", {}, count, list) : list;
}

/** A name as the caller wrote it; it may be empty. */
export function nameOf(name) {
  const nodes = name ? marked(name, { strict: true, code: true }) : [note(`(${say("empty_name")})`)];
  return el("span", { class: "name", dir: "ltr" }, ...nodes);
}

const SPECIAL = new Map([[null, ["none", "null"]], [true, ["yes", "true"]], [false, ["no", "false"]],
  ["", ["empty_text", '""']], ["[]", ["empty_list", "[]"]], ["{}", ["empty_group", "{}"]]]);

/** A value without digits or letters of its own: a word for a person, and the word of JSON. */
function special(value) {
  const [key, word] = SPECIAL.get(isObject(value) ? (Array.isArray(value) ? "[]" : "{}") : value ?? null);
  return el("span", { class: "value" }, say(key), note(`(${word})`));
}

function countOf(value, count) {
  if (Array.isArray(value)) return say(count === 1 ? "item" : "items", { count });
  return say(count === 1 ? "entry" : "entries", { count });
}

function listOf(value, entries, depth, own) {
  const columns = Array.isArray(value) && columnsOf(value);
  const rows = (shown) => (columns
    ? tableOf(columns, shown.map(([, item]) => item), { label: countOf(value, entries.length), nameOf, facts })
    : Array.isArray(value)
    ? el("ol", { class: "values" }, ...shown.map(([, item]) => el("li", {}, facts(item, depth + 1))))
    : labelled(shown.map(([name, item]) =>
      [nameOf(name), own(name, item) ?? pairText(name, value) ?? facts(item, depth + 1, { name })])));
  if (entries.length <= MANY) return rows(entries);
  return folded({
    label: say("show_all", { what: countOf(value, entries.length) }),
    all: () => rows(entries),
    beginning: () => rows(entries.slice(0, MANY / 3)),
  });
}
