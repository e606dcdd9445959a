// The texts of the page as the tests' reader has them.

import { readFileSync } from "node:fs";

import { speak } from "../../../functions/page/script/text.js";

const FILE = new URL("../../../functions/page/static/strings.json", import.meta.url);

export const STRINGS = JSON.parse(readFileSync(FILE, "utf8"));

/** Let the page speak the first of these languages that it has. */
export function readIn(...locales) {
  return speak(STRINGS, locales);
}
