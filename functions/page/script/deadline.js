// The deadline in the reader's own time zone. In the last hour it is marked and counts down; before, it stays quiet.

import { el } from "./elements.js";
import { moment, remaining, say } from "./text.js";

const SOON_MILLISECONDS = 3600000;
const GRACE_MILLISECONDS = 1500;
const LOOK_AGAIN_MILLISECONDS = 10000;

// The timer of the countdown; there is at most one on the page.
let ticking;

/**
 * The line with the deadline, as {node, move}. `over` is called after the end, and again every ten seconds: it asks the
 * service, whose clock decides. `now` is the time of that clock. `move` takes a new deadline and says that it is new.
 */
export function deadline({ expires_at }, { now, over }) {
  const left = el("strong", {});
  const until = el("time", {});
  const moved = el("span", { class: "moved", role: "status" });
  const node = el("p", { class: "deadline" }, left, " ", el("span", { class: "quiet" }, `${say("answer_by")} `, until),
    moved);
  let end;
  let looked = -Infinity;

  function set(text) {
    end = Date.parse(text);
    until.setAttribute("datetime", text);
    until.textContent = moment(text);
  }

  function tick() {
    const milliseconds = end - now();
    const isSoon = milliseconds < SOON_MILLISECONDS;
    left.textContent = isSoon ? say("left", { time: remaining(milliseconds) }) : "";
    node.classList.toggle("soon", isSoon);
    if (milliseconds > -GRACE_MILLISECONDS || Date.now() - looked < LOOK_AGAIN_MILLISECONDS) return;
    looked = Date.now();
    over();
  }

  function move(text) {
    if (Date.parse(text) === end) return;
    set(text);
    moved.textContent = ` ${say("deadline_moved")}`;
    tick();
  }

  set(expires_at);
  clearInterval(ticking);
  ticking = setInterval(tick, 1000);
  tick();
  return { node, move };
}

/** Stop the countdown when the question leaves the page. */
export function stopDeadline() {
  clearInterval(ticking);
  ticking = undefined;
}
