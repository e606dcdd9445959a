import assert from "node:assert/strict";
import { test } from "node:test";

import { Digits, entriesOf, entry, jsonText, readJson } from "../../../functions/page/script/exact_json.js";

for (const text of [
  "null", "true", '""', "[]", "{}", "0", "-0", "1.0", "1e3", "1E+03", "0.10", "12345678901234567890", "-1.50e-7",
  '{"b":1,"10":2,"9":[3,{"2":1,"1":0}],"__proto__":{"a":null}}', '["\\ud800",""," é\\u0007\\"\\\\"]',
]) {
  test(`${text} is written as it was read`, () => assert.equal(jsonText(readJson(text)), text));
}

test("what every parser refuses is refused, and a name twice too", () => {
  for (const text of ["", "{", "[1,]", "[1 2]", "01", "+1", "1.", ".5", "nul", '{"a":1,}', '{"a" 1}', '{a:1}', '"\n"',
    "'a'", "1 2", "]", "[}", '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '"\\x"', "NaN", "\ufeff1"]) {
    assert.throws(() => readJson(text), SyntaxError, text);
  }
});

test("a number that JavaScript writes alike is a plain one, and others compute", () => {
  assert.equal(readJson(" 7\n"), 7);
  const long = readJson("12345678901234567890");
  assert.ok(long instanceof Digits);
  assert.ok(long > 12345678901234560000 && `${long}` === "12345678901234567890");
});

test("text with indentation is that of JSON.stringify, in the order of the record", () => {
  const value = { a: [1, { b: [] }], c: {}, d: "x" };
  assert.equal(jsonText(value, { indent: "  " }), JSON.stringify(value, null, 2));
  assert.equal(jsonText({ a: undefined, b: 1 }), '{"b":1}');
  assert.deepEqual(entriesOf(readJson('{"2":"a","1":"b"}')), [["2", "a"], ["1", "b"]]);
});

test("deep and long texts are read", () => {
  assert.equal(jsonText(readJson("[".repeat(100) + "]".repeat(100))), "[".repeat(100) + "]".repeat(100));
  assert.equal(readJson(`"${"a\\n".repeat(200000)}"`).length, 400000);
});

test("an entry is an object's own and never what every object has", () => {
  assert.equal(entry({ a: 1 }, "a"), 1);
  assert.equal(entry({}, "constructor"), undefined);
  assert.equal(entry(readJson('{"__proto__": 1}'), "__proto__"), 1);
  assert.equal(entry(undefined, "a"), undefined);
  assert.equal(entry(null, "a"), undefined);
});
