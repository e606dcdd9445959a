// Times of day in the reader's time zone, as a `datetime-local` control has them, and moments with their offset.

const MINUTE = 60000;
const DAY = 1440 * MINUTE;
const ZONED = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i;

/** Whether a text is a time with its zone. */
export const isZoned = (text) => ZONED.test(text) && !Number.isNaN(Date.parse(text));

// What the reader's clock shows at a moment, counted as if it were UTC.
const clock = (at) => at - new Date(at).getTimezoneOffset() * MINUTE;

const written = (at) => new Date(clock(at)).toISOString().replace(/\.000Z$|Z$/, "");

/**
 * The recorded time as the value of a control, with its seconds if it has some; undefined for a text that is no time.
 * It has no fractions of a second: these need more room than a phone has.
 */
export function localTime(text) {
  const at = TIME.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : written(at).slice(0, 19).replace(/:00$/, "");
}

/**
 * The moments at which the reader's clock shows this local time, the earlier one first. There is none in the hour that is
 * left out in spring, and there are two in the doubled hour of autumn. Undefined for a text that is no time.
 */
export function momentsOf(local) {
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) return undefined;
  const near = [wall - DAY, wall + DAY].map((at) => wall + new Date(at).getTimezoneOffset() * MINUTE);
  const found = new Set([Date.parse(local), ...near].filter((at) => clock(at) === wall));
  return [...found].sort((first, second) => first - second);
}

/** A moment as a text with the reader's offset, such as `2026-12-24T09:30:00+01:00`. */
export function stampOf(at) {
  const offset = Math.round(-new Date(at).getTimezoneOffset());
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${written(at)}${offset < 0 ? "-" : "+"}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
}
