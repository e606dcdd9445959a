import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { asRecorded, effects } from "../../../functions/page/script/effects.js";
import { readJson } from "../../../functions/page/script/exact_json.js";
import { readIn } from "./english.js";
import { freshDocument } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

/** The rows of the section: for each label its values. */
function rows(question) {
  const [, dl] = effects({ about: null, asked_people: 0, waits: false, ...question }).children;
  return Object.fromEntries(dl.children.map(({ children: [label, ...values] }) =>
    [label.textContent, values.map(({ textContent }) => textContent)]));
}

const FAILS = { policy: "fail" };
const QUESTIONS = { questions: [{ id: "q1", question: "Whom?" }, { id: "q2", question: "When?" }] };

test("an approval says what each button does, and that nothing runs without an answer", () => {
  assert.deepEqual(rows({ presentation: "approval", on_expiry: FAILS }), {
    "If you approve": ["The action runs with the values that you see."],
    "If you reject": ["The action does not run."],
    "If no answer comes in time": ["The question ends without an answer."],
  });
});

test("the words of the agent stand for those of the page, each in its place", () => {
  const about = { if_approved: "It is paid <b>at once</b>.", if_rejected: "Nothing is paid." };
  const shown = rows({ presentation: "approval", on_expiry: FAILS, about });
  assert.deepEqual(shown["If you approve"], ["It is paid <b>at once</b>."]);
  assert.deepEqual(shown["If you reject"], ["Nothing is paid."]);
});

test("a hidden character in the words of the agent is seen", () => {
  const about = { if_answered: "Paid to pay\u200bpal" };
  const shown = rows({ presentation: "form", on_expiry: FAILS, about });
  assert.deepEqual(shown["If you answer"], ["Paid to pay[U+200B]pal"]);
});

test("the default answer is said: a decision, the choices of each question, or the values", () => {
  const silent = (question) => rows(question)["If no answer comes in time"];
  const used = "This default answer is used:";
  const on_expiry = (response) => ({ policy: "default", response });
  assert.deepEqual(silent({ presentation: "approval", on_expiry: on_expiry({ decision: "reject", comment: "Late" }) }),
    [used, "Reject", "Late"]);
  const answers = [{ question_id: "q1", selections: ["Ada"] }, { question_id: "q2", selections: [], other: "Now" }];
  assert.deepEqual(silent({ presentation: "ask_user", payload: QUESTIONS, on_expiry: on_expiry({ answers }) }),
    [used, "Whom?AdaWhen?Now"]);
  const one = { questions: QUESTIONS.questions.slice(0, 1) };
  assert.deepEqual(silent({ presentation: "ask_user", payload: one, on_expiry: on_expiry({ answers }) }),
    [used, "Ada"]);
  assert.deepEqual(silent({ presentation: "form", on_expiry: on_expiry(readJson('{"amount": 0.10}')) }),
    [used, "amount0.10"]);
});

test("how many people are asked is said when there is more than one", () => {
  const asked = (asked_people) => rows({ presentation: "form", on_expiry: FAILS, asked_people })["People asked"];
  assert.deepEqual([asked(0), asked(1), asked(3)], [undefined, undefined, ["3", "The first answer counts."]]);
});

test("a reply of an earlier version of the service says nothing of what happens without an answer", () => {
  assert.deepEqual(Object.keys(rows({ presentation: "form" })), ["If you answer"]);
});

test("an answer that is looked at again has its edits in the arguments, also an edit to null", () => {
  const payload = { action: { name: "pay", arguments: readJson('{"to": "Ada", "amount": 10, "note": "x"}') } };
  const value = { decision: "approve", edits: readJson('{"amount": 0.10, "note": null}') };
  const { edits, arguments: run } = asRecorded({ presentation: "approval", payload }, value);
  assert.deepEqual([run.to, String(run.amount), run.note], ["Ada", "0.10", null]);
  assert.deepEqual([edits.note.before, edits.note.after], ["x", null]);
});
