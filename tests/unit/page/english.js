// The texts of the page as the tests' reader has them.

import { readFileSync, readdirSync } from "node:fs";

import { speak } from "../../../functions/page/script/text.js";

const FOLDER = new URL("../../../functions/page/strings/", import.meta.url);

export const STRINGS = Object.fromEntries(readdirSync(FOLDER).map((name) =>
  [name.replace(".json", ""), JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"))]));

/** Let the page speak the language of a locale, as a browser with this locale gets it. */
export function readIn(locale) {
  const [language] = locale.split("-");
  speak(STRINGS[language], language, [locale]);
}
