// The states without a form: what happened, told in a sentence or two, and what can be done.

function state({ kind = "", mark, title, text = [], button = null, more = null }) {
  clearInterval(ticking);
  document.title = plain(title);
  const heading = el("h1", { tabindex: "-1" }, title);
  show(el("div", { class: "sheet" },
    el("div", { class: `mark ${kind}`, "aria-hidden": "true" }, mark),
    heading,
    ...text.map((line) => el("p", {}, line)),
    button && el("div", { class: "buttons" }, el("button", { type: "button", onclick: button.press }, button.label))), more);
  heading.focus();
}

const simply = (key, mark, kind = "") => () => state({ kind, mark, title: say(`${key}_title`), text: [say(`${key}_text`)] });

/** What the service's refusals are to a person. */
const ENDINGS = {
  expired: simply("expired", "–"),
  revoked: simply("withdrawn", "–"),
  "waiter-gone": simply("gone", "–"),
  "answerer-not-allowed": simply("not_allowed", "–", "bad"),
  "unknown-pause": simply("unknown", "?"),
  "token-rejected": simply("damaged", "!", "bad"),
};

const unusable = simply("unusable", "!", "bad");

/** Whether the same request may succeed a little later: no connection, too many at once, or a fault of the service's. */
const canPass = (status) => status === 0 || status === 429 || status >= 500;

/** Show what a reply that is not a question means. */
function ended({ status, body }) {
  if (!canPass(status)) return (entry(ENDINGS, body.code) ?? unusable)();
  const button = { label: say("try_again"), press: start };
  return state({ mark: "…", title: say("unavailable_title"), text: [say("unavailable_text")], button });
}

function answered(question) {
  if (question.by_policy) return state({ mark: "–", title: say("expired_title"), text: [say("by_policy_text")] });
  const whose = { true: "by_you", false: "by_other" }[question.answered_by_you] ?? "by_somebody";
  const text = [say(`${whose}_text`, { when: moment(question.answered_at) })];
  const more = el("details", { class: "sheet" }, el("summary", {}, say("what_was_asked")), facts(question.payload));
  state({ kind: "good", mark: "✓", title: say(`${whose}_title`), text, more });
}

function thanks(receipt) {
  const text = [say(receipt.replayed ? "thanks_again_text" : "thanks_text", { when: moment(receipt.answered_at) })];
  if (receipt.delivery === "delivered") text.push(say("thanks_delivered"));
  if (receipt.delivery === "pending") text.push(say("thanks_pending"));
  if (receipt.delivery === "undeliverable") text.push(say("thanks_undeliverable"));
  state({ kind: "good", mark: "✓", title: say("thanks_title"), text: [...text, say("close_now")] });
}
