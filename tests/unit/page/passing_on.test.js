import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { show } from "../../../functions/page/script/elements.js";
import { passingOn } from "../../../functions/page/script/passing_on.js";
import { STRINGS, readIn } from "./english.js";
import { controls, freshDocument, press, type, within } from "./tiny_dom.js";

const QUESTION = { jti: "j", request_hash: "h", recipient: "ada", about: { asker: "Billing agent" }, may_delegate: true };
const NOW = Date.parse("2026-05-01T12:00:00Z");

let sent;
let replies;
let kept;

beforeEach(() => {
  readIn("en");
  freshDocument();
  kept = new Map([["askback:j:h", '"typed"'], ["askback:j:ask_back", '"typed"']]);
  globalThis.sessionStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
  sent = [];
  replies = [{ status: 200, body: { jti: "j", from: "ada", to: "bob@example.com", replayed: false, status: "issued" } }];
});

function shown(question = QUESTION) {
  const service = { now: () => NOW, post: async (...request) => sent.push(request) && replies.shift() };
  const sending = { send: async (_, request, settle) => settle(await request()), refused() {} };
  const node = passingOn(question, "Pay <b>it</b>?", { question, service, sending });
  show(node);
  return node;
}

const labelled = (label) => within(document.page).find((each) => each.tagName === "BUTTON" && each.textContent === label);
const settled = () => new Promise(setImmediate);

async function pressed(label, event = {}) {
  const button = labelled(label);
  if (event.detail) for (const { heard } of button.listeners) heard(event);
  else press(button);
  await settled();
}

async function passes(to) {
  type(controls(document.page)[0], to);
  await pressed("Pass on");
}

test("there is no part for a reader who may not pass the question on", () => {
  for (const may_delegate of [false, undefined]) assert.ok(!shown({ ...QUESTION, may_delegate }));
});

test("the first press says who decides then and that the link ends, and sends nothing", async () => {
  const node = shown();
  assert.equal(labelled("Pass on").getAttribute("type"), "button");
  await passes(" bob@example.com ");
  assert.deepEqual([sent, node.hidden], [[], true]);
  assert.ok(document.page.textContent.includes(
    "bob@example.com then decides instead of you. Your link no longer works after that."));
  assert.equal(document.focused.tagName, "H1");
});

test("going back sends nothing, and the field is as it was", async () => {
  const node = shown();
  await passes("bob@example.com");
  await pressed("Go back");
  assert.deepEqual([sent, node.hidden, controls(node)[0].value], [[], false, "bob@example.com"]);
  assert.equal(document.focused, labelled("Pass on"));
});

test("the second press of a double click sends nothing", async () => {
  shown();
  await passes("bob@example.com");
  await pressed("Yes, pass on", { detail: 2 });
  assert.deepEqual(sent, []);
});

test("the second press passes it on, and the page is the receipt of that", async () => {
  shown();
  await passes(" bob@example.com ");
  await pressed("Yes, pass on");
  assert.deepEqual(sent, [["delegations", { to: "bob@example.com", request_hash: "h" }]]);
  assert.match(document.page.textContent, /You have passed this question on.*Passed on to bob@example\.com on .*2026/);
  assert.match(document.page.textContent, /ReceiptQuestionPay <b>it<\/b>\?.*Billing agent.*Reference numberj/);
  assert.deepEqual([controls(document.page).length, kept.size], [0, 0]);
});

test("a person whom the service does not take is said at the field", async () => {
  replies = [{ status: 400, body: { code: "bad-request", errors: [{ field: "to", message: "is asked already" }] } }];
  const node = shown();
  await passes("bob");
  await pressed("Yes, pass on");
  assert.ok(node.textContent.includes(STRINGS.en.pass_on_refused));
  assert.equal(document.focused, controls(node)[0]);
});

test("without a name nothing is asked and nothing is sent", async () => {
  const node = shown();
  await passes(" ");
  assert.ok(node.textContent.includes(STRINGS.en.missing));
  assert.ok(!document.page.textContent.includes(STRINGS.en.check_title));
});
