import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { askingBack, clarifications, isReplied, showAsked } from "../../../functions/page/script/clarifications.js";
import { show } from "../../../functions/page/script/elements.js";
import { STRINGS, readIn } from "./english.js";
import { controls, freshDocument, press, type, within } from "./tiny_dom.js";

const AT = "2026-05-01T12:00:00Z";
const ASKED = { number: 1, by: "ada", question: "Which\n  order?", asked_at: AT, reply: null, replied_at: null };
const REPLIED = { ...ASKED, reply: "The one of May.", replied_at: "2026-05-02T12:00:00Z" };
const QUESTION = {
  jti: "j", request_hash: "h", status: "issued", payload: { amount: 1 }, recipient: "bob",
  about: { takes_questions: true, asker: "Billing agent" }, clarifications: [],
};

let kept;
let sent;
let replies;
let refused;
let question;
let place;

beforeEach(() => {
  readIn("en");
  freshDocument();
  kept = new Map();
  globalThis.sessionStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
  sent = [];
  replies = [];
  refused = [];
  question = { ...QUESTION };
});

/** Show the part as the page does, and return it. */
function shown() {
  place = clarifications(question);
  const service = { post: async (...request) => sent.push(request) && replies.shift() };
  const sending = {
    send: async (_, request, settle) => settle(await request()),
    refused: (reply) => refused.push(reply),
  };
  const node = askingBack(question, place, { question, service, sending });
  show(place, node);
  return node;
}

const field = () => controls(document.page)[0];
const button = () => within(document.page).find(({ tagName }) => tagName === "BUTTON");
const fault = () => within(document.page).find((each) => each.getAttribute("class") === "fault").textContent;
const settled = () => new Promise(setImmediate);

async function asks(text) {
  type(field(), text);
  press(button());
  await settled();
}

test("there is no part where the question takes none, and no place for questions without one", () => {
  for (const about of [null, undefined, {}, { takes_questions: false }]) {
    question.about = about;
    assert.equal(shown(), null);
    assert.equal(place.children.length, 0);
  }
});

test("a service without clarifications is as one without a question", () => {
  delete question.clarifications;
  assert.notEqual(shown(), null);
  assert.equal(place.children.length, 0);
});

test("the part is closed, says who gets the question, and its button is no submit button", () => {
  const node = shown();
  assert.equal(node.getAttribute("open"), null);
  assert.ok(node.textContent.includes("Billing agent gets your question. All people who are asked can read it."));
  assert.equal(button().getAttribute("type"), "button");
  question.about = { takes_questions: true };
  assert.ok(shown().textContent.includes("The system that asked gets your question."));
});

test("a question is sent with the hash of what is shown, and then stands above without a reply", async () => {
  const node = shown();
  replies = [{ status: 201, body: { jti: "j", number: 1, question: "Why?", asked_at: AT, replayed: false } }];
  await asks("Why?");
  assert.deepEqual(sent, [["clarifications", { question: "Why?", request_hash: "h" }]]);
  assert.match(place.textContent, /^Questions and repliesQuestion, bob, .*2026.*Why\?ReplyNo reply yet\.$/);
  assert.equal(document.focused.getAttribute("id"), "asked-1");
  assert.deepEqual([field().value, node.open, node.hidden, kept.size], ["", false, false, 0]);
});

test("the same question again, after a reply that was lost, stands there once", async () => {
  question.clarifications = [{ ...ASKED, by: "bob", question: "Why?" }];
  shown();
  replies = [{ status: 201, body: { jti: "j", number: 1, question: "Why?", asked_at: AT, replayed: true } }];
  await asks("Why?");
  assert.equal(question.clarifications.length, 1);
});

test("after the last question that the service takes, the part is gone, also after a reload", async () => {
  question.clarifications = [1, 2, 3, 4].map((number) => ({ ...ASKED, number }));
  const node = shown();
  replies = [{ status: 201, body: { jti: "j", number: 5, question: "Why?", asked_at: AT } }];
  await asks("Why?");
  assert.equal(node.hidden, true);
  assert.equal(shown(), null);
});

test("a question that is blank or too long is not sent, and the page says so at the field", async () => {
  shown();
  for (const [text, said] of [["", "missing"], [" \n", "missing"], ["x".repeat(1001), "too_long"]]) {
    await asks(text);
    assert.equal(fault(), STRINGS.en[said].replace("{limit}", "1000").replace("{count}", "1001"));
    assert.equal(document.focused, field());
  }
  replies = [{ status: 201, body: { number: 1, question: "x", asked_at: AT } }];
  await asks("\u{1f600}".repeat(1000));
  assert.equal(sent.length, 1);
});

test("what the service does not take is said at the field in the reader's language, and stays there", async () => {
  readIn("de");
  shown();
  replies = [{ status: 400, body: { code: "bad-request" } }, { status: 503, body: {} }, { status: 403, body: {} }];
  await asks("Warum?");
  assert.equal(fault(), STRINGS.de.question_refused.replace("{limit}", "5"));
  for (let count = 0; count < 2; count += 1) {
    await asks("Warum?");
    assert.equal(fault(), `${STRINGS.de.unavailable_title}. ${STRINGS.de.unavailable_text}`);
  }
  assert.deepEqual([field().value, [...kept.values()], refused], ["Warum?", ['"Warum?"'], []]);
});

test("a refusal that is final is that of the whole question, and keeps what was typed", async () => {
  shown();
  const changed = { status: 409, body: { code: "question-changed" } };
  replies = [changed, { status: 503, body: { code: "expired" } }];
  await asks("Why?");
  assert.deepEqual([refused, [...kept.values()]], [[changed], ['"Why?"']]);
  await asks("Why?");
  assert.equal(refused.length, 1, "what can pass ends nothing");
});

test("what was typed and not sent is there after a reload, in an open part, also for the changed question", () => {
  shown();
  type(field(), "Why");
  question = { ...QUESTION, request_hash: "other" };
  assert.equal(shown().getAttribute("open"), "");
  assert.equal(field().value, "Why");
});

test("questions and replies stand in their order, with who and when, as inert text", () => {
  question.clarifications = [REPLIED, { ...ASKED, number: 2, by: null, question: "<b>x</b>\u202e\u200b" }];
  shown();
  assert.match(place.textContent,
    /Question, ada, .*May 1, 2026.*Which\n {2}order\?Reply, .*May 2, 2026.*The one of May\.Question, \w+, May 1, 2026.*<b>x<\/b>\[U\+202E\]\[U\+200B\]ReplyNo reply yet\.$/s);
});

test("what another person asks comes to the open page, and a look without it takes nothing away", () => {
  question.clarifications = [ASKED];
  shown();
  showAsked(question, { clarifications: [ASKED, { ...ASKED, number: 2, by: "cyd", question: "And why now?" }] }, place);
  assert.match(place.textContent, /Which\n {2}order\?.*And why now\?/s);
  showAsked(question, {}, place);
  assert.match(place.textContent, /And why now\?/);
});

for (const [what, now, expected] of [
  ["a new reply", { clarifications: [REPLIED] }, true],
  ["a new question", { clarifications: [ASKED, { ...ASKED, number: 2 }] }, false],
  ["a new reply to what has ended", { clarifications: [REPLIED], status: "revoked" }, false],
  ["a new reply and another payload", { clarifications: [REPLIED], payload: { amount: 2 } }, false],
  ["a refusal", { clarifications: undefined, status: 410 }, false],
]) {
  test(`the fields stay the same ones after a reply alone: ${what}`, () => {
    assert.equal(isReplied({ ...QUESTION, ...now }, { ...QUESTION, clarifications: [ASKED] }), expected);
  });
}
