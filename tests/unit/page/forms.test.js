import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { formOf } from "../../../functions/page/script/forms.js";
import { readIn } from "./english.js";
import { controls, freshDocument, type } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

const COLOUR = { id: "q1", question: "Which?", header: "Colour", options: [{ label: "Red" }, { label: "Blue" }] };
const SIZES = { id: "q2", question: "How big?", multi_select: true, allow_other: true, options: [{ label: "S" }] };
const askUser = (...questions) => formOf({ presentation: "ask_user", payload: { questions } });

test("a single question is the heading, and its header stands above", () => {
  const form = askUser(COLOUR);
  assert.equal(form.title, "Which?");
  assert.equal(form.above.textContent, "Colour");
});

test("a long question, or one of several, is no heading", () => {
  assert.equal(askUser({ ...COLOUR, question: "x".repeat(141) }).title, "A question for you");
  assert.equal(askUser(COLOUR, SIZES).title, "2 questions for you");
});

test("the answers name their questions, with what was chosen and what was written", () => {
  const form = askUser(COLOUR, SIZES);
  const inputs = controls(...form.nodes);
  inputs[1].checked = true;
  type(inputs.at(-1), "XXL");
  const answers = [
    { question_id: "q1", selections: ["Blue"] },
    { question_id: "q2", selections: [], other: "XXL" },
  ];
  assert.deepEqual(form.read(), { value: { answers } });
});

test("each of several questions has its header above it", () => {
  const legends = askUser(COLOUR, SIZES).nodes.map((node) => node.querySelector("legend").textContent);
  assert.deepEqual(legends, ["ColourWhich?", "How big?"]);
  const [alone] = askUser({ ...COLOUR, header: undefined }).nodes;
  assert.equal(alone.querySelector("legend").textContent, "Which?");
  assert.equal(askUser({ ...COLOUR, header: undefined }).above, null);
});

test("every question without an answer is a fault of its own", () => {
  const form = askUser(COLOUR, SIZES);
  const { faults } = form.read();
  assert.deepEqual(faults.map(({ fault }) => fault), ["Choose one.", "Choose at least 1."]);
  assert.deepEqual(faults.map(({ field }) => field), form.all());
});

test("a path of the service's leads to the field of its question", () => {
  const form = askUser(COLOUR, SIZES);
  assert.equal(form.fieldAt("response.answers[1].selections"), form.all()[1]);
  assert.equal(form.fieldAt("response"), undefined);
});

const ACTION = { name: "send_money", arguments: { amount: 10, to: "Ann" } };
const EDITABLE = { amount: { type: "integer", maximum: 50 } };
const approval = (given = {}, proposal = null) => formOf({
  presentation: "approval",
  proposal,
  payload: { title: "T", action: ACTION, comment: "none", editable: EDITABLE, ...given },
});

test("an approval without a change has no edits, and shows what cannot be changed", () => {
  const form = approval();
  assert.deepEqual(form.read("approve"), { value: { decision: "approve", edits: {} } });
  assert.equal(form.intro[1].textContent, "Send money send_moneytoAnnView as JSON");
});

test("a change is an edit and is shown as what it was and what it becomes; taken back, it is none", () => {
  const form = approval();
  const [amount] = controls(...form.nodes);
  type(amount, "20");
  assert.deepEqual(form.read("approve"), { value: { decision: "approve", edits: { amount: 20 } } });
  assert.match(form.nodes[0].textContent, /Changed:1020$/);
  type(amount, "10");
  assert.deepEqual(form.read("approve"), { value: { decision: "approve", edits: {} } });
  assert.doesNotMatch(form.nodes[0].textContent, /Changed/);
});

test("an argument that may be edited begins with what is proposed, and cannot be emptied", () => {
  const form = approval();
  assert.equal(controls(...form.nodes)[0].value, "10");
  type(controls(...form.nodes)[0], "");
  assert.deepEqual(form.read("approve").faults.map(({ fault }) => fault), ["This is needed."]);
});

test("a proposed value that its field cannot show is shown as it is, and cannot be changed", () => {
  for (const amount of ["99999 EUR", { a: 1 }, [1], true, "10", 1.5]) {
    const form = approval({ action: { name: "pay", arguments: { amount } } });
    assert.deepEqual(form.nodes.filter(Boolean), []);
    assert.match(form.intro[1].textContent, /Cannot be changed here, because its value does not fit its field: amount/);
    assert.deepEqual(form.read("approve"), { value: { decision: "approve", edits: {} } });
  }
});

test("a proposed null is said beside its empty field, and stays null until something is typed", () => {
  const form = approval({ action: { name: "pay", arguments: { amount: null } } });
  assert.match(form.nodes[0].textContent, /Proposed:No value \(null\)$/);
  assert.deepEqual(form.read("approve"), { value: { decision: "approve", edits: {} } });
  type(controls(...form.nodes)[0], "5");
  assert.deepEqual(form.read("approve"), { value: { decision: "approve", edits: { amount: 5 } } });
});

test("a proposed time is shown as it was written, because its control shows the reader's own time", () => {
  const due = { type: "string", format: "date-time" };
  const time = "2026-03-01T10:00:07+02:00";
  const form = approval({ action: { name: "pay", arguments: { due: time } }, editable: { due } });
  assert.match(form.nodes[0].textContent, /Proposed:2026-03-01T10:00:07\+02:00$/);
  assert.deepEqual(form.read("approve"), { value: { decision: "approve", edits: {} } });
});

test("arguments that are edited stand in the caller's order", () => {
  const action = { name: "pay", arguments: { zeta: "z", alpha: "a" } };
  const editable = { alpha: { type: "string" }, zeta: { type: "string" } };
  const form = approval({ action, editable });
  assert.deepEqual(controls(...form.nodes).map(({ value }) => value), ["z", "a"]);
});

test("a path of the service's leads to the edit or to the comment", () => {
  const form = approval({ comment: "optional" });
  const [amount, comment] = form.all();
  assert.equal(form.fieldAt("response.edits.amount"), amount);
  assert.equal(form.fieldAt("response.comment"), comment);
  assert.equal(form.fieldAt("response.decision"), undefined);
});

test("a wrong edit stops an approval, and a rejection takes no edits at all", () => {
  const form = approval();
  type(controls(...form.nodes)[0], "51");
  assert.deepEqual(form.read("approve").faults.map(({ fault }) => fault), ["At most 50."]);
  assert.deepEqual(form.read("reject"), { value: { decision: "reject" } });
});

for (const [comment, decision, blank] of [
  ["optional", "approve", undefined],
  ["optional", "reject", undefined],
  ["required", "approve", "This is needed."],
  ["required", "reject", "This is needed."],
  ["required_to_reject", "approve", undefined],
  ["required_to_reject", "reject", "Say why you reject."],
]) {
  test(`with a comment that is ${comment}, to ${decision} without one ${blank ? "is a fault" : "is an answer"}`, () => {
    for (const text of ["", "  "]) {
      const form = approval({ comment, editable: {} });
      type(controls(...form.nodes)[0], text);
      const read = form.read(decision);
      assert.equal(read.faults?.[0].fault, blank);
      assert.equal(read.value?.comment, undefined);
    }
    const form = approval({ comment, editable: {} });
    type(controls(...form.nodes)[0], "why");
    assert.equal(form.read(decision).value.comment, "why");
  });
}

test("what was typed into an approval is restored with what becomes of it", () => {
  const before = approval({ comment: "optional" });
  const [amount, comment] = controls(...before.nodes);
  type(amount, "20");
  type(comment, "why");
  const after = approval({ comment: "optional" });
  after.restore(JSON.parse(JSON.stringify(before.draft())));
  assert.deepEqual(after.read("approve"), { value: { decision: "approve", edits: { amount: 20 }, comment: "why" } });
  assert.match(after.nodes[0].textContent, /Changed:/);
});

test("values for which another person voted are no draft: when they are void, the proposed ones are there", () => {
  const before = approval({ comment: "optional" }, { edits: { amount: { before: 10, after: 20 } } });
  const [amount, comment] = controls(...before.nodes);
  assert.equal(amount.value, "20");
  type(comment, "why");
  const after = approval({ comment: "optional" });
  after.restore(JSON.parse(JSON.stringify(before.draft())));
  assert.deepEqual(after.read("approve"), { value: { decision: "approve", edits: {}, comment: "why" } });
  type(amount, "30");
  after.restore(before.draft());
  assert.equal(after.read("approve").value.edits.amount, 30);
});

test("a draft of nothing changes nothing", () => {
  for (const form of [askUser(COLOUR), approval({ comment: "optional" })]) {
    const before = JSON.stringify(form.draft());
    form.restore({});
    assert.equal(JSON.stringify(form.draft()), before);
  }
});

const PLACE = { type: "object", properties: { city: { type: "string" } } };
const NAME = { type: "string", minLength: 1 };
const FORM = { type: "object", required: ["name"], properties: { name: NAME, home: PLACE } };

test("a form has its own title, and its properties in its own order or in the schema's", () => {
  const labels = (order) => formOf({ presentation: "form", payload: { title: "T", schema: FORM, order } }).nodes.map(
    (node) => /^(Name|Home)/.exec(node.textContent)[0]);
  assert.deepEqual(labels(["home", "name"]), ["Home", "Name"]);
  assert.deepEqual(labels(null), ["Name", "Home"]);
});

test("a path of the service's leads to the innermost field there is", () => {
  const form = formOf({ presentation: "form", payload: { title: "T", schema: FORM } });
  const [name, home, city] = form.all();
  assert.equal(form.fieldAt("response.name"), name);
  assert.equal(form.fieldAt("response.home.city"), city);
  assert.equal(form.fieldAt("response.home.else"), home);
  assert.equal(form.fieldAt("response.name[0]"), name);
  assert.equal(form.fieldAt("response.other"), undefined);
});

test("an interaction of the deployment's own has its name as title, and one field for a single value", () => {
  const form = formOf({ name: "rate_it", payload: { a: 1 }, answer_schema: { type: "integer" } });
  assert.equal(form.title, "Rate it");
  assert.equal(form.intro[0].textContent, "a1View as JSON");
  type(controls(...form.nodes)[0], "5");
  assert.deepEqual(form.read(), { value: 5 });
  assert.equal(form.fieldAt("response"), form.all()[0]);
});

test("an answer of one field that is missing is a fault and no answer", () => {
  const form = formOf({ name: "rate_it", payload: {}, answer_schema: { type: "integer" } });
  const said = form.read().faults.map(({ field, fault }) => `${field.label}: ${fault}`);
  assert.deepEqual(said, ["Your answer: This is needed."]);
});

test("an answer without a schema, or of an object without properties, is asked for as JSON", () => {
  for (const answer_schema of [undefined, { type: "object" }]) {
    const form = formOf({ name: "n", payload: {}, answer_schema });
    type(controls(...form.nodes)[0], '{"a": 1}');
    assert.deepEqual(form.read(), { value: { a: 1 } });
  }
});

test("the definitions of a schema serve all of its references", () => {
  const $defs = { Colour: { enum: ["red"] } };
  const answer_schema = { type: "object", properties: { colour: { $ref: "#/$defs/Colour" } }, $defs };
  const form = formOf({ name: "n", payload: {}, answer_schema });
  controls(...form.nodes)[0].checked = true;
  assert.deepEqual(form.read(), { value: { colour: "red" } });
});
