// Looks again at the question that is open on the page: another person may answer it, or an operator may revoke it.
// The service answers with the status alone as long as nothing changed. A page that is not seen does not ask.

import { canPass } from "./service.js";

// With the jitter and the way there and back, a change is seen within 10 seconds.
const EVERY_MILLISECONDS = 7000;
const JITTER = 0.2;
const LONGEST_MILLISECONDS = 120000;
const LEAST_MILLISECONDS = 2000;

// What stops the watch; there is at most one on the page.
let stop = () => {};

/**
 * Watch a question from now on. `changed` is called once, with the reply of another state, question or round of votes;
 * `moved` with the deadline and the votes of each look. Returns {look, hold, release}: while it is held, because an answer is on its way, nothing changes the page.
 */
export function watch(question, { service, isFinal, changed, moved }) {
  stopWatching();
  let timer;
  let asked = Date.now();
  let failures = 0;
  let asking = false;
  let held = false;
  let stopped = false;

  function next(delay) {
    clearTimeout(timer);
    if (stopped || held || document.visibilityState === "hidden") return;
    timer = setTimeout(look, delay);
  }

  function later() {
    const steady = Math.min(LONGEST_MILLISECONDS, EVERY_MILLISECONDS * 2 ** failures);
    next(steady * (1 + JITTER * Math.random()));
  }

  async function look() {
    if (stopped || held || asking) return;
    asking = true;
    asked = Date.now();
    let reply = await service.lookAgain(question);
    // In another round of votes the values to vote on are others; only the whole question has them.
    const round = reply.body.quorum?.round;
    if (reply.body.unchanged && round !== question.quorum?.round) reply = await service.fetchQuestion();
    asking = false;
    if (stopped || held) return;
    const { status, body } = reply;
    // A refusal that is not final, as of an earlier version of the service, ends nothing.
    const passing = canPass(status) || (status !== 200 && !isFinal(body.code));
    failures = passing ? failures + 1 : 0;
    if (!passing && !isSame(body, question)) {
      changed(reply);
      return;
    }
    if (!passing) moved(body);
    later();
  }

  const seen = () => next(Math.max(0, asked + LEAST_MILLISECONDS - Date.now()));
  document.addEventListener("visibilitychange", seen);
  stop = () => {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", seen);
  };
  later();
  return {
    look,
    hold() {
      held = true;
      clearTimeout(timer);
    },
    release() {
      held = false;
      later();
    },
  };
}

/** Stop watching when the question leaves the page. A later reply of the service then changes nothing. */
export function stopWatching() {
  stop();
}

function isSame(body, question) {
  if (body.quorum && body.quorum.round !== question.quorum?.round) return false;
  return body.unchanged === true || (body.status === "issued" && body.request_hash === question.request_hash);
}
