// What the page says, in the reader's language, and how it writes times. Every text is in strings.json.

const ALL = JSON.parse(document.getElementById("strings").textContent);

/** The language of the reader's browser that the page speaks best, English where it speaks none. */
function chosenLanguage() {
  for (const wanted of navigator.languages) {
    const found = [wanted, wanted.split("-")[0]].find((tag) => Object.hasOwn(ALL, tag));
    if (found) return found;
  }
  return "en";
}

const LANGUAGE = chosenLanguage();
const STRINGS = { ...ALL.en, ...ALL[LANGUAGE] };
document.documentElement.lang = LANGUAGE;
document.documentElement.dir = STRINGS.direction;

/** The text of `key`, with each {name} replaced by its value. */
function say(key, values = {}) {
  return STRINGS[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** A moment as the reader's calendar and time zone have it. */
function moment(text) {
  return new Intl.DateTimeFormat(LANGUAGE, {
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
    new Intl.NumberFormat(LANGUAGE, { style: "unit", unit: name, unitDisplay: "long" }).format(Math.floor(left / length));
  const largest = seconds === 0 ? 3 : first;
  const parts = [unit(units[largest], seconds)];
  const rest = seconds % units[largest][1];
  if (largest < 3 && rest >= units[largest + 1][1]) parts.push(unit(units[largest + 1], rest));
  return parts.join(" ");
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
