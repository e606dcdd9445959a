// The page itself: fetch the question, show it, send the answer, and say truthfully how that went.

let ticking;

/** A state without a form: what happened, in one sentence, and what can be done. */
function state({ kind = "", mark, title, text = [], button = null, more = null }) {
  clearInterval(ticking);
  document.title = title;
  const heading = el("h1", { tabindex: "-1" }, title);
  show(el("div", { class: "sheet" },
    el("div", { class: `mark ${kind}`, "aria-hidden": "true" }, mark),
    heading,
    ...text.map((line) => el("p", {}, line)),
    button ? el("div", { class: "buttons" }, el("button", { type: "button", onclick: button.press }, button.label)) : null), more);
  heading.focus();
}

const simply = (key, mark, kind = "") => state({ kind, mark, title: say(`${key}_title`), text: [say(`${key}_text`)] });

/** What the service's refusals are to a person. */
const ENDINGS = {
  expired: () => simply("expired", "⌛"),
  revoked: () => simply("withdrawn", "–"),
  "waiter-gone": () => simply("gone", "–"),
  "answerer-not-allowed": () => simply("not_allowed", "–", "bad"),
  "unknown-pause": () => simply("unknown", "?"),
  "token-rejected": () => simply("damaged", "!", "bad"),
};

function unusable() {
  simply("unusable", "!", "bad");
}

function unavailable() {
  state({ mark: "…", title: say("unavailable_title"), text: [say("unavailable_text")], button: { label: say("try_again"), press: start } });
}

const canPass = (status) => status === 0 || status === 429 || status === 502 || status === 503 || status === 504;

async function start() {
  if (!TOKEN) return simply("damaged", "!", "bad");
  const { status, body } = await fetchQuestion();
  if (status === 200) return opened(body);
  if (canPass(status)) return unavailable();
  return (ENDINGS[body.code] ?? unusable)();
}

/** Show a question that the service gave, or how it ended. */
function opened(question, notice = null) {
  if (question.status === "revoked") return ENDINGS.revoked();
  if (question.status === "expired") return ENDINGS.expired();
  if (question.status !== "issued") return answered(question);
  return asking(question, notice);
}

function answered(question) {
  const whose = { true: "by_you", false: "by_other" }[question.answered_by_you] ?? "by_somebody";
  const text = [say(`${whose}_text`, { when: moment(question.answered_at) })];
  state({ kind: "good", mark: "✓", title: say(`${whose}_title`), text, more: asked(question) });
}

/** What was asked, for somebody who comes back to an answered question. */
function asked(question) {
  return el("details", { class: "sheet" }, el("summary", {}, say("what_was_asked")), facts(question.payload));
}

function thanks(receipt) {
  const text = [say(receipt.replayed ? "thanks_again_text" : "thanks_text", { when: moment(receipt.answered_at) })];
  if (receipt.delivery === "pending") text.push(say("thanks_pending"));
  if (receipt.delivery === "undeliverable") text.push(say("thanks_undeliverable"));
  state({ kind: "good", mark: "✓", title: say("thanks_title"), text: [...text, say("close_now")] });
}

function asking(question, notice) {
  const form = formOf(question);
  form.restore(readDraft(question));
  form.listen(() => keepDraft(question, form));
  document.title = form.title;
  const heading = el("h1", { tabindex: "-1", class: "foreign", dir: "auto" }, form.title);
  const said = el("div", { id: "notice", role: "alert" }, notice ? el("div", { class: "notice" }, notice) : null);
  const buttons = form.buttons.map(({ label, kind }, index) =>
    el("button", { type: "submit", value: kind, class: index ? "second" : null }, label));
  const element = el("form", { novalidate: true }, ...form.nodes.filter(Boolean), said, el("div", { class: "buttons" }, ...buttons));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(question, form, event.submitter?.value ?? form.buttons[0].kind, buttons);
  });
  show(el("div", { class: "sheet" }, asker(question), heading, ...form.intro.filter(Boolean), deadline(question), element),
    el("p", { class: "quiet after" }, say(question.waits ? "next_waiting" : "next_fetched")));
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function asker(question) {
  const lines = [
    [say("asked_by"), titled(question.name)],
    [say("for_scope"), question.scope_label],
    [say("for_requester"), question.requester],
    [say("in_run"), question.run_id],
  ].filter(([, value]) => value);
  return el("div", { class: "asker quiet" }, ...lines.map(([name, value]) => el("div", {}, `${name} `, foreign(value))));
}

/** The deadline in the reader's own time, counting down; at its end the service is asked how things stand. */
function deadline(question) {
  const left = el("strong", {});
  const line = el("p", { class: "quiet deadline" },
    el("span", {}, `${say("answer_by")} `, el("time", { datetime: question.expires_at }, moment(question.expires_at))), left);
  const end = Date.parse(question.expires_at);
  const tick = () => {
    const milliseconds = end - now();
    left.textContent = say("left", { time: remaining(milliseconds) });
    line.classList.toggle("soon", milliseconds < 3600000);
    if (milliseconds > 0) return;
    clearInterval(ticking);
    start();
  };
  clearInterval(ticking);
  ticking = setInterval(tick, 1000);
  tick();
  return line;
}

let sending = false;

async function submit(question, form, kind, buttons) {
  if (sending) return;
  const read = form.read(kind);
  for (const field of form.all()) field.show(null);
  if (read.faults) return faulty(read.faults);
  sending = true;
  announce(null);
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  const pressed = buttons.find((button) => button.value === kind);
  const label = pressed.textContent;
  pressed.textContent = say("sending");
  keepDraft(question, form);
  const reply = await sendAnswer(question, read.value);
  sending = false;
  pressed.textContent = label;
  for (const button of buttons) button.removeAttribute("aria-disabled");
  settle(question, form, reply);
}

async function settle(question, form, { status, body }) {
  if (status === 200) {
    dropDraft(question);
    return thanks(body);
  }
  if (canPass(status)) return announce(el("p", {}, say("not_sent")));
  if (body.code === "answer-invalid") return refused(form, body);
  if (body.code === "already-answered" || body.code === "question-changed") {
    dropDraft(question);
    const { status: found, body: current } = await fetchQuestion();
    if (found === 200) return opened(current, say("changed_question"));
    return canPass(found) ? unavailable() : (ENDINGS[current.code] ?? unusable)();
  }
  return (ENDINGS[body.code] ?? unusable)();
}

/** Mark what is wrong, list it above the buttons with links, and go to the first. */
function faulty(faults) {
  for (const { field, fault } of faults) field.show(fault);
  announce(el("p", {}, say("look_again")), el("ul", {}, ...faults.map(({ field, fault }) =>
    el("li", {}, el("a", { href: `#${field.target}`, onclick: (event) => goTo(event, field.target) }, foreign(field.label)), `: ${fault}`))));
  document.getElementById(faults[0].field.target).focus();
}

/** A link to a field moves the focus and leaves the address alone: its fragment is the token. */
function goTo(event, id) {
  event.preventDefault();
  document.getElementById(id).focus();
}

/** What the service found wrong with an answer that this page took for good. */
function refused(form, body) {
  const faults = (body.errors ?? []).map(({ field, message }) => ({ field: form.fieldAt(field), fault: message }));
  if (faults.length && faults.every(({ field }) => field)) return faulty(faults);
  announce(el("p", {}, say("look_again")), el("ul", {}, ...(body.errors ?? []).map(({ message }) => el("li", {}, message))));
}

function announce(...children) {
  const said = document.getElementById("notice");
  const kept = children.filter(Boolean);
  said.replaceChildren(...(kept.length ? [el("div", { class: "notice bad" }, ...kept)] : []));
}

start();
