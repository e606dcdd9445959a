import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { choicesField, yesNoField } from "../../../functions/page/script/choices.js";
import { readIn } from "./english.js";
import { controls, freshDocument, press, type, within } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

const OPTIONS = [{ label: "Red", value: "red" }, { label: "Blue", value: "blue" }, { label: "Green", value: "green" }];

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


test("choices have a common name", () => {
  const choices = choicesField({ label: "Which", options: OPTIONS });
  assert.equal(choices.node.tagName, "FIELDSET");
  assert.match(choices.node.querySelector("legend").textContent, /^Which/);
});

const CITIES = ["Aachen", "Berlin", "Bremen", "K\u00f6ln", "Leipzig", "M\u00fcnchen", "Ulm", "Trier", "Kiel", "Bonn", "Jena"]
  .map((label) => ({ label, value: label, description: label === "Ulm" ? "On the Danube" : undefined }));

/** The labels of the choices that are not hidden. */
function shown(field) {
  return within(field.node).filter((node) => node.getAttribute("class") === "choice" && !node.hidden)
    .map((node) => node.querySelector("label").children[1].textContent);
}

test("more than ten choices can be searched, without case and accents, in their descriptions too", () => {
  const field = choicesField({ label: "City", options: CITIES });
  const [search] = controls(field.node);
  assert.equal(search.getAttribute("aria-label"), "Search in these choices: City");
  type(search, "koln");
  assert.deepEqual(shown(field), ["K\u00f6ln"]);
  assert.match(field.node.textContent, /Shown: 1 of 11/);
  type(search, "danube on");
  assert.deepEqual(shown(field), ["Ulm"]);
  type(search, "");
  assert.equal(shown(field).length, 11);
  assert.doesNotMatch(field.node.textContent, /Shown/);
});

test("ten choices have no search, and a search is no part of the answer", () => {
  assert.equal(controls(choicesField({ label: "City", options: CITIES.slice(1) }).node).length, 10);
  const field = choicesField({ label: "City", options: CITIES });
  type(controls(field.node)[0], "ulm");
  assert.deepEqual(field.read(), {});
});

test("a choice that was made stays in sight, whatever is searched", () => {
  const field = choicesField({ label: "City", options: CITIES, several: true });
  const [search, aachen] = controls(field.node);
  aachen.checked = true;
  type(search, "trier");
  assert.deepEqual(shown(field), ["Aachen", "Trier"]);
});

test("an optional choice can be cleared; the button is there only while there is a choice", () => {
  const field = choicesField({ label: "City", options: OPTIONS, start: ["blue"] });
  let heard = 0;
  field.listen(() => (heard += 1));
  const clear = field.node.querySelector("button");
  assert.deepEqual([clear.hidden, clear.getAttribute("aria-label")], [false, "Clear this choice: City"]);
  press(clear);
  assert.deepEqual([field.read(), clear.hidden, heard], [{}, true, 1]);
  assert.equal(document.focused.getAttribute("value") ?? document.focused.value, "1");
});

test("a needed choice, and one of several, has no button that clears it", () => {
  for (const given of [{ required: true }, { several: true }]) {
    assert.equal(choicesField({ label: "City", options: OPTIONS, ...given }).node.querySelector("button"), null);
  }
});
