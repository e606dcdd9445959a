// Parsers of typed text: each returns {value} or {fault}, and uses no element.

import { readJson } from "./exact_json.js";
import { compared, isWhole, typedNumber } from "./numbers.js";
import { say } from "./text.js";

/** A number within its limits (included), with the digits that were typed; with `whole`, a whole number. */
export function numberParser({ whole = false, minimum = null, maximum = null, dot = false }) {
  return (text) => {
    const value = typedNumber(text, { dot });
    if (value === undefined || (whole && !isWhole(value))) return { fault: say(whole ? "not_whole" : "not_number") };
    if (minimum !== null && compared(value, minimum) < 0) return { fault: say("too_small", { limit: minimum }) };
    if (maximum !== null && compared(value, maximum) > 0) return { fault: say("too_large", { limit: maximum }) };
    return { value };
  };
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
