// Parsers of typed text: each returns {value} or {fault}, and uses no element.

import { say } from "./text.js";

/** A number within its limits (included); with `whole`, a whole number that JavaScript does not round. */
export function numberParser({ whole = false, minimum = null, maximum = null }) {
  return (text) => {
    const value = Number(text);
    const readable = whole ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (!readable) return { fault: say(whole ? "not_whole" : "not_number") };
    if (minimum !== null && value < minimum) return { fault: say("too_small", { limit: minimum }) };
    if (maximum !== null && value > maximum) return { fault: say("too_large", { limit: maximum }) };
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
    return { value: JSON.parse(text) };
  } catch {
    return { fault: say("not_json") };
  }
}

/** The value of a `datetime-local` control, which is in the reader's time zone, as a time in UTC. */
export function parseLocalTime(text) {
  return { value: new Date(text).toISOString() };
}

/** The reverse: a time as the value of a `datetime-local` control. */
export function localTime(text) {
  const at = new Date(text);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}
