import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { isFinal } from "../../../functions/page/script/endings.js";
import { stopWatching, watch } from "../../../functions/page/script/watching.js";
import { freshDocument } from "./tiny_dom.js";

const QUESTION = { request_hash: "h" };
const AT = "2026-05-01T12:00:00Z";
const SAME = { status: 200, body: { unchanged: true, status: "issued", expires_at: AT } };

let reply;
let asked;
let changed;
let moved;
let random;

beforeEach(() => {
  freshDocument();
  reply = SAME;
  asked = 0;
  changed = [];
  moved = [];
  random = 0;
  mock.method(Math, "random", () => random);
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
});

afterEach(() => {
  stopWatching();
  mock.timers.reset();
  mock.restoreAll();
});

function watched() {
  const service = {
    async lookAgain(question) {
      assert.equal(question, QUESTION);
      asked += 1;
      return reply;
    },
  };
  return watch(QUESTION, {
    service, isFinal, changed: (given) => changed.push(given), moved: ({ expires_at: at }) => moved.push(at),
  });
}

const settled = () => new Promise(setImmediate);

/** Let time pass, second by second, with what is asked in it answered. */
async function pass(seconds) {
  for (let count = 0; count < seconds; count += 1) {
    mock.timers.tick(1000);
    await settled();
  }
}

test("an unchanged question is looked at every seven seconds, and nothing changes", async () => {
  watched();
  await pass(70);
  assert.deepEqual([asked, changed], [10, []]);
  assert.deepEqual(new Set(moved), new Set([AT]));
});

test("with the longest jitter a change is still seen within ten seconds", async () => {
  random = 0.999;
  watched();
  await pass(9);
  assert.equal(asked, 1);
});

for (const [what, body, status] of [
  ["answered", { status: "answered", answered_at: AT }, 200],
  ["revoked", { status: "revoked" }, 200],
  ["another question", { status: "issued", request_hash: "other" }, 200],
  ["expired", { code: "expired" }, 410],
  ["a link that was revoked", { code: "link-revoked" }, 403],
]) {
  test(`what is now ${what} changes the page once, and is not looked at again`, async () => {
    watched();
    await pass(7);
    reply = { status, body };
    await pass(60);
    assert.deepEqual([asked, changed], [2, [reply]]);
  });
}

test("the whole question in reply, as of a service without the short one, is no change", async () => {
  reply = { status: 200, body: { status: "issued", request_hash: "h", expires_at: AT, payload: {} } };
  watched();
  await pass(14);
  assert.deepEqual([asked, changed], [2, []]);
});

for (const [status, body] of [[0, {}], [429, {}], [503, { code: "store-unavailable" }], [403, { message: "Forbidden" }],
  [400, { code: "bad-request" }], [424, { code: "payload-unreadable" }]]) {
  test(`a ${status} ${body.code ?? ""} changes nothing, and the page asks less and less often`, async () => {
    reply = { status, body };
    watched();
    await pass(7 + 14 + 28);
    assert.equal(asked, 3);
    await pass(56 + 112 + 120 + 120);
    assert.deepEqual([asked, changed, moved], [7, [], []]);
    reply = SAME;
    await pass(120 + 7 + 7);
    assert.equal(asked, 10);
  });
}

test("a page that is hidden does not ask, and asks at once when it is seen again", async () => {
  watched();
  document.turn("hidden");
  await pass(600);
  assert.equal(asked, 0);
  document.turn("visible");
  mock.timers.tick(0);
  await settled();
  assert.equal(asked, 1);
});

test("a page that is turned again and again does not ask each time", async () => {
  watched();
  for (let count = 0; count < 20; count += 1) {
    document.turn("hidden");
    document.turn("visible");
    mock.timers.tick(100);
    await settled();
  }
  assert.equal(asked, 1);
});

test("a page that is hidden while it asks does not go on asking", async () => {
  const { look } = watched();
  const asking = look();
  document.turn("hidden");
  await asking;
  await pass(60);
  assert.equal(asked, 1);
});

test("a look asks at once, and not twice at a time", async () => {
  const { look } = watched();
  await Promise.all([look(), look()]);
  assert.equal(asked, 1);
  await pass(7);
  assert.equal(asked, 2);
});

test("while it is held nothing is asked, and a reply that comes then changes nothing", async () => {
  const { look, hold, release } = watched();
  reply = { status: 200, body: { status: "answered" } };
  const asking = look();
  hold();
  await asking;
  await look();
  await pass(60);
  assert.deepEqual([asked, changed], [1, []]);
  release();
  await pass(7);
  assert.deepEqual([asked, changed], [2, [reply]]);
});

test("a reply that comes when the question is on the page no more changes nothing", async () => {
  const { look } = watched();
  reply = { status: 200, body: { status: "answered" } };
  const asking = look();
  stopWatching();
  await asking;
  document.turn("hidden");
  document.turn("visible");
  await pass(60);
  assert.deepEqual([asked, changed], [1, []]);
});

test("of two watches, the later one stops the earlier", async () => {
  watched();
  watched();
  await pass(7);
  assert.equal(asked, 1);
});
