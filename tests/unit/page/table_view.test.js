import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { readJson } from "../../../functions/page/script/exact_json.js";
import { facts } from "../../../functions/page/script/facts.js";
import { readIn } from "./english.js";
import { freshDocument, within } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

const all = (node, ...names) => within(node).filter(({ tagName }) => names.includes(tagName));
const table = (text) => all(facts(readJson(text), 1), "TR").map((row) => all(row, "TH", "TD").map((cell) => cell.textContent));

test("a list of objects with the same names is a table: the caller's names and order, and values as they are elsewhere", () => {
  assert.deepEqual(table('[{"to_":"5","10":1.0,"9":true},{"to_":"a  b","10":2,"9":null}]'), [
    ["to_", "10", "9"], ["“5” text", "1.0", "Yes (true)"], ["a␣␣b", "2", "No value (null)"]]);
});

test("a name that is not there, null and an empty text differ", () => {
  assert.deepEqual(table('[{"a":1,"b":""},{"a":2,"b":null},{"a":3},{"a":4,"b":"(not given)"}]'), [
    ["a", "b"], ["1", 'Empty text ("")'], ["2", "No value (null)"], ["3", " (not given)"], ["4", "“(not given)”"]]);
});

test("a wide table scrolls in a group that the keyboard reaches and that has a name", () => {
  const node = facts(readJson('[{"a":1,"b":2},{"a":3,"b":4}]'), 1);
  const frame = within(node).find((each) => each.getAttribute("tabindex") === "0");
  assert.deepEqual([frame.getAttribute("role"), frame.getAttribute("aria-label")], ["group", "2 items"]);
});

test("a long table is folded, and says how many rows it has", () => {
  const node = facts(Array.from({ length: 200 }, (_, at) => ({ a: at, b: "x" })), 1);
  assert.equal(all(node, "BUTTON")[0].textContent, "Show all 200 items");
  assert.equal(all(node, "TR").length, 11);
});

for (const [what, text] of [
  ["one object", '[{"a":1,"b":2}]'],
  ["one name each", '[{"a":1},{"a":2}]'],
  ["names in another order", '[{"a":1,"b":2},{"b":1,"a":2}]'],
  ["a name that the fullest one does not have", '[{"a":1,"b":2},{"a":1,"c":2}]'],
  ["an object without names", '[{"a":1,"b":2},{}]'],
  ["a value that is no object", '[{"a":1,"b":2},3]'],
  ["a group in a cell", '[{"a":1,"b":[2]},{"a":1,"b":3}]'],
  ["more than six names", JSON.stringify([1, 2].map(() => ({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 })))],
  ["a long text", JSON.stringify([1, 2].map(() => ({ a: 1, b: "word ".repeat(30) })))],
]) {
  test(`a list with ${what} is no table`, () => assert.deepEqual(table(text), []));
}
