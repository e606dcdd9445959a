// Typed numbers: every digit is kept, and nothing is computed with binary fractions.

import { numberOf } from "./exact_json.js";
import { separators } from "./text.js";

const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const GROUPED = /^\d{1,3}(?:[.,]\d{3})+$/;
// The service refuses numbers that a double cannot hold.
const LARGEST_EXPONENT = 400;

/**
 * The JSON text of a typed number, or undefined if it is none. The reader's language decides where a text could mean
 * two numbers: `1.000` is a thousand in German. With `dot`, a single dot begins the decimals in every language.
 */
export function numberText(typed, { dot = false } = {}) {
  const signs = typed.trim().replace(/[\u2212\u2013]/g, "-").replace(/(\d)[ \u00a0\u2009\u202f'\u2019](?=\d{3}(?!\d))/g, "$1")
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.codePointAt() & 0xf));
  const found = PLAIN.exec(withPoint(signs, dot) ?? "");
  if (!found || !(found[2] || found[3])) return undefined;
  const [, minus, whole, fraction = "", exponent] = found;
  const text = `${minus === "-" ? "-" : ""}${whole.replace(/^0+(?=\d)/, "") || "0"}${fraction && `.${fraction}`}`
    + (exponent === undefined ? "" : `e${exponent}`);
  const value = Number(text);
  const lost = value === 0 && /[1-9]/.test(whole + fraction);
  return Number.isFinite(value) && !lost && Math.abs(Number(exponent ?? 0)) <= LARGEST_EXPONENT ? text : undefined;
}

/** The text with its decimals after a point and without separators of groups; undefined if these make no sense. */
function withPoint(text, dot) {
  const marks = text.match(/[.,]/g) ?? [];
  const last = marks[marks.length - 1];
  const grouped = text.replace(/^[+-]/, "");
  if (!marks.length) return text;
  if (marks.length === 1) {
    const group = GROUPED.test(grouped) && !/^0/.test(grouped)
      && (last === "." ? !dot && separators().group === "." : separators().decimal !== ",");
    return group ? text.replace(last, "") : text.replace(last, ".");
  }
  const [before, after] = [text.slice(0, text.lastIndexOf(last)), text.slice(text.lastIndexOf(last) + 1)];
  // Several of one kind separate groups. Of two kinds, the last one begins the decimals.
  const bare = (part) => part.replace(/[.,]/g, "");
  const whole = before.replace(/^[+-]/, "");
  if (marks.every((mark) => mark === last)) return GROUPED.test(grouped) ? bare(text) : undefined;
  return GROUPED.test(whole) && !whole.includes(last) ? `${bare(before)}.${after}` : undefined;
}

/** The value of a typed number, with its digits. */
export function typedNumber(typed, options) {
  const text = numberText(typed, options);
  return text === undefined ? undefined : numberOf(text);
}

/** Whether a number is a whole one as JSON writes it: `5.0` is not, for a service that is strict. */
export const isWhole = (value) => /^-?\d+$/.test(String(value));

/** Less than 0, 0 or more than 0, as the first number is smaller, equal or larger. Long numbers are compared in full. */
export function compared(first, second) {
  const [left, right] = [parts(first), parts(second)];
  const exponent = Math.min(left.exponent, right.exponent);
  const at = ({ digits, exponent: own }) => digits * 10n ** BigInt(own - exponent);
  const [a, b] = [at(left), at(right)];
  return a < b ? -1 : Number(a > b);
}

function parts(number) {
  const [, minus, whole, fraction = "", exponent = "0"] = PLAIN.exec(String(number));
  const digits = BigInt(whole + fraction) * (minus === "-" ? -1n : 1n);
  return { digits, exponent: Number(exponent) - fraction.length };
}
