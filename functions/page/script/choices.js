// Fields of choices, one or several. A list of more than ten can be searched, and an optional choice can be cleared.

import { el, foreignBlock, freshId } from "./elements.js";
import { jsonText } from "./exact_json.js";
import { finished, framed, spec } from "./fields.js";
import { markdownOf } from "./markdown.js";
import { say } from "./text.js";
import { valueText } from "./value_text.js";

const MANY = 10;

/** One choice with its description and preview. */
function choice({ type, name, option, index, describe, marked = {} }) {
  const id = freshId("choice");
  const note = !option.description ? null
    : marked.description ? el("div", { class: "small", id: `${id}-note` }, markdownOf(option.description, { label: true }))
    : foreignBlock("small", option.description, "", { id: `${id}-note` });
  const about = note ? `${id}-note ${describe}` : describe;
  const described = { "aria-labelledby": `${id}-label`, "aria-describedby": about };
  const input = el("input", { type, name, id, value: String(index), ...described });
  const shown = option.shown ? el("span", { id: `${id}-label` }, option.shown())
    : foreignBlock("span", option.label, "", { id: `${id}-label` });
  const label = el("label", { for: id }, input, shown, note);
  const preview = option.preview ? el("details", {}, el("summary", {}, say("preview")),
    marked.preview ? markdownOf(option.preview) : valueText(option.preview)) : null;
  return { input, box: el("div", { class: "choice" }, label, preview) };
}

function otherText(question) {
  const label = say("other_text", { question });
  return el("input", { type: "text", dir: "auto", autocomplete: "off", "aria-label": label });
}

/** A text without case and accents, for a search. */
const simple = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** A text field that leaves only the choices with its words. A choice that was made stays, or it would be sent unseen. */
function searchOf({ options, label }, drawn) {
  const texts = options.map((option) => simple(`${option.label}\n${option.description ?? ""}`));
  const said = el("p", { class: "reads", role: "status" });
  const field = el("input", {
    type: "search",
    dir: "auto",
    autocomplete: "off",
    placeholder: say("search_choices"),
    "aria-label": `${say("search_choices")}: ${label}`,
    oninput() {
      const words = simple(field.value).split(/\s+/).filter(Boolean);
      let count = 0;
      drawn.forEach(({ input, box }, index) => {
        const found = words.every((word) => texts[index].includes(word));
        box.hidden = !found && !input.checked;
        count += Number(found);
      });
      said.textContent = words.length ? say("choices_shown", { count, total: drawn.length }) : "";
    },
  });
  return el("div", { class: "search" }, field, said);
}

/** A list of choices, single or multiple; `other` offers free text too. */
export function choicesField(options) {
  const own = spec({ group: true, other: null, expects: say(options.several ? "several" : "choose"), ...options });
  const shared = { type: own.several ? "checkbox" : "radio", name: own.id, describe: own.faultId, marked: own.marked };
  const drawn = own.options.map((option, index) => choice({ ...shared, option, index }));
  const other = own.other ? choice({ ...shared, option: { label: say("other") }, index: "other" }) : null;
  const text = own.other ? otherText(own.label) : null;
  const boxes = [...drawn, ...(other ? [other] : [])];
  const inputs = boxes.map(({ input }) => input);
  const ticked = () => drawn.flatMap(({ input }, index) => (input.checked ? [own.options[index].value] : []));
  if (other) {
    other.box.append(text);
    text.addEventListener("input", () => {
      if (text.value) other.input.checked = true;
    });
  }
  const heards = [];
  const changed = () => {
    if (clear) clear.hidden = !inputs.some(({ checked }) => checked);
    for (const heard of heards) heard();
  };
  // A radio button that is pressed once cannot be released. The focus stays in the field: the button hides itself.
  const clear = own.required || own.several ? null : el("button", {
    type: "button",
    class: "plain",
    "aria-label": `${say("clear_choice")}: ${own.label}`,
    onclick() {
      const chosen = inputs.find(({ checked }) => checked);
      chosen.checked = false;
      chosen.focus();
      changed();
    },
  }, say("clear_choice"));
  const brief = own.options.every((option) => !option.description && !option.preview && option.label.length <= 12);
  const look = boxes.length === 2 && brief ? "choices short" : "choices";
  const search = own.options.length > MANY ? searchOf(own, drawn) : null;
  const list = el("div", { class: search ? `${look} many` : look }, ...boxes.map(({ box }) => box));
  list.addEventListener("input", changed);
  for (const value of own.start ?? []) {
    const index = own.options.findIndex((option) => jsonText(option.value) === jsonText(value));
    if (index >= 0) inputs[index].checked = true;
  }
  changed();
  return finished(own, inputs, framed(own, search, list, clear), {
    read() {
      const values = ticked();
      const written = other?.input.checked ?? false;
      if (written && !text.value.trim()) return { fault: say("other_missing") };
      const count = written ? [...text.value].length : 0;
      const limit = own.other?.longest;
      if (count > limit) return { fault: say("too_long", { limit, count }) };
      if (!values.length && !written) {
        if (!own.required) return {};
        return { fault: own.several ? say("too_few", { limit: 1 }) : say("choose") };
      }
      return own.several || own.other ? { value: values, other: written ? text.value : null } : { value: values[0] };
    },
    draft: () => ({ ticked: inputs.map((input) => input.checked), text: text?.value ?? "" }),
    restore(draft) {
      inputs.forEach((input, index) => (input.checked = draft.ticked?.[index] ?? false));
      if (text) text.value = draft.text ?? "";
      changed();
    },
    listen: (heard) => heards.push(heard),
  });
}

/** Two choices, yes and no. Not a checkbox: an empty one would mean "no" for a person who has not decided. */
export function yesNoField(options) {
  const both = [true, false].map((value) => ({ label: say(value ? "yes" : "no"), value }));
  return choicesField({ ...options, options: both, start: options.start === undefined ? [] : [options.start] });
}
