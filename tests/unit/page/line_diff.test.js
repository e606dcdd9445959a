import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST_LINES, changesOf, lineDiff } from "../../../functions/page/script/line_diff.js";

const signs = (before, after) => lineDiff(before, after).map(({ sign, text }) => sign + text);

test("lines that both texts have stay, and the others are removed before they are added", () => {
  assert.deepEqual(signs("a\nb\nc\nd", "a\nx\nc\ny\nd"), [" a", "-b", "+x", " c", "+y", " d"]);
  assert.deepEqual(signs("", "a"), ["-", "+a"]);
  assert.deepEqual(signs("a\n", "a"), [" a", "-"]);
  assert.deepEqual(signs("a\na\na", "a\na"), [" a", " a", "-a"]);
});

test("both texts can be read from the lines", () => {
  const letters = "abc";
  const some = (seed) => Array.from({ length: seed % 7 }, (_, at) => letters[(seed * (at + 3)) % 3]).join("\n");
  for (let before = 0; before < 40; before += 1) {
    for (let after = 0; after < 40; after += 1) {
      const lines = lineDiff(some(before), some(after));
      const side = (other) => lines.filter(({ kind }) => kind !== other).map(({ text }) => text).join("\n");
      assert.deepEqual([side("added"), side("removed")], [some(before), some(after)]);
    }
  }
});

test("more lines than the limit are not compared, but lines that are the same do not count", () => {
  const lines = (count, text) => Array.from({ length: count }, (_, at) => `${text} ${at}`).join("\n");
  assert.equal(lineDiff(lines(MOST_LINES + 1, "a"), lines(2, "b")), null);
  assert.equal(lineDiff(lines(MOST_LINES, "a"), lines(MOST_LINES, "b")).length, 2 * MOST_LINES);
  assert.equal(lineDiff(lines(5000, "a"), `${lines(5000, "a")}\nb`).length, 5001);
});

test("around a change three lines are shown, and the count of the others", () => {
  const lines = lineDiff("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nx\n6\n7\n8\n9");
  assert.deepEqual(changesOf(lines).map(({ kind, count, sign, text }) => (kind === "gap" ? count : sign + text)),
    [1, " 2", " 3", " 4", "-5", "+x", " 6", " 7", " 8", 1]);
});
