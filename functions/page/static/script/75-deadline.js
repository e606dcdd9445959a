// The deadline, in the reader's own time zone and counting down.

const SOON_MILLISECONDS = 3600000;
const GRACE_MILLISECONDS = 1500;
const LOOK_AGAIN_MILLISECONDS = 10000;
let ticking;

function deadline(question) {
  const left = el("strong", {});
  const until = el("time", { datetime: question.expires_at }, moment(question.expires_at));
  const line = el("p", { class: "deadline" }, left, " ", el("span", { class: "quiet" }, `${say("answer_by")} `, until));
  const end = Date.parse(question.expires_at);
  let looked = -Infinity;
  const tick = () => {
    const milliseconds = end - now();
    left.textContent = say("left", { time: remaining(milliseconds) });
    line.classList.toggle("soon", milliseconds < SOON_MILLISECONDS);
    if (milliseconds > -GRACE_MILLISECONDS || Date.now() - looked < LOOK_AGAIN_MILLISECONDS) return;
    looked = Date.now();
    over(ticking);
  };
  clearInterval(ticking);
  ticking = setInterval(tick, 1000);
  tick();
  return line;
}

/** At the end the service says how things stand: its clock decides. Nothing changes while it still takes an answer. */
async function over(mine) {
  const reply = await fetchQuestion();
  if (mine === ticking && !canPass(reply.status) && reply.body.status !== "issued") opened(reply);
}
