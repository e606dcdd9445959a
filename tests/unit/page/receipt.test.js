import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { readJson } from "../../../functions/page/script/exact_json.js";
import { receiptOf } from "../../../functions/page/script/receipt.js";
import { readIn } from "./english.js";
import { freshDocument, within } from "./tiny_dom.js";

const AT = "2026-05-01T12:00:00Z";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

/** The rows of a receipt: for each label its values. */
function rows(question, response) {
  const receipt = receiptOf(question, { jti: "p-1", answered_at: AT, response });
  const dl = receipt.children.find(({ tagName }) => tagName === "DL");
  return Object.fromEntries(dl.children.map(({ children: [label, ...values] }) =>
    [label.textContent, values.map(({ textContent }) => textContent)]));
}

test("each question has the options that were chosen, and the free text", () => {
  const payload = { questions: [{ id: "q1", question: "Whom?" }, { id: "q2", question: "When?" }] };
  const response = { answers: [{ question_id: "q2", selections: [], other: "Now <b>" },
    { question_id: "q1", selections: ["Ada", "Bob"], other: null }] };
  const shown = rows({ presentation: "ask_user", payload }, response);
  assert.deepEqual([shown["Whom?"], shown["When?"]], [["Ada", "Bob"], ["Now <b>"]]);
  assert.deepEqual(shown["Reference number"], ["p-1"]);
  assert.match(shown["Answered on"][0], /2026/);
});

test("an approval shows the arguments as they were recorded, each edit and the comment", () => {
  const payload = { title: "Pay?", action: { name: "pay", arguments: readJson('{"to": "Ada", "amount": 10}') } };
  const response = readJson(
    '{"decision":"approve","comment":"Fine","edits":{"amount":{"before":10,"after":0.10}},'
      + '"arguments":{"amount":0.10,"to":"Ada"}}',
  );
  assert.deepEqual(rows({ presentation: "approval", payload }, response), {
    "Question": ["Pay?"], "pay": ["toAdaamount0.10"], "Your answer": ["Approve"], "Changed: amount": ["100.10"],
    "Comment": ["Fine"], "Answered on": rows({ presentation: "approval", payload }, response)["Answered on"],
    "Reference number": ["p-1"],
  });
});

test("a rejection shows the arguments that were proposed", () => {
  const payload = { title: "Pay?", action: { name: "pay", arguments: { to: "Ada" } } };
  const shown = rows({ presentation: "approval", payload }, { decision: "reject", edits: {}, arguments: null });
  assert.deepEqual([shown.pay, shown["Your answer"], "Comment" in shown], [["toAda"], ["Reject"], false]);
});

test("another answer is shown as names and values, with what was asked", () => {
  const shown = rows({ presentation: "schema", name: "assess_incident", payload: { service: "shop" } }, { severity: "low" });
  assert.deepEqual([shown.Question, shown["What was asked"], shown["Your answer"]],
    [["Assess incident"], ["serviceshop"], ["severitylow"]]);
  const form = rows({ presentation: "form", payload: { title: "Where?", schema: {} } }, { city: "Rome" });
  assert.deepEqual([form.Question, form["Your answer"], "What was asked" in form], [["Where?"], ["cityRome"], false]);
});

test("the fields of an answer stand in the order of the form, though the record has them sorted", () => {
  const schema = readJson('{"properties": {"street": {}, "city": {}, "10": {}, "9": {}}}');
  const response = readJson('{"10": 1, "9": 2, "city": "Rome", "street": "Via"}');
  const answerOf = (question) => rows({ name: "where", ...question }, response)["Your answer"];
  assert.deepEqual(answerOf({ presentation: "form", payload: { title: "Where?", schema } }), ["streetViacityRome10192"]);
  assert.deepEqual(answerOf({ presentation: "schema", payload: {}, answer_schema: schema }), ["streetViacityRome10192"]);
  const order = ["city", "9", "10", "street"];
  assert.deepEqual(answerOf({ presentation: "form", payload: { title: "Where?", schema, order } }),
    ["cityRome92101streetVia"]);
});

test("people, scope and run are shown where they are known, and nothing else is", () => {
  const known = { recipient: "ada", requester: "Olga", scope_label: "acme", run_id: "run-1" };
  const shown = rows({ presentation: "form", payload: { title: "Where?" }, ...known }, {});
  assert.deepEqual([shown["You answer as"], shown["On behalf of"], shown.For, shown.Run],
    [["ada"], ["Olga"], ["acme"], ["run-1"]]);
  const bare = rows({ presentation: "form", payload: { title: "Where?" }, recipient: "", requester: "" }, {});
  assert.deepEqual(Object.keys(bare), ["Question", "Your answer", "Answered on", "Reference number"]);
});

test("a button prints it", () => {
  let printed = 0;
  globalThis.print = () => (printed += 1);
  const receipt = receiptOf({ presentation: "form", payload: { title: "Where?" } }, { jti: "p", answered_at: AT, response: 1 });
  within(receipt).find(({ tagName }) => tagName === "BUTTON").listeners[0].heard();
  assert.equal(printed, 1);
});
