// What a person has entered in a form that leaves the page: it stays readable, so that nothing typed is lost.

import { el, foreign, labelled } from "./elements.js";
import { jsonText } from "./exact_json.js";
import { say } from "./text.js";
import { valueText } from "./value_text.js";

/** Returns a function that shows what has been entered in the form since now, or returns null if nothing has. */
export function entries(form) {
  const before = new Map(form.all().map((field) => [field, jsonText(field.draft())]));
  return () => {
    const changed = form.all().filter((field) => !field.inner && jsonText(field.draft()) !== before.get(field));
    const pairs = changed.map((field) => [field.label, entered(field)]).filter(([, texts]) => texts.length);
    return pairs.length ? el("details", { class: "sheet typed", open: true }, el("summary", {}, say("typed")),
      labelled(pairs.map(([label, texts]) => [foreign(label), ...texts.map(valueText)]))) : null;
  };
}

/** The texts that a field holds: what was typed, and the labels of what was chosen. */
function entered(field) {
  const draft = field.draft();
  if (typeof draft === "string") return draft ? [draft] : [];
  if (!Array.isArray(draft?.ticked)) return [jsonText(draft)];
  const chosen = [...field.node.querySelectorAll("label input:checked")].map((input) => input.nextSibling.textContent);
  return draft.text ? [...chosen, draft.text] : chosen;
}
