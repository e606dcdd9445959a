// The deadline, in the reader's own time zone and counting down.

import { el } from "./elements.js";
import { canPass } from "./service.js";
import { moment, remaining, say } from "./text.js";

const SOON_MILLISECONDS = 3600000;
const GRACE_MILLISECONDS = 1500;
const LOOK_AGAIN_MILLISECONDS = 10000;

// The timer of the one countdown that is on the page.
let ticking;

/** The line that counts down. `opened` is called with the service's reply once it says that the time is over. */
export function deadline(question, { service, opened }) {
  const left = el("strong", {});
  const until = el("time", { datetime: question.expires_at }, moment(question.expires_at));
  const line = el("p", { class: "deadline" }, left, " ", el("span", { class: "quiet" }, `${say("answer_by")} `, until));
  const end = Date.parse(question.expires_at);
  let looked = -Infinity;

  /** At the end the service says how things stand: its clock decides. Nothing changes while it takes an answer. */
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

/** Stop counting: the question is on the page no more. A reply that is still on its way then changes nothing. */
export function stopDeadline() {
  clearInterval(ticking);
  ticking = undefined;
}
