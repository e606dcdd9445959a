// The deadline in the reader's own time zone, with a countdown.

import { el } from "./elements.js";
import { canPass } from "./service.js";
import { moment, remaining, say } from "./text.js";

const SOON_MILLISECONDS = 3600000;
const GRACE_MILLISECONDS = 1500;
const LOOK_AGAIN_MILLISECONDS = 10000;

// The timer of the countdown; there is at most one on the page.
let ticking;

/** The line with the countdown. When the service says that the time is over, `opened` is called with its reply. */
export function deadline(question, { service, opened }) {
  const left = el("strong", {});
  const until = el("time", { datetime: question.expires_at }, moment(question.expires_at));
  const line = el("p", { class: "deadline" }, left, " ", el("span", { class: "quiet" }, `${say("answer_by")} `, until));
  const end = Date.parse(question.expires_at);
  let looked = -Infinity;

  /** At the end ask the service: its clock decides. While the service still accepts an answer, nothing changes. */
  async function over(mine) {
    const reply = await service.fetchQuestion();
    if (mine === ticking && !canPass(reply.status) && reply.body.status !== "issued") opened(reply);
  }

  function tick() {
    const milliseconds = end - service.now();
    left.textContent = say("left", { time: remaining(milliseconds) });
    line.classList.toggle("soon", milliseconds < SOON_MILLISECONDS);
    if (milliseconds > -GRACE_MILLISECONDS || Date.now() - looked < LOOK_AGAIN_MILLISECONDS) return;
    looked = Date.now();
    over(ticking);
  }

  clearInterval(ticking);
  ticking = setInterval(tick, 1000);
  tick();
  return line;
}

/** Stop the countdown when the question leaves the page. A later reply of the service then changes nothing. */
export function stopDeadline() {
  clearInterval(ticking);
  ticking = undefined;
}
