import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { moment, plain, remaining, say, speak, titled } from "../../../functions/page/script/text.js";
import { STRINGS, readIn } from "./english.js";

process.env.TZ = "Asia/Tokyo";

beforeEach(() => readIn("en"));

test("D-26: a locale that the browser does not know is read as its language", () => {
  speak(STRINGS.en, "en", ["en-US@posix"]);
  assert.match(moment("2026-05-01T12:00:00Z"), /May/);
  assert.equal(remaining(1000), "1 second");
});

test("times have the region of the browser's first locale of the page's language, and the page's language without one", () => {
  for (const [language, locales, shown] of [
    ["en", ["de-DE", "en-GB", "en-US"], /1 May 2026/],
    ["en", ["en-US", "en-GB"], /May 1, 2026/],
    ["de", ["en-GB", "fr"], /1\. Mai 2026/],
    ["de", [], /1\. Mai 2026/],
    ["pt-BR", ["pt-PT", "pt-BR"], /maio de 2026|mai|05\/2026/],
  ]) {
    speak(STRINGS.en, language, locales);
    assert.match(moment("2026-05-01T12:00:00Z"), shown);
  }
});

test("values stand where the text names them, whatever they contain", () => {
  assert.equal(say("too_long", { limit: 3, count: 5 }), "At most 3 characters; this has 5.");
  assert.equal(say("left", { time: "$& {limit}" }), "$& {limit} left");
});

test("a moment has day, time and time zone, in the order of the reader's region", () => {
  readIn("en-GB");
  assert.match(moment("2026-03-09T16:05:00Z"), /^Tue\D*10 Mar 2026\D*01:05 (GMT\+9|JST)$/);
  readIn("en-US");
  assert.match(moment("2026-03-09T16:05:00Z"), /^Tue\D*Mar 10, 2026\D*01:05 AM (GMT\+9|JST)$/);
});

for (const [seconds, text] of [
  [-5, "0 seconds"],
  [0.9, "0 seconds"],
  [1, "1 second"],
  [59, "59 seconds"],
  [60, "1 minute"],
  [61, "1 minute, 1 second"],
  [7500, "2 hours, 5 minutes"],
  [7201, "2 hours"],
  [86399, "23 hours, 59 minutes"],
  [86400, "1 day"],
  [90000, "1 day, 1 hour"],
  [86400 * 30, "30 days"],
]) {
  test(`${seconds} seconds are left: ${text}`, () => assert.equal(remaining(seconds * 1000), text));
}

for (const [language, text] of [
  ["ar", "ساعتان و5 دقائق"],
  ["de", "2 Stunden, 5 Minuten"],
  ["ja", "2 時間 5 分"],
  ["pl", "2 godziny i 5 minut"],
]) {
  test(`two units are joined as ${language} joins them`, () => {
    readIn(language);
    assert.equal(remaining(7500 * 1000), text);
  });
}

test("signs that change the reading order are shown, and others are left alone", () => {
  assert.equal(plain("a\u202eb\u2066c\u2069"), "a[U+202E]b[U+2066]c[U+2069]");
  assert.equal(plain("עברית 1,000 – ok"), "עברית 1,000 – ok");
});

test("a program's name reads as a label", () => {
  assert.deepEqual(["order_id", "x", "__", 3, "a__b_"].map(titled), ["Order id", "X", "__", "3", "A b"]);
});
