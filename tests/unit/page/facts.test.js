import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { facts } from "../../../functions/page/script/facts.js";
import { readIn } from "./english.js";
import { freshDocument, within } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

const named = (node, name) => within(node).filter(({ tagName }) => tagName === name).map((found) => found.textContent);

test("a plain value is a text whose direction is its own", () => {
  const node = facts("x\u202ey");
  assert.equal(node.textContent, "x[U+202E]y");
  assert.equal(node.getAttribute("dir"), "auto");
  assert.equal(facts(null).textContent, "–");
});

test("an object is a list of names and values, whatever the names are", () => {
  const node = facts(JSON.parse('{"order_id": 7, "__proto__": true, "constructor": "c"}'));
  assert.equal(node.tagName, "DL");
  assert.deepEqual(named(node, "DT"), ["Order id", "Proto", "Constructor"]);
  assert.deepEqual(named(node, "DD"), ["7", "Yes", "c"]);
});

test("a list of plain values is one line, and a list of others is numbered", () => {
  assert.equal(facts([1, null, "a"]).textContent, "1, –, a");
  assert.deepEqual(named(facts([{ a: 1 }, 2]), "DT"), ["1", "A", "2"]);
});

test("nothing inside is said to be nothing", () => {
  assert.equal(facts([]).textContent, "–");
  assert.equal(facts({}).textContent, "–");
});

test("what lies deeper than four levels is shown as JSON, whole", () => {
  const node = facts({ a: { b: { c: { d: { e: 1 } } } } });
  assert.deepEqual(named(node, "PRE"), ['{\n  "e": 1\n}']);
});
