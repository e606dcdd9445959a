// Shows a diff, line by line. An added or removed line has its sign, a colour, and a name for a screen reader.

import { el } from "./elements.js";
import { entry } from "./exact_json.js";
import { folded } from "./folding.js";
import { changesOf, lineDiff } from "./line_diff.js";
import { say } from "./text.js";
import { unifiedDiff } from "./unified_diff.js";
import { directed, foldedText, note } from "./value_text.js";

// What is shown of a long diff before it is unfolded.
const LONG_LINES = 24;
const LONG_CHARACTERS = 1200;
const BEGINNING_LINES = 12;
const BEGINNING_CHARACTERS = 600;
const PAIRS = [["before", "after"], ["old", "new"], ["from", "to"]];

/** The element for a text that is a unified diff; null for any other text. */
export function diffText(text) {
  const lines = unifiedDiff(text);
  if (!lines) return null;
  const shown = lines.map(line);
  if (text.endsWith("\n")) shown[shown.length - 1].append(...directed("\n", true).nodes);
  return el("div", {}, totals(lines), lengthFolded(lines, shown, [...text].length));
}

/**
 * The element for a text of an object that has a text before and one after: the second of the pair has the difference.
 * Null for every other member of an object, and for texts that are too long to be compared.
 */
export function pairText(name, object) {
  const pair = PAIRS.find((names) => names.includes(name));
  if (!pair) return null;
  const [before, after] = pair.map((each) => entry(object, each));
  if (typeof before !== "string" || typeof after !== "string" || before === after) return null;
  // Of two texts of one line, what differs is seen as they stand.
  const lines = `${before}${after}`.includes("\n") ? lineDiff(before, after) : null;
  if (!lines) return null;
  const whole = foldedText(entry(object, name), "");
  if (name === pair[0]) return whole;
  const changes = changesOf(lines);
  const count = changes.reduce((sum, { text = "" }) => sum + [...text].length + 1, 0);
  return el("div", {}, totals(lines), lengthFolded(changes, changes.map(line), count), whole);
}

function totals(lines) {
  const count = (of) => lines.filter(({ kind }) => kind === of).length;
  return el("p", { class: "quiet note" },
    `(${say("diff_lines", { added: count("added"), removed: count("removed") })})`);
}

/** The elements of the lines as a block, of which only the beginning is shown if it is long. */
function lengthFolded(lines, shown, count) {
  const block = (...parts) => el("div", { class: "code lines", dir: "ltr" }, ...parts);
  if (lines.length <= LONG_LINES && count <= LONG_CHARACTERS) return block(...shown);
  let left = BEGINNING_CHARACTERS;
  const first = lines.slice(0, BEGINNING_LINES).filter(({ text = "" }) => (left -= text.length) > 0).length;
  return folded({
    label: say("lines_folded", { lines: lines.length, count }),
    all: () => block(...shown),
    beginning: () => block(...shown.slice(0, first), "\u2026"),
  });
}

function line({ kind, sign, text, count }) {
  if (kind === "gap") return el("div", { class: "head" }, note(`(${say("same_lines", { count })})`));
  // With a line end, its indentation is that of one line among several; the end itself is not shown at each line.
  const { direction, nodes } = directed(`${text}\n`, true);
  const named = { added: "line_added", removed: "line_removed" }[kind];
  const mark = named ? el("span", { role: "img", "aria-label": say(named) }, sign) : sign;
  return el("div", { class: kind }, kind !== "head" && el("span", { class: "at" }, mark),
    el("span", { class: "foreign", dir: direction }, ...(text ? nodes.slice(0, -1) : nodes)));
}
