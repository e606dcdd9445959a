// The kinds of field. Each has a node, `read()` giving {value}, {} when it was left empty, or {fault}, and
// `draft()` and `restore()` for what was typed, whether it is an answer yet or not.

const LONG_TEXT = 120;

/** The parts that every field shares: label, hint, and a place for what is wrong, which the control points at. */
function framed({ label, hint, required, id, group = false, unseen = false, faultId }, ...controls) {
  const name = [foreign(label), required ? null : el("span", { class: "quiet" }, ` ${say("optional")}`)];
  const help = hint ? el("p", { class: "hint foreign", dir: "auto", id: `${id}-hint` }, hint) : null;
  const fault = el("p", { class: "fault", id: faultId });
  if (group) return el("fieldset", { id, tabindex: "-1" }, el("legend", { class: unseen ? "unseen" : null }, ...name), help, ...controls, fault);
  return el("div", { class: "field" }, el("label", { class: "label", for: id }, ...name), help, ...controls, fault);
}

/** Give a field its faces: `show(fault)` marks it, `target` is what a link to it goes to. */
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

/** A line or several lines of text. `parse` turns what was typed into {value} or {fault}. */
function textField(options) {
  const own = spec(options);
  const { type = "text", long = false, inputmode = null, autocomplete = "off", parse = (text) => ({ value: text }) } = own;
  const shared = { id: own.id, dir: "auto", autocomplete, inputmode, "aria-describedby": describedBy(own), "aria-required": String(own.required) };
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

/** A number, or a whole one. */
function numberField(options) {
  const { whole = false, minimum = null, maximum = null } = options;
  return textField({
    ...options,
    type: "number",
    inputmode: whole ? "numeric" : "decimal",
    start: options.start === undefined ? "" : String(options.start),
    parse(text) {
      const value = Number(text);
      if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) return { fault: say(whole ? "not_whole" : "not_number") };
      if (minimum !== null && value < minimum) return { fault: say("too_small", { limit: minimum }) };
      if (maximum !== null && value > maximum) return { fault: say("too_large", { limit: maximum }) };
      return { value };
    },
  });
}

/** Text of a length. Characters are counted as the service counts them, not as UTF-16 does. */
function lengthChecked(minimum, maximum) {
  return (text) => {
    const count = [...text].length;
    if (count < minimum) return { fault: say("too_short", { limit: minimum }) };
    if (count > maximum) return { fault: say("too_long", { limit: maximum, count }) };
    return { value: text };
  };
}

/** One choice with its description and preview. */
function choice({ type, name, option, index, describe }) {
  const id = freshId("choice");
  const note = option.description ? el("small", { class: "foreign", dir: "auto", id: `${id}-note` }, option.description) : null;
  const input = el("input", { type, name, id, value: String(index), "aria-labelledby": `${id}-label`, "aria-describedby": note ? `${id}-note ${describe}` : describe });
  const preview = option.preview
    ? el("details", {}, el("summary", {}, say("preview")), el("pre", { dir: "auto", tabindex: "0" }, option.preview)) : null;
  return { input, box: el("div", { class: "choice" }, el("label", { for: id }, input, foreignBlock("span", option.label, "", `${id}-label`), note), preview) };
}

/** Choices of which one or several are taken; `other` offers free text beside them. */
function choicesField(options) {
  const own = spec({ group: true, other: null, ...options });
  const type = own.several ? "checkbox" : "radio";
  const drawn = own.options.map((option, index) => choice({ type, name: own.id, option, index, describe: own.faultId }));
  const other = own.other ? choice({ type, name: own.id, option: { label: say("other") }, index: "other", describe: own.faultId }) : null;
  const text = own.other ? el("input", { type: "text", dir: "auto", autocomplete: "off", "aria-label": say("other_text", { question: own.label }) }) : null;
  const boxes = [...drawn, ...(other ? [other] : [])];
  const inputs = boxes.map(({ input }) => input);
  const ticked = () => drawn.flatMap(({ input }, index) => (input.checked ? [own.options[index].value] : []));
  if (other) {
    other.box.append(text);
    text.addEventListener("input", () => {
      if (text.value) other.input.checked = true;
    });
  }
  const short = boxes.length === 2 && own.options.every((option) => !option.description && !option.preview && option.label.length <= 12);
  const list = el("div", { class: short ? "choices short" : "choices" }, ...boxes.map(({ box }) => box));
  for (const value of own.start ?? []) {
    const index = own.options.findIndex((option) => option.value === value);
    if (index >= 0) inputs[index].checked = true;
  }
  return finished(own, inputs, framed(own, list), {
    read() {
      const values = ticked();
      const written = other?.input.checked ?? false;
      if (written && !text.value.trim()) return { fault: say("other_missing") };
      if (written && [...text.value].length > own.other.longest) return { fault: say("too_long", { limit: own.other.longest, count: [...text.value].length }) };
      if (!values.length && !written) return own.required ? { fault: own.several ? say("too_few", { limit: 1 }) : say("choose") } : {};
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

/** Several texts, each on a line of its own. */
function linesField(options) {
  const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
  const field = textField({
    ...options,
    start: options.start?.join("\n"),
    hint: [options.hint, say("one_per_line")].filter(Boolean).join("\n"),
    long: true,
    parse(text) {
      const value = lines(text);
      if (value.length < options.fewest) return { fault: say("too_few_lines", { limit: options.fewest }) };
      if (value.length > options.most) return { fault: say("too_many_lines", { limit: options.most, count: value.length }) };
      return { value };
    },
  });
  return field;
}

/** Yes or no, and nothing in between: an empty tick box would say no for somebody who has not decided. */
function yesNoField(options) {
  const both = [true, false].map((value) => ({ label: say(value ? "yes" : "no"), value }));
  return choicesField({ ...options, options: both, start: options.start === undefined ? [] : [options.start] });
}
