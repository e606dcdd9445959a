// Shows a text that is a value. What is read determines the text: white space is kept, and has a sign where it would not
// be seen; a text that reads like a number, like yes or no, or like one of the page's own notes is in quotes.

import { el, marked } from "./elements.js";
import { folded } from "./folding.js";
import { piecesOf } from "./signs.js";
import { say } from "./text.js";

const NUMBER_LIKE = /^[\s+\-\u2212]*[\d.,'\u2019_\s]*\d[\d.,'\u2019_\s]*(?:e[-+]?\d+)?\s*$/i;
const WORDS = ["true", "false", "null", "none", "nil", "undefined", "nan", "infinity", "-infinity"];
const OWN_WORDS = ["yes", "no", "none", "empty_text", "empty_list", "empty_group"];
const NOTE_LIKE = /^[\s([{"'\u201c\u201d\u201e\u00ab]|[\s)\]}"'\u201c\u201d\u00bb]$/;
const CODE_LIKE = /^(?=.*[\p{L}\p{N}])(?=.*[^\p{L}])\S+$|^\s|\s$|\s\s|[{}<>=;|\\`$#~^]|\(\)|\s-[a-z]|--|:\/\//iu;
const LETTERS = "\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}";
const ONE_RIGHT_TO_LEFT = new RegExp(`[${LETTERS}]`, "u");
const RIGHT_TO_LEFT = new RegExp(`[${LETTERS}]+(?: +[${LETTERS}]+)*`, "gu");
const LEFT_TO_RIGHT = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/gu;

// What is shown of a long text before it is unfolded.
const LONG_CHARACTERS = 1000;
const LONG_LINES = 15;
const BEGINNING_CHARACTERS = 400;
const BEGINNING_LINES = 8;

/** The element for a text. It is a block if the text has several lines; the rest of a long one is folded. */
export function valueText(text) {
  const lines = text.split("\n");
  if ([...text].length <= LONG_CHARACTERS && lines.length <= LONG_LINES) return wholeText(text);
  return foldedText(text, beginningOf(text, lines));
}

/** The element for a text whose rest behind its beginning is folded. */
export function foldedText(text, start) {
  const lines = text.split("\n").length;
  const count = [...text].length;
  return folded({
    label: lines > 1 ? say("lines_folded", { count, lines }) : say("text_folded", { count }),
    all: () => wholeText(text),
    beginning: () => (start ? block(text, start, [], ["\u2009\u2026"]) : ""),
  });
}

/** The element for a text of any length, with nothing folded. */
export function wholeText(text) {
  const quotes = !text.includes("\n") && needsQuotes(text);
  return block(text, text, [quotes && "\u201c"],
    [quotes && "\u201d", quotes && isOfOtherType(text) && note(say("text_note"))]);
}

function block(text, part, before, behind) {
  const several = text.includes("\n");
  const code = several || CODE_LIKE.test(text);
  const { direction, nodes } = directed(part, code);
  return el(several ? "pre" : "span", { class: `value foreign${code ? " code" : ""}`, dir: direction },
    ...before, ...nodes, ...behind);
}

/** A quiet note of the page beside a value. No text that is shown without quotes ends with a bracket. */
export function note(text) {
  return el("span", { class: "quiet note" }, ` ${text}`);
}

/**
 * Whether a control that holds this text hides something of it. White space and emoji count in a text that is untouched:
 * the person has not typed it.
 */
export function isHiddenInField(text, untouched) {
  return piecesOf(text, { strict: untouched }).some(({ text: plain, of }) => !plain && of !== "\n");
}

/** The nodes of a text with signs, and its direction. */
export function directed(text, code) {
  const nodes = marked(text, { strict: true, code });
  if (!ONE_RIGHT_TO_LEFT.test(text)) return { direction: "ltr", nodes };
  // Of text in both directions, the order on the screen alone does not say the order of the text. So each part that
  // runs the other way stands for itself.
  const mixed = /[\p{L}\p{N}]/u.test(text.replace(RIGHT_TO_LEFT, ""));
  const ltr = mixed && text.search(/\p{L}/u) < text.search(ONE_RIGHT_TO_LEFT);
  const apart = (part) => (typeof part === "string" && mixed ? isolated(part, ltr) : [part]);
  const ordered = nodes.flatMap(apart);
  const sign = el("span", { class: "sign", role: "img", "aria-label": say("right_to_left") }, "\u21e0");
  return { direction: ltr ? "ltr" : "rtl", nodes: mixed && !ltr ? [sign, " ", ...ordered] : ordered };
}

function isolated(part, ltr) {
  if (ltr) return split(part, RIGHT_TO_LEFT, (run) => [el("bdi", { dir: "rtl" }, run)]);
  return split(part, RIGHT_TO_LEFT, (run) => [run],
    (between) => split(between, LEFT_TO_RIGHT, (run) => [el("bdi", { dir: "ltr" }, run)]));
}

function split(text, pattern, found, between = (rest) => (rest ? [rest] : [])) {
  const parts = [];
  let at = 0;
  for (const { 0: run, index } of text.matchAll(pattern)) {
    parts.push(...between(text.slice(at, index)), ...found(run));
    at = index + run.length;
  }
  return [...parts, ...between(text.slice(at))];
}

function needsQuotes(text) {
  return NOTE_LIKE.test(text) || isOfOtherType(text);
}

function isOfOtherType(text) {
  const word = text.trim().toLowerCase();
  return NUMBER_LIKE.test(text) || WORDS.includes(word) || OWN_WORDS.some((key) => say(key).toLowerCase() === word);
}

function beginningOf(text, lines) {
  return [...lines.slice(0, BEGINNING_LINES).join("\n")].slice(0, BEGINNING_CHARACTERS).join("").trimEnd();
}
