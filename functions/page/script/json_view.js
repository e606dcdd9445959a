// The exact JSON text of a value, with a button that copies it. What cannot be seen is written as an escape.

import { el } from "./elements.js";
import { jsonText } from "./exact_json.js";
import { escaped } from "./signs.js";
import { say } from "./text.js";

/** The JSON text of a value, on several lines. */
export function shownJson(value) {
  return jsonText(value, { indent: "  ", quote: escaped });
}

/** A block with JSON text. */
export function jsonBlock(value) {
  return el("pre", { class: "code", dir: "ltr", tabindex: "0" }, shownJson(value));
}

/** "View as JSON": closed until it is wanted. */
export function jsonView(value) {
  const said = el("span", { class: "quiet", role: "status" });
  const inside = el("div", {});
  const copy = el("button", { type: "button", class: "plain", onclick: copied }, say("copy"));

  async function copied() {
    try {
      await navigator.clipboard.writeText(shownJson(value));
      said.textContent = say("copied");
    } catch {
      // Without a secure origin, or where it is forbidden: select the text, so that the person can copy it.
      getSelection().selectAllChildren(inside.firstChild);
      said.textContent = say("selected");
    }
  }

  return el("details", {
    class: "json",
    ontoggle: () => inside.firstChild || inside.append(jsonBlock(value), copy, " ", said),
  }, el("summary", {}, say("view_json")), inside);
}
