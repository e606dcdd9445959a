import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { deadline, stopDeadline } from "../../../functions/page/script/deadline.js";
import { STRINGS, readIn } from "./english.js";
import { freshDocument } from "./tiny_dom.js";

const END = Date.parse("2026-05-01T12:00:00Z");
const QUESTION = { expires_at: "2026-05-01T12:00:00Z" };

let now;
let tick;
let asked;

/** Show the deadline at this many milliseconds from the end, by the service's clock. */
function shownAt(milliseconds) {
  now = END + milliseconds;
  return deadline(QUESTION, { now: () => now, over: () => (asked += 1) });
}

/** Let the timer fire at this many milliseconds from the end. */
function tickAt(milliseconds) {
  now = END + milliseconds;
  tick();
}

beforeEach(() => {
  readIn("en");
  freshDocument();
  asked = 0;
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

test("before the last hour the line has the deadline alone", () => {
  const { node } = shownAt(-3600000);
  assert.match(node.textContent, /^ Answer by .*2026/);
  assert.equal(node.getAttribute("class"), "");
});

test("in the last hour the line says what is left, and is marked", () => {
  const { node } = shownAt(-3600000);
  tickAt(-3599999);
  assert.match(node.textContent, /^59 minutes, 59 seconds left Answer by /);
  assert.equal(node.getAttribute("class"), "soon");
});

test("the service is asked a moment after the end, and not before", () => {
  shownAt(-1000);
  tickAt(1499);
  assert.equal(asked, 0);
  tickAt(1500);
  assert.equal(asked, 1);
});

test("a deadline that is over when the question opens asks at once", () => {
  shownAt(5000);
  assert.equal(asked, 1);
});

test("while the service still takes an answer, it is asked again after ten seconds", () => {
  shownAt(-1000);
  tickAt(2000);
  tickAt(11999);
  assert.equal(asked, 1);
  tickAt(12000);
  assert.equal(asked, 2);
});

test("a deadline that moved is shown and said, and the old one ends nothing", () => {
  const { node, move } = shownAt(-1000);
  move("2026-05-02T12:00:00Z");
  assert.match(node.textContent, /^ Answer by Sat.*2 May 2026|^ Answer by Sat.*May 2, 2026/);
  assert.ok(node.textContent.endsWith(STRINGS.en.deadline_moved));
  assert.equal(node.getAttribute("class"), "");
  tickAt(2000);
  assert.equal(asked, 0);
});

test("the same deadline in another writing has not moved", () => {
  const { node, move } = shownAt(-1000);
  move("2026-05-01T12:00:00.000Z");
  assert.ok(!node.textContent.includes(STRINGS.en.deadline_moved));
});
