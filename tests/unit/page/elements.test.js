import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { el, foreign, freshId, show } from "../../../functions/page/script/elements.js";
import { readIn } from "./english.js";
import { freshDocument } from "./tiny_dom.js";

let page;

beforeEach(() => {
  readIn("en");
  page = freshDocument();
});

test("no id is given twice", () => {
  assert.equal(new Set([freshId("a"), freshId("a"), freshId("b")]).size, 3);
});

test("attributes and children that are nothing are left out, and zero is something", () => {
  const attributes = { id: null, class: undefined, hidden: false, required: true, rows: 0 };
  const element = el("p", attributes, null, false, undefined, 0);
  assert.deepEqual([...element.attributes], [["required", ""], ["rows", "0"]]);
  assert.equal(element.textContent, "0");
});

test("markup in a text stays text, and so does what would turn the reading order", () => {
  const element = foreign("<b>x</b>\u202e");
  assert.equal(element.textContent, "<b>x</b>[U+202E]");
  assert.equal(element.children[1].getAttribute("aria-label"), "character U+202E");
});

test("a listener is no attribute", () => {
  const heard = () => {};
  const element = el("button", { onclick: heard });
  assert.deepEqual(element.listeners, [{ kind: "click", heard }]);
  assert.deepEqual([...element.attributes], []);
});

test("what is shown replaces the page and says that it is complete", () => {
  page.append(el("p", {}, "before"));
  show(null, el("p", {}, "after"));
  assert.equal(page.textContent, "after");
  assert.equal(page.getAttribute("aria-busy"), "false");
});
