import assert from "node:assert/strict";
import { test } from "node:test";

import { numberOf } from "../../../functions/page/script/exact_json.js";
import { compared, numberText } from "../../../functions/page/script/numbers.js";
import { readIn } from "./english.js";

for (const [typed, english, german] of [
  ["49,90", "49.90", "49.90"],
  ["49.90", "49.90", "49.90"],
  ["1.000,50", "1000.50", "1000.50"],
  ["1,000.50", "1000.50", "1000.50"],
  ["1,000", "1000", "1.000"],
  ["1.000", "1.000", "1000"],
  ["1,000,000", "1000000", "1000000"],
  ["1.000.000", "1000000", "1000000"],
  ["0.10", "0.10", "0.10"],
  ["0.125", "0.125", "0.125"],
  ["1234.567", "1234.567", "1234.567"],
  ["1 000,5", "1000.5", "1000.5"],
  ["12\u202f345", "12345", "12345"],
  ["1'000", "1000", "1000"],
  [" 7 ", "7", "7"],
  ["-5", "-5", "-5"],
  ["\u22125", "-5", "-5"],
  ["+5", "5", "5"],
  ["007", "7", "7"],
  [".5", "0.5", "0.5"],
  ["1e3", "1e3", "1e3"],
  ["653247040368672768", "653247040368672768", "653247040368672768"],
  ["12345678901234567891", "12345678901234567891", "12345678901234567891"],
  ["\u0661\u0662", "12", "12"],
]) {
  test(`D-18: ${typed} is ${english} in English and ${german} in German`, () => {
    readIn("en");
    assert.equal(numberText(typed), english);
    readIn("de");
    assert.equal(numberText(typed), german);
  });
}

test("D-18: what could be no number is none", () => {
  readIn("en");
  for (const typed of ["", "x", "1,00,0", "1.2.3", "1,000,00", "1.000,000.5", "1 2", "--1", "1e", "e5", "NaN", "Infinity",
    "0x10", "1e999", "1e-999", "12,34,567", ",", "$5", "5%"]) {
    assert.equal(numberText(typed), undefined, typed);
  }
});

test("where the number began with a dot, a dot begins the decimals in every language", () => {
  readIn("de");
  assert.equal(numberText("1.126", { dot: true }), "1.126");
});

test("numbers are compared in full", () => {
  const compare = (first, second) => compared(numberOf(first), numberOf(second));
  assert.equal(compare("9007199254740993", "9007199254740992"), 1);
  assert.equal(compare("0.1000000000000000001", "0.1"), 1);
  assert.equal(compare("1e3", "1000.0"), 0);
  assert.equal(compare("-1.5", "-1.4"), -1);
  assert.equal(compare("-0", "0"), 0);
});
