// The texts of the page as the tests' reader has them.

import { readFileSync, readdirSync } from "node:fs";

import { speak } from "../../../functions/page/script/text.js";

const FOLDER = new URL("../../../functions/page/strings/", import.meta.url);

export const STRINGS = Object.fromEntries(readdirSync(FOLDER).map((name) =>
  [name.replace(".json", ""), JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"))]));

/** Let the page speak the first of these languages that it has. */
export function readIn(...locales) {
  return speak(STRINGS, locales);
}
