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

const named = (node, name) => within(node).filter(({ tagName }) => tagName === name).map((found) => found.textContent);

for (const [text, shown] of [
  ["null", "No value (null)"], ['""', 'Empty text ("")'], ["[]", "Empty list ([])"], ["{}", "Empty group ({})"],
  ["true", "Yes (true)"], ["false", "No (false)"], ['"Yes"', "“Yes” text"], ['"true"', "“true” text"],
  ['"null"', "“null” text"], ["5", "5"], ['"5"', "“5” text"], ["1.0", "1.0"], ["1e3", "1e3"], ["-0", "-0"],
  ['"49,90"', "“49,90” text"], ["12345678901234567890", "12345678901234567890"], ['"[]"', "“[]”"],
  ['"Yes (true)"', "“Yes (true)”"], ['"–"', "–"], ['"2026-01-05 08:10"', "2026-01-05 08:10"],
  ['"rm -rf  /a   /b"', "rm -rf␣␣/a␣␣␣/b"], ['" a "', "“␣a␣”"], ['"a\\nb"', "a↵\nb"],
  ['"pay\\u200bpal.com"', "pay[U+200B]pal.com"], ['"x\\u202ey"', "x[U+202E]y"], ['"\\ud800"', "[U+D800]"],
]) {
  test(`D-11, D-12: ${text} reads as ${JSON.stringify(shown)}`, () => {
    assert.equal(facts(readJson(text), 1).textContent, shown);
  });
}

test("an object is a list of the caller's names and their values, in the caller's order", () => {
  const node = facts(readJson('{"order_id": 7, "__proto__": true, "to_": "c", "10": "x", "9": "y", "": 1}'));
  assert.equal(node.tagName, "DL");
  assert.deepEqual(named(node, "DT"), ["order_id", "__proto__", "to_", "10", "9", " (empty name)"]);
  assert.deepEqual(named(node, "DD"), ["7", "Yes (true)", "c", "x", "y", "1"]);
});

test("what is nested says how much there is of it, so that its end is clear", () => {
  const read = (text) => facts(readJson(text), 1).textContent;
  assert.equal(read('["a, b"]'), "(1 item)a, b");
  assert.equal(read('["a","b"]'), "(2 items)ab");
  assert.equal(read('{"a":{"b":1},"c":2}'), "(2 entries)a(1 entry)b1c2");
  assert.equal(read('{"a":{"b":1,"c":2}}'), "(1 entry)a(2 entries)b1c2");
});

test("D-15: what lies deeper is shown as JSON, whole", () => {
  const node = facts(readJson('{"a":{"b":{"c":{"d":{"e":{"f":1.0}}}}}}'));
  assert.deepEqual(named(node, "PRE"), ['{\n  "f": 1.0\n}']);
});

test("long content is folded, says how long it is, and is shown in full", () => {
  for (const [value, label, end] of [
    ["word ".repeat(400) + "end", "Show all 2003 characters", /end$/],
    ["line\n".repeat(40) + "end", "Show all 41 lines, 203 characters", /end$/],
    [Array.from({ length: 50 }, (_, index) => index), "Show all 50 items", /49$/],
  ]) {
    const node = facts(value, 1);
    const [button] = within(node).filter(({ tagName }) => tagName === "BUTTON");
    const whole = () => node.textContent.replace(button.textContent, "");
    assert.equal(button.textContent, label);
    assert.doesNotMatch(whole(), end);
    button.listeners[0].heard();
    assert.match(whole(), end);
    button.listeners[0].heard();
    assert.equal(button.textContent, label);
  }
});

test("text in both directions keeps its parts in order, and says when it runs from right to left", () => {
  assert.equal(facts("a \u05d01").textContent, "a \u05d01");
  assert.equal(facts("\u05d0 1").textContent, "⇠ \u05d0 1");
  assert.equal(facts("\u05d0 1").getAttribute("dir"), "rtl");
  assert.deepEqual(named(facts("a \u05d01"), "BDI"), ["\u05d0"]);
});
