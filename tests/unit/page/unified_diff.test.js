import assert from "node:assert/strict";
import { test } from "node:test";

import { unifiedDiff } from "../../../functions/page/script/unified_diff.js";

const DIFF = ["--- a/pay.py", "+++ b/pay.py", "@@ -1,3 +1,4 @@ def pay():", " one", "-two", "+two and", "+a half", " three"];
const textOf = (...lines) => lines.join("\n");

const drawn = (text) => unifiedDiff(text)?.map(({ kind, sign, text: rest }) => [kind, sign + rest]);

test("a unified diff is its lines, each with its kind, and all of them together are the text", () => {
  assert.deepEqual(drawn(textOf(...DIFF)), [
    ["head", "--- a/pay.py"], ["head", "+++ b/pay.py"], ["head", "@@ -1,3 +1,4 @@ def pay():"],
    ["same", " one"], ["removed", "-two"], ["added", "+two and"], ["added", "+a half"], ["same", " three"],
  ]);
});

for (const [what, text] of [
  ["with a line end", textOf(...DIFF, "")],
  ["of two files as git writes it", textOf("diff --git a/x b/x", "index 1..2 100644", ...DIFF, "diff --git a/y b/y",
    "new file mode 100644", "--- /dev/null", "+++ b/y", "@@ -0,0 +1 @@", "+new", "\\ No newline at end of file")],
  ["of several hunks", textOf(...DIFF, "@@ -9 +10 @@", "-x", "\\ No newline at end of file", "+y")],
  ["whose lines look like heads", textOf("--- a", "+++ b", "@@ -1,2 +1,2 @@", "--- x", "@@ -1 +1 @@".replace(/^/, "-"),
    "+++ y", "+@@ -1 +1 @@")],
]) {
  test(`a diff ${what} is one, and nothing of it is left out`, () => {
    const lines = unifiedDiff(text);
    assert.equal(lines.map(({ sign, text: rest }) => sign + rest).join("\n"), text.replace(/\n$/, ""));
  });
}

for (const [what, text] of [
  ["without heads of a file", textOf(...DIFF.slice(2))],
  ["without a hunk", textOf(...DIFF.slice(0, 2))],
  ["with a line too few", textOf(...DIFF.slice(0, -1))],
  ["with a line too many", textOf(...DIFF, " four")],
  ["with a line without a sign", textOf(...DIFF.slice(0, 3), "one", ...DIFF.slice(4))],
  ["with an empty line in place of a blank one", textOf(...DIFF.slice(0, 3), "", ...DIFF.slice(4))],
  ["with words before it", textOf("Please apply:", ...DIFF)],
  ["with words after it", textOf(...DIFF, "Done.")],
  ["with two line ends", textOf(...DIFF, "", "")],
  ["with its heads turned round", textOf(DIFF[1], DIFF[0], ...DIFF.slice(2))],
  ["with more removed lines than its head says", textOf("--- a", "+++ b", "@@ -1 +1,2 @@", "-x", "-y", "+z", "+z")],
]) {
  test(`a text like a diff ${what} is a text`, () => assert.equal(unifiedDiff(text), null));
}

test("a long text that begins like a diff is read in one go", () => {
  const start = performance.now();
  assert.equal(unifiedDiff(textOf("--- a", "+++ b", `@@ -1,99999 +1,99999 @@`, " x\n".repeat(50_000))), null);
  assert.equal(unifiedDiff("--- a\n+++ b\n@@ -0,0 +0,0 @@\n".repeat(20_000)).length, 60_000);
  assert.ok(performance.now() - start < 2000);
});
