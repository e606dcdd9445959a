import assert from "node:assert/strict";
import { test } from "node:test";

import { escaped, piecesOf } from "../../../functions/page/script/signs.js";

const read = (text, options) =>
  piecesOf(text, options).map(({ text: plain, own, code }) => plain ?? own ?? `[${code}]`).join("");
const strict = (text) => read(text, { strict: true });

test("D-10: indentation is kept as it is, and white space that is not seen has a sign", () => {
  assert.equal(strict("def f(x):\n    if x:\n        go()"), "def f(x):↵    if x:↵        go()");
  assert.equal(strict("rm -rf  /a   /b"), "rm -rf␣␣/a␣␣␣/b");
  assert.equal(strict(" a \n b\t\n  \n"), " a␣↵ b⇥↵␣␣↵");
  assert.equal(strict("\ta \t b"), "⇥a␣⇥␣b");
  assert.equal(strict("x\n \ta"), "x↵␣⇥a");
  assert.equal(strict(" a "), "␣a␣");
});

for (const [text, shown] of [
  ["pay\u200bpal.com", "pay[U+200B]pal.com"],
  ["\u200f12 34 56", "[U+200F]12 34 56"],
  ["\u202e000,1", "[U+202E]000,1"],
  ["a\u00a0b\u3000c", "a[U+00A0]b[U+3000]c"],
  ["\u0000\u0007\u007f\u0085\r", "[U+0000][U+0007][U+007F][U+0085][U+000D]"],
  ["\ud800a\udfff", "[U+D800]a[U+DFFF]"],
  ["\u115f\u3164\u2800\u034f\u{e0061}", "[U+115F][U+3164][U+2800][U+034F][U+E0061]"],
  ["Cafe\u0301", "Cafe[U+0301]"],
  ["Café", "Café"],
  ["\u212a\u212b\u2126", "[U+212A][U+212B][U+2126]"],
  ["\u0301a", "[U+0301]a"],
  ["\u200b\u0301", "[U+200B][U+0301]"],
  ["p\u0430ypal", "p[U+0430]ypal"],
  ["\u0440\u0430\u0443\u0440\u0430\u04cf", "[U+0440][U+0430][U+0443][U+0440][U+0430][U+04CF]"],
  ["\u1100\u1161 \uac00", "[U+1100][U+1161] \uac00"],
  ["\u3164\uff41", "[U+3164][U+FF41]"],
  ["\u03bf\u0435", "[U+03BF][U+0435]"],
  ["Оплатить PayPal, а не с карты", "Оплатить PayPal, а не с карты"],
  ["Ελληνικά και English", "Ελληνικά και English"],
  ["日本語 Tシャツ ＡＢＣ（株）", "日本語 Tシャツ ＡＢＣ（株）"],
  ["ｐａｙ \u{1d5d4} ﬁ", "[U+FF50][U+FF41][U+FF59] [U+1D5D4] [U+FB01]"],
  ["2\u22121 a\u2044b", "2[U+2212]1 a[U+2044]b"],
  ["৪ 8", "[U+09EA] 8"],
  ["٣ كتب", "٣ كتب"],
  ["[U+200B] [x]", "[U+005B]U+200B] [x]"],
  ["a\u2423b\u21b5", "a[U+2423]b[U+21B5]"],
  ["Zürich – “naïve” … €5 ½ ™", "Zürich – “naïve” … €5 ½ ™"],
]) test(`D-12: ${JSON.stringify(text)} is shown as ${shown}`, () => assert.equal(strict(text), shown));

test("in prose, spaces of typography and emoji stay as they are, and what hides or turns does not", () => {
  assert.equal(read("50\u202f€ ⚠️ 👩‍💻 1️⃣  x"), "50\u202f€ ⚠️ 👩‍💻 1️⃣  x");
  assert.equal(read("a\u200bb\u202ec\ufe0f\u200d"), "a[U+200B]b[U+202E]c[U+FE0F][U+200D]");
  assert.equal(strict("⚠️"), "⚠[U+FE0F]");
});

test("in code, a dash or a quote that is not that of the keyboard is shown", () => {
  assert.equal(read("rm\u2013rf \u2019a\u2019", { strict: true, code: true }), "rm[U+2013]rf [U+2019]a[U+2019]");
});

test("the JSON text of any text is that text, and hides nothing", () => {
  for (const text of ["", "plain", "a\n\tb \"c\" \\", "pay\u200bpal \u202e\ud800 \u{1d5d4} Cafe\u0301 p\u0430y", "[U+200B]  "]) {
    assert.equal(JSON.parse(escaped(text)), text);
  }
  assert.equal(escaped("a\u200b\u{e0061}\n"), '"a\\u200b\\udb40\\udc61\\n"');
});
