import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { deadline, stopDeadline } from "../../../functions/page/script/deadline.js";
import { readIn } from "./english.js";
import { freshDocument } from "./tiny_dom.js";

const END = Date.parse("2026-05-01T12:00:00Z");
const QUESTION = { expires_at: "2026-05-01T12:00:00Z" };

let now;
let tick;
let asked;
let opened;
let reply;

/** Show the deadline at this many milliseconds from the end, by the service's clock. */
function shownAt(milliseconds) {
  now = END + milliseconds;
  const service = {
    now: () => now,
    fetchQuestion() {
      asked += 1;
      return Promise.resolve(reply);
    },
  };
  return deadline(QUESTION, { service, opened: (given) => opened.push(given) });
}

/** Let the timer fire at this many milliseconds from the end, and what was asked be answered. */
async function tickAt(milliseconds) {
  now = END + milliseconds;
  tick();
  await new Promise(setImmediate);
}

beforeEach(() => {
  readIn("en");
  freshDocument();
  asked = 0;
  opened = [];
  reply = { status: 200, body: { status: "expired" } };
  let timers = 0;
  mock.method(globalThis, "setInterval", (called) => {
    tick = called;
    timers += 1;
    return timers;
  });
  mock.method(globalThis, "clearInterval", () => {});
  mock.method(Date, "now", () => now);
});

afterEach(() => {
  stopDeadline();
  mock.restoreAll();
});

test("the line says what is left, and is marked in the last hour", () => {
  const far = shownAt(-3 * 3600000);
  assert.match(far.textContent, /^3 hours left Answer by /);
  assert.equal(far.getAttribute("class"), "");
  assert.equal(shownAt(-3599999).getAttribute("class"), "soon");
});

test("the service is asked a moment after the end, and not before", async () => {
  shownAt(-1000);
  await tickAt(1499);
  assert.equal(asked, 0);
  await tickAt(1500);
  assert.deepEqual([asked, opened], [1, [reply]]);
});

test("while the service still takes an answer nothing changes, and it is asked again after ten seconds", async () => {
  reply = { status: 200, body: { status: "issued" } };
  shownAt(-1000);
  await tickAt(2000);
  await tickAt(11999);
  assert.equal(asked, 1);
  await tickAt(12000);
  assert.deepEqual([asked, opened], [2, []]);
});

test("a service that cannot be reached ends nothing", async () => {
  reply = { status: 503, body: {} };
  shownAt(-1000);
  await tickAt(2000);
  assert.deepEqual([asked, opened], [1, []]);
});

test("a reply that comes when the question is on the page no more changes nothing", async () => {
  shownAt(-1000);
  const ticked = tickAt(2000);
  stopDeadline();
  await ticked;
  assert.deepEqual([asked, opened], [1, []]);
});

test("a reply to an earlier countdown changes nothing", async () => {
  shownAt(-1000);
  const ticked = tickAt(2000);
  shownAt(-1000);
  await ticked;
  assert.deepEqual([asked, opened], [1, []]);
});
