// The page's texts in the reader's language, and the form of times and names. Every text is in strings/<language>.json.
// The service chooses the language and sends the texts of that one.

// Set only by `speak`, before the page shows anything.
let strings;
let locale;

/** A locale that the browser can form times and numbers in: a system can give one such as `en-US@posix`. */
function usable(wanted, language) {
  try {
    return Intl.getCanonicalLocales(wanted)[0];
  } catch {
    return language;
  }
}

/** Use these texts from now on. Of the browser's `locales`, the first of the same language gives the region (`en-GB`). */
export function speak(texts, language, locales) {
  const base = (tag) => tag.split("-")[0];
  strings = texts;
  locale = usable(locales.find((tag) => base(tag) === base(language)) ?? language, language);
}

/** The text of `key`, with each {name} replaced by its value. */
export function say(key, values = {}) {
  return strings[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** A time in the reader's calendar and time zone; `more` are further parts of it. */
export function moment(time, more = {}) {
  return new Intl.DateTimeFormat(locale, {
    weekday: "short", day: "numeric", month: "short", year: "numeric",
    hour: "2-digit", minute: "2-digit", timeZoneName: "short", ...more,
  }).format(new Date(time));
}

/** A duration in milliseconds as its two largest units, such as "2 hours, 5 minutes". */
export function remaining(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const first = Math.max(0, units.findIndex(([, length]) => seconds >= length));
  const unit = ([name, length], left) =>
    new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "long" }).format(Math.floor(left / length));
  const largest = seconds === 0 ? 3 : first;
  const parts = [unit(units[largest], seconds)];
  const rest = seconds % units[largest][1];
  if (largest < 3 && rest >= units[largest + 1][1]) parts.push(unit(units[largest + 1], rest));
  // Not a space between the two: Arabic and Polish have a word for "and" there.
  return new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(parts);
}

/** The signs that the reader's language has between groups of digits and before the decimals. */
export function separators() {
  const parts = new Intl.NumberFormat(locale).formatToParts(12345.5);
  const sign = (kind) => parts.find(({ type }) => type === kind)?.value;
  return { group: sign("group"), decimal: sign("decimal") };
}

/** A text in which direction controls are visible: `000,1` must not be shown as `1,000`. */
export function plain(text) {
  const named = (sign) => `[U+${sign.codePointAt().toString(16).toUpperCase()}]`;
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, named);
}

/** A program's name as a label: `order_id` becomes `Order id`. */
export function titled(name) {
  const words = String(name).replace(/_+/g, " ").trim() || String(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
