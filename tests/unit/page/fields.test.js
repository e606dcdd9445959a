import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { linesField, numberField, textField } from "../../../functions/page/script/fields.js";
import { el, show } from "../../../functions/page/script/elements.js";
import { jsonText } from "../../../functions/page/script/exact_json.js";
import { readIn } from "./english.js";
import { controls, freshDocument, type } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

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

test("a long text has several lines", () => {
  const long = textField({ label: "Why", long: true });
  assert.deepEqual([long.node.tagName, controls(long.node)[0].tagName], ["DIV", "TEXTAREA"]);
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
