import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { lengthParser, linesParser, numberExpected, numberParser, parseJson } from "../../../functions/page/script/parsers.js";
import { numberOf } from "../../../functions/page/script/exact_json.js";
import { readIn } from "./english.js";

beforeEach(() => readIn("en"));

test("both limits of a number are allowed, and what is beyond them is not", () => {
  const parse = numberParser({ minimum: -1, maximum: 2.5 });
  assert.deepEqual(["-1", "2.5"].map(parse), [{ value: -1 }, { value: 2.5 }]);
  assert.deepEqual(parse("-1.01"), { fault: "At least -1." });
  assert.deepEqual(parse("2.51"), { fault: "At most 2.5." });
});

test("a limit of zero is a limit", () => {
  assert.deepEqual(numberParser({ minimum: 0 })("-1"), { fault: "At least 0." });
  assert.deepEqual(numberParser({ maximum: 0 })("1"), { fault: "At most 0." });
});

test("a limit that is not included is none itself", () => {
  const parse = numberParser({ exclusiveMinimum: 0, exclusiveMaximum: 2 });
  assert.deepEqual(["0", "0.01", "2"].map(parse).map(({ fault }) => fault), ["More than 0.", undefined, "Less than 2."]);
  assert.equal(numberExpected({ whole: true, exclusiveMinimum: 0, maximum: 9, multipleOf: 3 }),
    "Enter a whole number. At most 9. More than 0. A multiple of 3.");
});

test("what is no number, or is too large to be one, is not read", () => {
  const parse = numberParser({});
  assert.deepEqual(["x", "1e999"].map(parse), Array(2).fill({ fault: "Enter a number." }));
});

test("a whole number has no fraction, and all its digits are kept and compared", () => {
  const parse = numberParser({ whole: true, maximum: numberOf("12345678901234567890") });
  assert.deepEqual(parse("9007199254740991"), { value: 9007199254740991 });
  assert.equal(String(parse("9007199254740993").value), "9007199254740993");
  assert.deepEqual(parse("12345678901234567891"), { fault: "At most 12345678901234567890." });
  assert.deepEqual(["1.5", "1.0", "1e3"].map(parse), Array(3).fill({ fault: "Enter a whole number." }));
});

test("characters are counted as the service counts them", () => {
  const parse = lengthParser(2, 3);
  assert.deepEqual(parse("🙂🙂🙂"), { value: "🙂🙂🙂" });
  assert.deepEqual(parse("🙂"), { fault: "At least 2 characters." });
  assert.deepEqual(parse("abcd"), { fault: "At most 3 characters; this has 4." });
});

test("lines are trimmed, and empty ones count for nothing", () => {
  const parse = linesParser(1, 2);
  assert.deepEqual(parse(" a \n\n b\n"), { value: ["a", "b"] });
  assert.deepEqual(parse(" \n"), { fault: "At least 1 lines." });
  assert.deepEqual(parse("a\nb\nc"), { fault: "At most 2 lines; this has 3." });
});

test("JSON is read, and what is not JSON is a fault", () => {
  assert.deepEqual(parseJson('{"a": [1]}'), { value: { a: [1] } });
  assert.deepEqual(parseJson("{a: 1}"), { fault: "This is not JSON." });
});
