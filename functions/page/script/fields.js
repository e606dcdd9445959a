// The kinds of fields. Each has a node. `read()` returns {value}, {} for an empty field, or {fault}. `draft()` and
// `restore()` handle the typed text, also when it is not a valid answer.

import { el, foreign, foreignBlock, freshId } from "./elements.js";
import { nameOf } from "./facts.js";
import { markdownOf } from "./markdown.js";
import { typedNumber } from "./numbers.js";
import { linesParser, numberExpected, numberParser } from "./parsers.js";
import { say } from "./text.js";
import { isHiddenInField, valueText } from "./value_text.js";

/** The parts that every field has: label, hint, and a place for its fault, to which the control refers. */
export function framed({ label, marked, ownName, hint, required, id, group = false, unseen = false, faultId }, ...controls) {
  const name = [marked?.question ? markdownOf(label, { label: true }) : foreign(label), ownName === undefined ? null : el("span", { class: "quiet" }, " ", nameOf(ownName)),
    required ? null : el("span", { class: "quiet" }, ` ${say("optional")}`)];
  const help = hint ? foreignBlock("p", hint, "hint", { id: `${id}-hint` }) : null;
  const fault = el("p", { class: "fault", id: faultId });
  if (!group) {
    const line = el("label", { class: "label", for: id }, ...name);
    return el("div", { class: "field" }, line, help, ...controls, fault);
  }
  const legend = el("legend", { class: unseen ? "unseen" : null }, ...name);
  return el("fieldset", { id, tabindex: "-1" }, legend, help, ...controls, fault);
}

/**
 * The common properties of a field: `show(fault)` marks it, `target` is the id for links to it, and `expects` says what
 * its value must be, for a refusal by the service.
 */
export function finished(spec, controls, node, behaviour) {
  return {
    node,
    target: spec.id,
    label: spec.label,
    expects: spec.expects ?? say("unreadable"),
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

/** The options of a field with its ids. */
export function spec(options) {
  const id = freshId("field");
  return { id, faultId: `${id}-fault`, required: false, ...options };
}

function describedBy({ id, hint, faultId }) {
  return hint ? `${id}-hint ${faultId}` : faultId;
}

/**
 * One or several lines of text. `parse` turns the typed text into {value} or {fault}. As long as the text is untouched,
 * the value is `original`: a control changes line ends and times. `reads` gives the node that says how a text is read.
 * A required text is asked for when it is blank, unless it `mayBeEmptied`.
 */
export function textField(options) {
  const wrong = { email: say("not_email"), url: say("not_uri") };
  const own = spec({ expects: wrong[options.type], ...options });
  const { type = "text", long = false, inputmode = null, parse = (text) => ({ value: text }) } = own;
  const { autocomplete = "off", reads = withSigns } = own;
  const original = "original" in own ? own.original : own.start;
  const described = { "aria-describedby": describedBy(own), "aria-required": String(own.required) };
  const shared = { id: own.id, dir: "auto", autocomplete, inputmode, ...described };
  const control = long ? el("textarea", { ...shared, rows: 2 }) : el("input", { ...shared, type });
  control.value = own.start ?? "";
  // A control for dates drops a text that is none: it would look empty, and the text would be sent unseen.
  if (control.value === "" && own.start) {
    control.setAttribute("type", "text");
    control.value = own.start;
  }
  const initial = control.value;
  // A blank text is no value that a person chose: where one is needed, it is asked for.
  const untouched = () => original !== undefined && control.value === initial && !(own.required && original === ""
    && !own.mayBeEmptied);
  const seen = el("p", { class: "reads", role: "status" });
  const look = () => {
    const kept = untouched();
    const read = reads(kept && typeof original === "string" ? original : control.value, kept);
    seen.replaceChildren(...(read ? [read] : []));
  };
  control.addEventListener("input", look);
  look();
  return finished(own, [control], framed(own, control, seen), {
    read() {
      if (untouched()) return { value: original };
      if (!control.validity.badInput && isBlank(control.value)) {
        if (own.mayBeEmptied) return { value: control.value };
        return own.required ? { fault: say("missing") } : {};
      }
      if (control.validity.badInput) return { fault: say("unreadable") };
      if (control.validity.typeMismatch) return { fault: wrong[type] };
      return parse(control.value);
    },
    draft: () => control.value,
    restore(draft) {
      control.value = draft;
      look();
    },
    listen: (heard) => control.addEventListener("input", heard),
  });
}

/** Whether a text has nothing that a person could read. */
function isBlank(text) {
  return /^[\s\p{Cc}\p{Cf}]*$/u.test(text);
}

/** A text with signs for what a control does not show, such as an invisible character. */
function withSigns(text, untouched) {
  return isHiddenInField(text, untouched) ? el("span", {}, `${say("reads_as")} `, valueText(text)) : null;
}

/** A number or a whole number. Not a control for numbers: it rounds, and a turn of the wheel changes it. */
export function numberField(options) {
  const start = options.start === undefined ? "" : String(options.start);
  const given = { ...options, dot: start.includes(".") };
  return textField({
    ...options,
    inputmode: options.whole ? "numeric" : "decimal",
    start,
    original: options.start,
    parse: numberParser(given),
    expects: numberExpected(given),
    reads(text) {
      const value = typedNumber(text, given);
      if (value === undefined || String(value) === text.trim()) return null;
      return el("span", {}, `${say("read_as_number")} `, el("span", { class: "value number" }, String(value)));
    },
  });
}

/** Several texts, one on each line. No line is an empty list, where a list is needed or was proposed. */
export function linesField(options) {
  const field = textField({
    ...options,
    start: options.start?.join("\n"),
    original: options.start,
    hint: [options.hint, say("one_per_line")].filter(Boolean).join("\n"),
    long: true,
    parse: linesParser(options.fewest, options.most),
  });
  const { read } = field;
  const given = options.required || options.start?.length;
  return { ...field, read: () => (given && !options.fewest && isBlank(field.draft()) ? { value: [] } : read()) };
}
