import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { readJson } from "../../../functions/page/script/exact_json.js";
import { facts } from "../../../functions/page/script/facts.js";
import { readIn } from "./english.js";
import { freshDocument, press, within } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

const classed = (node, name) => within(node).filter((each) => (each.getAttribute("class") ?? "").split(" ").includes(name));
const rows = (node) => classed(node, "lines").flatMap(({ children }) => children.filter((child) => child.children))
  .map((line) => [line.getAttribute("class"), line.textContent]);
const buttons = (node) => within(node).filter(({ tagName }) => tagName === "BUTTON");

test("a unified diff has a sign, a look and a name for each changed line, and says how much changes", () => {
  const node = facts("--- a\n+++ b\n@@ -1,2 +1,2 @@\n   x\n-old \n+new\u200b", 1);
  assert.deepEqual(rows(node), [["head", "--- a"], ["head", "+++ b"], ["head", "@@ -1,2 +1,2 @@"],
    ["same", "   x"], ["removed", "-old␣"], ["added", "+new[U+200B]"]]);
  assert.ok(node.textContent.startsWith("(Lines added: 1, removed: 1)"));
  const names = within(node).filter((each) => each.getAttribute("role") === "img").map((each) => each.getAttribute("aria-label"));
  assert.ok(names.includes("added") && names.includes("removed"));
});

test("an empty line of a diff, and the end of its last line, are seen", () => {
  const read = (text) => facts(text, 1).textContent;
  const diff = "--- a\n+++ b\n@@ -1,2 +1,1 @@\n \n-x";
  assert.notEqual(read(diff), read(`${diff}\n`));
  assert.deepEqual(rows(facts(diff, 1)).slice(3), [["same", " ↵\n"], ["removed", "-x"]]);
});

test("a long diff is folded, and says how long it is", () => {
  const diff = `--- a\n+++ b\n@@ -1,197 +1,197 @@\n${" line\n".repeat(197)}`;
  const node = facts(diff, 1);
  const [button] = buttons(node);
  assert.equal(button.textContent, `Show all 200 lines, ${diff.length} characters`);
  assert.equal(rows(node).length, 12);
  press(button);
  assert.equal(rows(node).length, 200);
});

test("a text before and a text after show what differs, and each of them whole", () => {
  const node = facts(readJson('{"after":"a\\nc\\nd","x":1,"before":"a\\nb\\nd"}'));
  assert.deepEqual(rows(node), [["same", " a"], ["removed", "-b"], ["added", "+c"], ["same", " d"]]);
  assert.deepEqual(classed(node, "name").map((each) => each.textContent), ["after", "x", "before"]);
  const [after, before] = buttons(node);
  for (const button of [after, before]) press(button);
  const wholes = within(node).filter(({ tagName }) => tagName === "PRE").map((each) => each.textContent);
  assert.deepEqual(wholes, ["a↵\nc↵\nd", "a↵\nb↵\nd"]);
});

for (const text of [
  '{"before":"a","after":"b"}', '{"before":"a\\nb","after":"a\\nb"}', '{"before":"a\\nb","after":null}',
  '{"before":"a\\nb"}', '{"Before":"a\\nb","after":"a\\nc"}', '{"before":"a\\nb","new":"a\\nc"}',
]) {
  test(`there is nothing to compare in ${text}`, () => assert.deepEqual(rows(facts(readJson(text))), []));
}

test("texts that are too long to compare are shown as they are", () => {
  const long = (text) => Array.from({ length: 700 }, (_, at) => `${text} ${at}`).join("\n");
  const node = facts({ old: long("a"), new: long("b") });
  assert.deepEqual(rows(node), []);
  assert.equal(buttons(node).length, 2);
});
