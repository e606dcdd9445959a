// JSON values: parse them without rounding, read their properties safely, and show them to a person.

import { say } from "./text.js";

/** A reviver for JSON.parse: a whole number that JavaScript would round becomes a BigInt and keeps all its digits. */
export function exactly(_, value, context) {
  const whole = typeof value === "number" && /^-?\d+$/.test(context?.source);
  return whole && !Number.isSafeInteger(value) ? BigInt(context.source) : value;
}

/** An object's own property; inherited properties are undefined. */
export function entry(object, name) {
  return object && Object.prototype.hasOwnProperty.call(object, name) ? object[name] : undefined;
}

/** A JSON value as text for a person. */
export function readable(value) {
  if (value === null || value === undefined || value === "") return say("none");
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (typeof value === "string") return value;
  if (typeof value === "object") return written(value);
  return String(value);
}

/** A value as JSON text for a person; a large whole number has all its digits. */
export function written(value) {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}` : item), 2);
}
