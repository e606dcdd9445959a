import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { el, show } from "../../../functions/page/script/elements.js";
import { sender } from "../../../functions/page/script/sending.js";
import { readIn } from "./english.js";
import { freshDocument, within } from "./tiny_dom.js";

const QUESTION = { jti: "j", request_hash: "h", name: "tell", presentation: "schema", payload: {} };
const RECEIPT = { jti: "j", response: "yes", answered_at: "2026-05-01T12:00:00Z" };

let page;
let kept;
let button;
let replies;
let sent;
let seen;
let read;
let field;
let held;
let sending;

beforeEach(() => {
  readIn("en");
  page = freshDocument();
  kept = new Map();
  globalThis.sessionStorage = { setItem: (key, text) => kept.set(key, text), removeItem: (key) => kept.delete(key) };
  button = el("button", { type: "button", value: "send" }, "Send");
  field = { target: "field-x", label: "Name", shown: [], show: (fault) => field.shown.push(fault) };
  show(el("input", { id: "field-x" }), el("div", { id: "notice" }), button);
  replies = [];
  sent = [];
  seen = [];
  read = { value: { answer: 1 } };
  held = [];
});

/** Press the button; return what the page then says above it. */
async function pressed(submit = made()) {
  await submit(button);
  return document.getElementById("notice")?.textContent;
}

function made(more = {}) {
  const form = {
    ...more,
    read: () => read,
    all: () => [field],
    draft: () => "typed",
    fieldAt: (path) => (path === "response.name" ? field : undefined),
  };
  const service = {
    sendAnswer: async (question, response) => sent.push([question, response]) && replies.shift(),
    fetchQuestion: async () => "the question as it is now",
  };
  const opened = (...given) => seen.push(["opened", ...given]);
  const watching = { hold: () => held.push("held"), release: () => held.push("released") };
  const ended = (reply) => seen.push(["ended", reply.body.code]);
  sending = sender({ question: QUESTION, form, service, watching, opened, ended });
  return sending.submit;
}

test("an answer that is not complete is not sent: it is marked, listed and gone to", async () => {
  read = { faults: [{ field, fault: "This is needed." }] };
  assert.equal(await pressed(), "Please look at this again. Nothing has been sent.Name: This is needed.");
  assert.deepEqual([sent, field.shown], [[], [null, "This is needed."]]);
  assert.equal(document.focused.getAttribute("id"), "field-x");
});

test("a link to a field moves the focus and leaves the address alone, whose fragment is the token", async () => {
  read = { faults: [{ field, fault: "f" }] };
  await pressed();
  document.focused = null;
  let prevented = false;
  const link = within(page).find(({ tagName }) => tagName === "A");
  link.listeners[0].heard({ preventDefault: () => (prevented = true) });
  assert.equal(prevented, true);
  assert.equal(document.focused.getAttribute("id"), "field-x");
});

test("an accepted answer is thanked for, and its draft is gone", async () => {
  replies = [{ status: 200, body: { ...RECEIPT, delivery: "delivered" } }];
  await pressed();
  assert.deepEqual(sent, [[QUESTION, { answer: 1 }]]);
  assert.match(page.textContent, /Thank you.*The work that asked continues with your answer\..*close this page/);
  assert.equal(kept.size, 0);
});

test("an answer is sent once, however often the button is pressed", async () => {
  replies = [{ status: 0, body: {} }];
  const submit = made();
  await Promise.all([submit(button), submit(button)]);
  assert.equal(sent.length, 1);
});

test("while it is on its way the button says so and keeps the focus it has", async () => {
  replies = [{ status: 0, body: {} }];
  const sending = made()(button);
  assert.deepEqual([button.textContent, button.getAttribute("aria-disabled")], ["Sending…", "true"]);
  assert.equal(button.getAttribute("disabled"), null);
  await sending;
  assert.deepEqual([button.textContent, button.getAttribute("aria-disabled")], ["Send", null]);
});

test("an answer that could not be sent keeps its draft and can be sent again", async () => {
  replies = [{ status: 503, body: {} }, { status: 200, body: RECEIPT }];
  const submit = made();
  assert.equal(await pressed(submit), "Your answer could not be sent. It is still on this page. Try again in a moment.");
  assert.deepEqual([...kept.values()], ['"typed"']);
  await pressed(submit);
  assert.match(page.textContent, /Thank you/);
});

test("while an answer is on its way, no look at the question changes the page", async () => {
  replies = [{ status: 503, body: {} }];
  const sending = made()(button);
  assert.deepEqual(held, ["held"]);
  await sending;
  assert.deepEqual(held, ["held", "released"]);
});

test("an answer that is not complete holds nothing", async () => {
  read = { faults: [{ field, fault: "This is needed." }] };
  await pressed();
  assert.deepEqual(held, []);
});

test("what the service finds wrong is said at its field by what the page knows of it, and never in English", async () => {
  readIn("de");
  const invalid = (...paths) => ({ code: "answer-invalid", errors: paths.map((field) => ({ field, message: "Bad." })) });
  const refusals = [["response.name", "response.name"], ["response.else"], ["response.name", "response"], []];
  replies = refusals.map((paths) => ({ status: 422, body: invalid(...paths) }));
  const submit = made();
  const begin = "Bitte sehen Sie sich das noch einmal an. Es wurde nichts gesendet.";
  const whole = "Ihre Antwort wurde so nicht angenommen. Pr\u00fcfen Sie jede Angabe.";
  assert.equal(await pressed(submit), `${begin}Name: Das ist keine g\u00fcltige Angabe.`);
  assert.deepEqual(field.shown, [null, "Das ist keine g\u00fcltige Angabe."]);
  field.expects = "Nur so.";
  assert.equal(await pressed(submit), `${begin}${whole}`);
  assert.equal(await pressed(submit), `${begin}Name: Nur so.${whole}`);
  assert.equal(await pressed(submit), `${begin}${whole}`);
  assert.equal(kept.size, 1);
});

test("the words of an adopter's own rules are shown as they are", async () => {
  const errors = ["response.name", "response"].map((path) => ({ field: path, message: "More than ordered." }));
  replies = [{ status: 422, body: { code: "answer-invalid", detail: "the answer does not fit the question", errors } }];
  assert.equal(await pressed(made({ ownRules: true })),
    "Please look at this again. Nothing has been sent.Name: More than ordered.More than ordered.");
});

for (const code of ["already-answered", "question-changed"]) {
  test(`after ${code} the question is shown as it is now`, async () => {
    replies = [{ status: 409, body: { code } }];
    await pressed();
    const notice = "The question has changed since you opened it. Please read it again.";
    assert.deepEqual(seen, [["opened", "the question as it is now", notice]]);
  });
}

for (const [status, body] of [[403, { message: "Forbidden" }], [404, {}], [413, { message: "Too large" }]]) {
  test(`D-28: a refusal ${status} of a proxy keeps what was typed`, async () => {
    replies = [{ status, body }];
    assert.match(await pressed(), /^Your answer was stopped on its way\. It is still on this page\./);
    assert.deepEqual([[...kept.values()], seen], [['"typed"'], []]);
  });
}

test("a refusal of the service that another try may pass keeps what was typed", async () => {
  replies = [{ status: 424, body: { code: "payload-unreadable" } }];
  assert.match(await pressed(), /^There is a fault on our side\./);
  assert.deepEqual([[...kept.values()], seen], [['"typed"'], []]);
});

test("a final refusal ends the question and drops the draft", async () => {
  replies = [{ status: 410, body: { code: "expired" } }];
  await pressed();
  assert.deepEqual([seen, kept.size], [[["ended", "expired"]], 0]);
});

test("another request is sent as an answer is: alone, with every button waiting, and without a look meanwhile", async () => {
  const submit = made();
  const given = [];
  const other = sending.send(button, async () => "a reply", (reply) => given.push(reply));
  submit(button);
  assert.deepEqual([button.getAttribute("aria-disabled"), button.textContent, sent, held], ["true", "Sending…", [], ["held"]]);
  await other;
  assert.deepEqual([given, held, button.textContent], [["a reply"], ["held", "released"], "Send"]);
});

test("a refusal of another request that is final ends the question too", async () => {
  made();
  await sending.refused({ status: 409, body: { code: "question-changed" } });
  await sending.refused({ status: 410, body: { code: "expired" } });
  assert.deepEqual(seen.map(([what]) => what), ["opened", "ended"]);
});
