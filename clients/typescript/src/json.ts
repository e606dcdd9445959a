/**
 * JSON that keeps what it says: values that JSON cannot carry are refused, and the text of a part can be taken as it is.
 *
 * `JSON.parse` reads every number as a double: `1.0` becomes `1`, `0.10` becomes `0.1`, and integers above 2^53 are
 * rounded. A text has none of these losses.
 */

import { invalid } from "./errors.js";

/** A JSON value. A member of undefined is left out, as `JSON.stringify` does. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/** A JSON value as text, which is sent as it is: `new JsonText(outcome.turn.messagesText)`. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    JSON.parse(text);
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
    const isLost = found === undefined ? Array.isArray(this) : typeof found === "number" && !Number.isFinite(found);
    if (isLost || !/ (Object|Array|String|Number|Boolean|Null|Undefined)]/.test(Object.prototype.toString.call(found))) {
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

/** Returns the text of the value at a path of names and positions in a JSON text; throws if there is none. */
export function partOf(text: string, ...path: readonly (string | number)[]): string {
  return path.reduce<string>((whole, step) => partsOf(whole)[step]!, text);
}

/** Returns the texts of the members of an object, or of the items of a list. */
function partsOf(text: string): Record<string, string> {
  const parts: Record<string, string> = Object.create(null);
  const start = /^\s*/.exec(text)![0].length;
  let items = 0;
  for (let at = start + 1; ; ) {
    const sign = text[at];
    if (sign === undefined || sign === "]" || sign === "}") return parts;
    if (/[\s,]/.test(sign)) at++;
    else {
      let end = valueEnd(text, at);
      let name = String(items++);
      if (text[start] === "{") {
        name = JSON.parse(text.slice(at, end));
        at = text.indexOf(":", end) + 1;
        while (/\s/.test(text[at]!)) at++;
        end = valueEnd(text, at);
      }
      parts[name] = text.slice(at, end);
      at = end;
    }
  }
}

/** Returns where the value that begins at `at` ends; the text is known to be JSON. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  do {
    const sign = text[at++]!;
    if (sign === '"') {
      for (; text[at] !== '"'; at++) if (text[at] === "\\") at++;
      at++;
    } else if (/[[{]/.test(sign)) depth++;
    else if (/[\]}]/.test(sign)) depth--;
    else if (!depth) while (/[^\s,\]}]/.test(text[at] ?? ",")) at++;
  } while (depth);
  return at;
}
