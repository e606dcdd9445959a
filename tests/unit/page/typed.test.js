import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { entries } from "../../../functions/page/script/typed.js";
import { readIn } from "./english.js";
import { freshDocument } from "./tiny_dom.js";

let draft;
let form;

beforeEach(() => {
  readIn("en");
  freshDocument();
  draft = { name: "", amount: "10", group: { city: "" }, city: "" };
  const fields = Object.keys(draft).map((label) =>
    ({ label, inner: label === "group" ? {} : undefined, draft: () => draft[label] }));
  form = { all: () => fields };
});

test("nothing is shown when nothing was typed", () => assert.equal(entries(form)(), null));

test("what was typed is shown with its label, and what is untouched is not", () => {
  const typed = entries(form);
  draft.name = "Ada <b>";
  draft.group = { city: "Rome" };
  draft.city = "Rome";
  const shown = typed();
  assert.equal(shown.textContent, "What you had enterednameAda <b>cityRome");
  assert.equal(shown.getAttribute("open"), "");
});

test("a field that was emptied has nothing to keep", () => {
  const typed = entries(form);
  draft.amount = "";
  assert.equal(typed(), null);
});
