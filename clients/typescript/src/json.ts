/** The JSON of a request: a value that JSON cannot carry is refused, and a value can be given as JSON text. */

import { invalid } from "./errors.js";

/** A JSON value. A member of undefined is left out, as `JSON.stringify` does. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/**
 * A JSON value as text, which is sent as it is.
 *
 * A number of JavaScript is a double: it cannot be `1.0`, and an integer above 2^53 is rounded. A text can have both.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Returns the JSON text of a field; throws InvalidRequest for a value that would be changed or lost, such as a Date, a
 * Map, NaN, or undefined in a list.
 */
function textOf(field: string, value: unknown): string {
  if (value instanceof JsonText) return value.text;
  return JSON.stringify(value, function (this: Record<string, unknown>, name: string) {
    // Not the second argument: of a Date, it is the text already.
    const found = this[name];
    const isLost = found === undefined ? Array.isArray(this) : typeof found === "number" && !isFinite(found);
    if (isLost || !/ (Object|Array|String|Number|Boolean|Null|Undefined)]/.test({}.toString.call(found))) {
      throw invalid(field, `JSON cannot carry its part ${name}`);
    }
    return found;
  });
}

/** Returns the text of a body; each of its fields is a JSON value or a `JsonText`. */
export function encode(body: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(body).map(([name, value]) => `${JSON.stringify(name)}:${textOf(name, value)}`);
  return `{${members.join()}}`;
}
