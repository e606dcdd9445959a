// The kinds of fields. Each has a node. `read()` returns {value}, {} for an empty field, or {fault}. `draft()` and
// `restore()` handle the typed text, also when it is not a valid answer.

import { el, foreign, foreignBlock, freshId } from "./elements.js";
import { linesParser, numberParser } from "./parsers.js";
import { say } from "./text.js";

/** The parts that every field has: label, hint, and a place for its fault, to which the control refers. */
function framed({ label, hint, required, id, group = false, unseen = false, faultId }, ...controls) {
  const name = [foreign(label), required ? null : el("span", { class: "quiet" }, ` ${say("optional")}`)];
  const help = hint ? el("p", { class: "hint foreign", dir: "auto", id: `${id}-hint` }, hint) : null;
  const fault = el("p", { class: "fault", id: faultId });
  if (!group) {
    const line = el("label", { class: "label", for: id }, ...name);
    return el("div", { class: "field" }, line, help, ...controls, fault);
  }
  const legend = el("legend", { class: unseen ? "unseen" : null }, ...name);
  return el("fieldset", { id, tabindex: "-1" }, legend, help, ...controls, fault);
}

/** The common properties of a field: `show(fault)` marks it, `target` is the id for links to it. */
function finished(spec, controls, node, behaviour) {
  return {
    node,
    target: spec.id,
    label: spec.label,
    show(fault) {
      document.getElementById(spec.faultId).textContent = fault ?? "";
      for (const control of controls) {
        if (fault) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
      }
    },
    ...behaviour,
  };
}

function spec(options) {
  const id = freshId("field");
  return { id, faultId: `${id}-fault`, required: false, ...options };
}

function describedBy({ id, hint, faultId }) {
  return hint ? `${id}-hint ${faultId}` : faultId;
}

/** One or several lines of text. `parse` turns the typed text into {value} or {fault}. */
export function textField(options) {
  const own = spec(options);
  const { type = "text", long = false, inputmode = null, parse = (text) => ({ value: text }) } = own;
  const { autocomplete = "off" } = own;
  const described = { "aria-describedby": describedBy(own), "aria-required": String(own.required) };
  const shared = { id: own.id, dir: "auto", autocomplete, inputmode, ...described };
  const control = long ? el("textarea", { ...shared, rows: 2 }) : el("input", { ...shared, type });
  control.value = own.start ?? "";
  return finished(own, [control], framed(own, control), {
    read() {
      if (control.value === "" && !control.validity.badInput) return own.required ? { fault: say("missing") } : {};
      if (control.validity.badInput) return { fault: say("unreadable") };
      if (control.validity.typeMismatch) return { fault: say(type === "email" ? "not_email" : "not_uri") };
      return parse(control.value);
    },
    draft: () => control.value,
    restore(draft) {
      control.value = draft;
    },
    listen: (heard) => control.addEventListener("input", heard),
  });
}

/** A number or a whole number. */
export function numberField(options) {
  return textField({
    ...options,
    type: "number",
    inputmode: options.whole ? "numeric" : "decimal",
    start: options.start === undefined ? "" : String(options.start),
    parse: numberParser(options),
  });
}

/** Several texts, one on each line. */
export function linesField(options) {
  return textField({
    ...options,
    start: options.start?.join("\n"),
    hint: [options.hint, say("one_per_line")].filter(Boolean).join("\n"),
    long: true,
    parse: linesParser(options.fewest, options.most),
  });
}

/** One choice with its description and preview. */
function choice({ type, name, option, index, describe }) {
  const id = freshId("choice");
  const note = option.description
    ? el("small", { class: "foreign", dir: "auto", id: `${id}-note` }, option.description) : null;
  const about = note ? `${id}-note ${describe}` : describe;
  const described = { "aria-labelledby": `${id}-label`, "aria-describedby": about };
  const input = el("input", { type, name, id, value: String(index), ...described });
  const label = el("label", { for: id }, input, foreignBlock("span", option.label, "", `${id}-label`), note);
  const preview = option.preview ? el("details", {},
    el("summary", {}, say("preview")), el("pre", { dir: "auto", tabindex: "0" }, option.preview)) : null;
  return { input, box: el("div", { class: "choice" }, label, preview) };
}

function otherText(question) {
  const label = say("other_text", { question });
  return el("input", { type: "text", dir: "auto", autocomplete: "off", "aria-label": label });
}

/** A list of choices, single or multiple; `other` offers free text too. */
export function choicesField(options) {
  const own = spec({ group: true, other: null, ...options });
  const shared = { type: own.several ? "checkbox" : "radio", name: own.id, describe: own.faultId };
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
  const brief = own.options.every((option) => !option.description && !option.preview && option.label.length <= 12);
  const look = boxes.length === 2 && brief ? "choices short" : "choices";
  const list = el("div", { class: look }, ...boxes.map(({ box }) => box));
  for (const value of own.start ?? []) {
    const index = own.options.findIndex((option) => option.value === value);
    if (index >= 0) inputs[index].checked = true;
  }
  return finished(own, inputs, framed(own, list), {
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
    },
    listen: (heard) => list.addEventListener("input", heard),
  });
}

/** Two choices, yes and no. Not a checkbox: an empty one would mean "no" for a person who has not decided. */
export function yesNoField(options) {
  const both = [true, false].map((value) => ({ label: say(value ? "yes" : "no"), value }));
  return choicesField({ ...options, options: both, start: options.start === undefined ? [] : [options.start] });
}
