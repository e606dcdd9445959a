import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { entry, exactly, readable, written } from "../../../functions/page/script/json_values.js";
import { readIn } from "./english.js";

beforeEach(() => readIn("en"));

test("a whole number that would be rounded keeps all its digits", () => {
  const source = "12345678901234567891";
  assert.equal(exactly("", Number(source), { source }), 12345678901234567891n);
  assert.equal(exactly("", -9007199254740993, { source: "-9007199254740993" }), -9007199254740993n);
});

test("every other value is left as it is", () => {
  assert.equal(exactly("", 9007199254740991, { source: "9007199254740991" }), 9007199254740991);
  assert.equal(exactly("", 1e300, { source: "1e300" }), 1e300);
  assert.equal(exactly("", "12345678901234567891", {}), "12345678901234567891");
});

test("a browser that gives no source of a number rounds it, and fails at nothing", () => {
  assert.equal(exactly("", 2 ** 60, undefined), 2 ** 60);
});

test("an entry is an object's own and never what every object has", () => {
  assert.equal(entry({ a: 1 }, "a"), 1);
  assert.equal(entry({}, "constructor"), undefined);
  assert.equal(entry(JSON.parse('{"__proto__": 1}'), "__proto__"), 1);
  assert.equal(entry(undefined, "a"), undefined);
  assert.equal(entry(null, "a"), undefined);
});

test("a value is written for a person", () => {
  assert.deepEqual([null, undefined, ""].map(readable), ["–", "–", "–"]);
  assert.deepEqual([true, false].map(readable), ["Yes", "No"]);
  assert.deepEqual([0, 1.5, 12345678901234567891n, "x"].map(readable), ["0", "1.5", "12345678901234567891", "x"]);
  assert.equal(readable({ a: [1] }), '{\n  "a": [\n    1\n  ]\n}');
});

test("a long number inside an object is written with all its digits", () => {
  assert.equal(written({ id: 12345678901234567891n }), '{\n  "id": "12345678901234567891"\n}');
});
