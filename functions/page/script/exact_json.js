// JSON without loss: a number keeps the digits it is written with, and an object the order of its names. `JSON.parse`
// rounds 12345678901234567890, reads 1.0 as 1, and moves names such as "10" to the front.

/** A number that JavaScript would write in another way, with the text of the record. */
export class Digits {
  constructor(text) {
    this.text = text;
  }

  /** The nearest binary number, for comparisons such as `<`. */
  valueOf() {
    return Number(this.text);
  }

  toString() {
    return this.text;
  }
}

/** The number with this JSON text: a number of JavaScript where that has the same text, else `Digits`. */
export function numberOf(text) {
  const value = Number(text);
  return String(value) === text ? value : new Digits(text);
}

export const isNumber = (value) => typeof value === "number" || value instanceof Digits;
export const isObject = (value) => typeof value === "object" && value !== null && !(value instanceof Digits);

// The names of an object in the order of the text. Only objects that JavaScript would reorder are here.
const orders = new WeakMap();

/** The names and values of an object, in the order of the text it was read from. */
export function entriesOf(object) {
  return (orders.get(object) ?? Object.keys(object)).map((name) => [name, object[name]]);
}

/** An object's own property; inherited properties are undefined. */
export function entry(object, name) {
  return object && Object.prototype.hasOwnProperty.call(object, name) ? object[name] : undefined;
}

/** An object of these entries; every name is an own name, `__proto__` too. */
export function objectOf(entries) {
  const object = {};
  const names = entries.map(([name]) => name);
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  if (Object.keys(object).some((name, index) => name !== names[index])) orders.set(object, names);
  return object;
}

const TOKEN = new RegExp([
  "[ \\t\\n\\r]*(?:([{}[\\],:])", '("[^"\\\\]*(?:\\\\[^][^"\\\\]*)*")',
  "(-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)", "(true|false|null))",
].join("|"), "y");

/** Read JSON text. A name that an object has twice is refused: one of its two values would be lost. */
export function readJson(text) {
  let at = 0;

  function next() {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) throw new SyntaxError("not JSON");
    at = TOKEN.lastIndex;
    return found;
  }

  function value([, sign, quoted, number, word]) {
    if (quoted) return JSON.parse(quoted);
    if (number) return numberOf(number);
    if (word) return JSON.parse(word);
    if (sign === "[") return items("]", (token) => value(token));
    if (sign !== "{") throw new SyntaxError("not JSON");
    const entries = items("}", ([, , name]) => {
      if (!name || next()[1] !== ":") throw new SyntaxError("not JSON");
      return [JSON.parse(name), value(next())];
    });
    if (new Set(entries.map(([name]) => name)).size < entries.length) throw new SyntaxError("a name twice");
    return objectOf(entries);
  }

  function items(end, item) {
    const found = [];
    let token = next();
    if (token[1] === end) return found;
    for (;;) {
      found.push(item(token));
      const sign = next()[1];
      if (sign === end) return found;
      if (sign !== ",") throw new SyntaxError("not JSON");
      token = next();
    }
  }

  const read = value(next());
  if (/[^ \t\n\r]/.test(text.slice(at))) throw new SyntaxError("not JSON");
  return read;
}

/** The JSON text of a value; `quote` writes the texts. An undefined member is left out. */
export function jsonText(value, { indent = "", quote = JSON.stringify } = {}, margin = "") {
  if (typeof value === "string") return quote(value);
  if (!isObject(value)) return String(value);
  const inner = margin + indent;
  const write = (item) => jsonText(item, { indent, quote }, inner);
  const lines = Array.isArray(value) ? value.map(write) : entriesOf(value)
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => `${quote(name)}:${indent && " "}${write(item)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (!lines.length) return open + close;
  return indent ? `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${margin}${close}` : open + lines.join(",") + close;
}
