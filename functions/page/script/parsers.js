// Parsers of typed text: each returns {value} or {fault}, and uses no element.

import { readJson } from "./exact_json.js";
import { compared, isWhole, typedNumber } from "./numbers.js";
import { say } from "./text.js";

// The limits of a number: the keyword of JSON Schema, its text, and whether a value goes beyond it.
const LIMITS = [
  ["minimum", "too_small", (order) => order < 0],
  ["maximum", "too_large", (order) => order > 0],
  ["exclusiveMinimum", "not_above", (order) => order <= 0],
  ["exclusiveMaximum", "not_below", (order) => order >= 0],
];

/** A number within its limits, with the digits that were typed; with `whole`, a whole number. */
export function numberParser({ whole = false, dot = false, ...limits }) {
  return (text) => {
    const value = typedNumber(text, { dot });
    if (value === undefined || (whole && !isWhole(value))) return { fault: say(whole ? "not_whole" : "not_number") };
    for (const [keyword, key, isBeyond] of LIMITS) {
      const limit = limits[keyword] ?? null;
      if (limit !== null && isBeyond(compared(value, limit))) return { fault: say(key, { limit }) };
    }
    return { value };
  };
}

/** What a number must be, for a refusal by the service. */
export function numberExpected({ whole = false, multipleOf, ...limits }) {
  const given = [...LIMITS.map(([keyword, key]) => [limits[keyword], key]), [multipleOf, "not_multiple"]];
  const said = given.flatMap(([limit, key]) => ((limit ?? null) === null ? [] : [say(key, { limit })]));
  return [say(whole ? "not_whole" : "not_number"), ...said].join(" ");
}

/** Text with a limited length. Characters are counted as the service counts them, not in UTF-16 units. */
export function lengthParser(shortest, longest) {
  return (text) => {
    const count = [...text].length;
    if (count < shortest) return { fault: say("too_short", { limit: shortest }) };
    if (count > longest) return { fault: say("too_long", { limit: longest, count }) };
    return { value: text };
  };
}

/** Several texts, one on each line; empty lines are ignored. */
export function linesParser(fewest, most) {
  return (text) => {
    const value = text.split("\n").map((line) => line.trim()).filter(Boolean);
    if (value.length < fewest) return { fault: say("too_few_lines", { limit: fewest }) };
    if (value.length > most) return { fault: say("too_many_lines", { limit: most, count: value.length }) };
    return { value };
  };
}

/** Any JSON value. */
export function parseJson(text) {
  try {
    return { value: readJson(text) };
  } catch {
    return { fault: say("not_json") };
  }
}
