// What the page says, in the reader's language, and how it writes times. Every text is in strings.json.

const ALL = JSON.parse(document.getElementById("strings").textContent);

/** The reader's first language that the page speaks, as `en`, and as `en-GB` for times and numbers. */
function chosenLanguage() {
  for (const locale of navigator.languages) {
    const language = [locale, locale.split("-")[0]].find((tag) => Object.hasOwn(ALL, tag));
    if (language) return [language, locale];
  }
  return ["en", "en"];
}

const [LANGUAGE, LOCALE] = chosenLanguage();
const STRINGS = { ...ALL.en, ...ALL[LANGUAGE] };
document.documentElement.lang = LANGUAGE;
document.documentElement.dir = STRINGS.direction;

/** The text of `key`, with each {name} replaced by its value. */
function say(key, values = {}) {
  return STRINGS[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** A moment as the reader's calendar and time zone have it. */
function moment(text) {
  return new Intl.DateTimeFormat(LOCALE, {
    weekday: "short", day: "numeric", month: "short", year: "numeric",
    hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  }).format(new Date(text));
}

/** What is left of a time in milliseconds: its two largest units, such as "2 hours 5 minutes". */
function remaining(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const first = Math.max(0, units.findIndex(([, length]) => seconds >= length));
  const unit = ([name, length], left) =>
    new Intl.NumberFormat(LOCALE, { style: "unit", unit: name, unitDisplay: "long" }).format(Math.floor(left / length));
  const largest = seconds === 0 ? 3 : first;
  const parts = [unit(units[largest], seconds)];
  const rest = seconds % units[largest][1];
  if (largest < 3 && rest >= units[largest + 1][1]) parts.push(unit(units[largest + 1], rest));
  return parts.join(" ");
}

/** A text with what would make parts of it read in another order made visible: `1,000` must not be shown for `000,1`. */
function plain(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (sign) => `[U+${sign.codePointAt().toString(16).toUpperCase()}]`);
}

/** A property of its own that an object has, and nothing that every object has. */
function entry(object, name) {
  return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A JSON value as a person reads it. */
function readable(value) {
  if (value === null || value === undefined || value === "") return say("none");
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (typeof value === "string") return value;
  if (typeof value === "object") return written(value);
  return String(value);
}

/** A value as JSON for reading; a whole number that JavaScript could not hold has all its digits. */
function written(value) {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}` : item), 2);
}
