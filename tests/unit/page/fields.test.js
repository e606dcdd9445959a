import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { choicesField, linesField, numberField, textField, yesNoField } from "../../../functions/page/script/fields.js";
import { el, show } from "../../../functions/page/script/elements.js";
import { jsonText } from "../../../functions/page/script/exact_json.js";
import { readIn } from "./english.js";
import { controls, freshDocument, type, within } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

const OPTIONS = [{ label: "Red", value: "red" }, { label: "Blue", value: "blue" }, { label: "Green", value: "green" }];

test("a field that was left empty is missing when it is required, and no answer otherwise", () => {
  assert.deepEqual(textField({ label: "a", required: true }).read(), { fault: "This is needed." });
  assert.deepEqual(textField({ label: "a" }).read(), {});
});

test("what the browser could not read is not taken for empty", () => {
  const field = textField({ label: "a", type: "date" });
  controls(field.node)[0].validity.badInput = true;
  assert.deepEqual(field.read(), { fault: "This is not a valid value." });
});

test("an address that the browser finds wrong has the fault of its kind", () => {
  for (const [kind, fault] of [["email", "Enter an e-mail address."], ["url", /^Enter an address such as/]]) {
    const field = textField({ label: "a", type: kind });
    const [control] = controls(field.node);
    type(control, "x");
    control.validity.typeMismatch = true;
    assert.match(field.read().fault, new RegExp(fault));
  }
});

test("a field begins with its value, and restores what was typed", () => {
  const field = numberField({ label: "a", start: 0 });
  assert.equal(field.draft(), "0");
  field.restore("12");
  assert.deepEqual(field.read(), { value: 12 });
});

test("a number is a text for the browser, and what it is understood as is said where it is not what was typed", () => {
  readIn("de");
  const field = numberField({ label: "a" });
  const [control] = controls(field.node);
  assert.equal(control.getAttribute("type"), "text");
  type(control, "49,90");
  assert.match(field.node.textContent, /Verstanden als: 49\.90$/);
  assert.equal(jsonText(field.read().value), "49.90");
  type(control, "49");
  assert.doesNotMatch(field.node.textContent, /Verstanden/);
});

test("an untouched field has the value it began with, also one that the control cannot hold", () => {
  const field = textField({ label: "a", start: "a\r\nb\u200b", long: true });
  assert.match(field.node.textContent, /With hidden characters shown: a\[U\+000D\]↵\nb\[U\+200B\]$/);
  const [control] = controls(field.node);
  const wanted = control.value;
  assert.deepEqual(field.read(), { value: "a\r\nb\u200b" });
  type(control, "a  b ❤️ ");
  assert.deepEqual(field.read(), { value: "a  b ❤️ " });
  assert.doesNotMatch(field.node.textContent, /hidden/);
  type(control, wanted);
  assert.deepEqual(field.read(), { value: "a\r\nb\u200b" });
});

test("a fault is shown at the control that points at it, and taken back", () => {
  const field = textField({ label: "a", hint: "h" });
  const [control] = controls(field.node);
  show(field.node);
  field.show("Wrong.");
  const [hint, fault] = control.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id));
  assert.deepEqual([hint.textContent, fault.textContent], ["h", "Wrong."]);
  assert.equal(control.getAttribute("aria-invalid"), "true");
  field.show(null);
  assert.deepEqual([fault.textContent, control.getAttribute("aria-invalid")], ["", null]);
});

test("one choice is a value, and several are a list in the order of the options", () => {
  const one = choicesField({ label: "a", options: OPTIONS });
  controls(one.node)[1].checked = true;
  assert.deepEqual(one.read(), { value: "blue" });
  const several = choicesField({ label: "a", options: OPTIONS, several: true });
  for (const index of [2, 0]) controls(several.node)[index].checked = true;
  assert.deepEqual(several.read(), { value: ["red", "green"], other: null });
});

test("no choice is a fault where one is required", () => {
  const read = (given) => choicesField({ label: "a", options: OPTIONS, ...given }).read();
  assert.deepEqual(read({ required: true }), { fault: "Choose one." });
  assert.deepEqual(read({ required: true, several: true }), { fault: "Choose at least 1." });
  assert.deepEqual(read({}), {});
});

test("text of one's own needs its choice, has a limit, and chooses itself when it is typed", () => {
  const field = choicesField({ label: "a", options: OPTIONS, other: { longest: 3 } });
  const [, , , other, text] = controls(field.node);
  other.checked = true;
  assert.deepEqual(field.read(), { fault: "Write your answer, or choose another option." });
  other.checked = false;
  type(text, "🙂🙂🙂");
  assert.equal(other.checked, true);
  assert.deepEqual(field.read(), { value: [], other: "🙂🙂🙂" });
  type(text, "four");
  assert.deepEqual(field.read(), { fault: "At most 3 characters; this has 4." });
});

test("choices have a common name, and text has a label of its own", () => {
  const long = textField({ label: "Why", long: true });
  assert.deepEqual([long.node.tagName, controls(long.node)[0].tagName], ["DIV", "TEXTAREA"]);
  const choices = choicesField({ label: "Which", options: OPTIONS });
  assert.equal(choices.node.tagName, "FIELDSET");
  assert.match(choices.node.querySelector("legend").textContent, /^Which/);
});

test("what was chosen and written beside it is restored", () => {
  const drawn = () => choicesField({ label: "a", options: OPTIONS, several: true, other: { longest: 9 } });
  const before = drawn();
  const inputs = controls(before.node);
  inputs[1].checked = true;
  type(inputs.at(-1), "x");
  const after = drawn();
  after.restore(JSON.parse(JSON.stringify(before.draft())));
  assert.deepEqual(after.read(), { value: ["blue"], other: "x" });
});

test("two short options stand beside each other, and options with a description do not", () => {
  const drawn = (options) => within(choicesField({ label: "a", options }).node);
  const look = (options) => drawn(options).map((node) => node.getAttribute("class"));
  assert.ok(look(OPTIONS.slice(1)).includes("choices short"));
  assert.ok(!look(OPTIONS).includes("choices short"));
  assert.ok(!look([OPTIONS[0], { ...OPTIONS[1], description: "d" }]).includes("choices short"));
});

test("neither yes nor no is chosen beforehand, and no is an answer", () => {
  const field = yesNoField({ label: "a", required: true });
  assert.deepEqual(field.read(), { fault: "Choose one." });
  const [yes, no] = controls(field.node);
  yes.checked = true;
  assert.deepEqual(field.read(), { value: true });
  yes.checked = false;
  no.checked = true;
  assert.deepEqual(field.read(), { value: false });
  assert.deepEqual(yesNoField({ label: "a", start: false }).read(), { value: false });
});

test("lines begin one below the other and are read as a list", () => {
  const field = linesField({ label: "a", start: ["x", "y"], fewest: 0, most: 5 });
  assert.equal(field.draft(), "x\ny");
  assert.deepEqual(field.read(), { value: ["x", "y"] });
});

test("what is typed into a field is heard", () => {
  let heard = 0;
  const field = textField({ label: el("b", {}) });
  field.listen(() => (heard += 1));
  type(controls(field.node)[0], "x");
  assert.equal(heard, 1);
});
