// The states without a form: one or two sentences on what happened, and a button where it helps.

import { stopDeadline } from "./deadline.js";
import { el, foreign, labelled, sayWith, show } from "./elements.js";
import { entry } from "./exact_json.js";
import { facts } from "./facts.js";
import { receiptOf, receiptWith } from "./receipt.js";
import { canPass } from "./service.js";
import { moment, plain, say } from "./text.js";
import { votesRows } from "./votes.js";
import { stopWatching } from "./watching.js";

function state({ kind = "", mark, title, text = [], button = null, more = null }) {
  stopDeadline();
  stopWatching();
  document.title = plain(title);
  const heading = el("h1", { tabindex: "-1" }, title);
  const press = button && (button.href
    ? el("a", { class: "button", href: button.href, rel: "noreferrer noopener" }, button.label)
    : el("button", { type: "button", onclick: button.press }, button.label));
  show(el("div", { class: "sheet" },
    el("div", { class: `mark ${kind}`, "aria-hidden": "true" }, mark),
    heading,
    ...text.map((line) => el("p", {}, line)),
    press && el("div", { class: "buttons" }, press)), ...[more].flat());
  heading.focus();
}

const endedOn = (when) => (when ? [say("ended_on", { when: moment(when) })] : []);

/** The question of a pause that has ended. Only a link that was made for one recipient gets it. */
const asked = (payload) =>
  payload && el("details", { class: "sheet" }, el("summary", {}, say("what_was_asked")), facts(payload));

const simply = (key, mark, kind = "") => ({ ended_at, expired_at, payload, reason } = {}) =>
  state({ kind, mark, title: say(`${key}_title`),
    text: [say(`${key}_text`), ...why(reason), ...endedOn(ended_at ?? expired_at)], more: asked(payload) });

/** Why the program that asked has cancelled its question, in its own words. */
const why = (reason) => (reason
  ? [el("span", { class: "reason" }, el("strong", {}, say("why")), " ", foreign(reason))] : []);

/** A newer question has replaced this one. Only a link that was made for one of its people leads on to it. */
const superseded = ({ ended_at, payload, next_answer_token: next } = {}) =>
  state({ mark: "→", title: say("superseded_title"),
    text: [say("superseded_text"), ...(next ? [] : [say("superseded_else")]), ...endedOn(ended_at)],
    button: next && { label: say("superseded_next"), href: `#${next}` }, more: asked(payload) });

/** The page for each refusal of the service, by its code; it takes the body of the refusal, or of a question. */
export const ENDINGS = {
  expired: simply("expired", "–"),
  revoked: simply("revoked", "–"),
  superseded,
  "waiter-gone": simply("gone", "–"),
  "answerer-not-allowed": simply("not_allowed", "–", "bad"),
  "link-revoked": simply("link_revoked", "–", "bad"),
  "unknown-pause": simply("unknown", "?"),
  "token-rejected": simply("damaged", "!", "bad"),
};

/** Whether a refusal of an answer with this code is the service's own, and no other try can succeed. */
export const isFinal = (code) => ["already-answered", "already-voted", "question-changed", ...Object.keys(ENDINGS)].includes(code);

const unusable = simply("unusable", "!", "bad");

/** Show a reply that is not a question. `again` is the action of the button when another try may help. */
export function ended({ status, body }, again) {
  // A refusal without a code of the service is that of a gateway or a proxy before it.
  if (!canPass(status) && body.code) return (entry(ENDINGS, body.code) ?? unusable)(body);
  const button = { label: say("try_again"), press: again };
  return state({ mark: "…", title: say("unavailable_title"), text: [say("unavailable_text")], button });
}

/** Show that this link is not enough, and lead to the sign-in where that helps. The token never goes there. */
export function notByLink({ sign_in_url: href, least_assurance: least }) {
  if (!href && least !== "signed_in" && least !== "stepped_up") return ENDINGS["answerer-not-allowed"]();
  const text = [say(href ? "sign_in_text" : "sign_in_elsewhere_text")];
  return state({ mark: "→", title: say("sign_in_title"), text, button: href && { label: say("sign_in"), href } });
}

/** Show that the question is answered, and by whom if this link may know it. */
export function answered(question) {
  const more = asked(question.payload);
  if (question.by_policy) {
    const text = [say("by_policy_text"), ...endedOn(question.ended_at)];
    return state({ mark: "–", title: say("expired_title"), text, more });
  }
  const by = { true: "by_you", false: "by_other" }[question.answered_by_you];
  const whose = (!question.quorum && by) || "answered";
  const text = [say(`${whose}_text`, { when: moment(question.answered_at) })];
  return state({ kind: "good", mark: "✓", title: say(`${whose}_title`), text, more: withVotes(question, more) });
}

/** Show a member who has voted that the question waits for the votes of others. */
export function voted(question) {
  const text = [say("voted_text", { when: moment(question.voted_at) }), say("votes_missing")];
  const more = withVotes(question, asked(question.payload));
  state({ kind: "good", mark: "✓", title: say("voted_title"), text, more });
}

/** What stands below a state, with the votes of a question that several people decide. */
function withVotes(question, more) {
  const rows = votesRows(question);
  if (!rows.length) return more;
  const votes = el("section", { class: "sheet decision" }, el("h2", {}, say("votes_list")), labelled(rows));
  return [votes, more];
}

/** Show that the answer was received, whether it was already delivered, and the receipt of the question. */
export function thanks(receipt, question) {
  if (receipt.status === "issued") {
    const text = [say("voted_text", { when: moment(receipt.answered_at) }), say("votes_missing"), say("close_now")];
    const more = withVotes(receipt, receiptOf(question, receipt));
    return state({ kind: "good", mark: "✓", title: say("voted_title"), text, more });
  }
  const text = [say(receipt.replayed ? "thanks_again_text" : "thanks_text", { when: moment(receipt.answered_at) })];
  if (receipt.delivery === "delivered") text.push(say("thanks_delivered"));
  if (receipt.delivery === "pending") text.push(say("thanks_pending"));
  if (receipt.delivery === "undeliverable") text.push(say("thanks_undeliverable"));
  return state({ kind: "good", mark: "✓", title: say("thanks_title"), text: [...text, say("close_now")],
    more: withVotes(receipt, receiptOf(question, receipt)) });
}

/** Show that the reader has passed the question on, and to whom; `at` is in milliseconds. */
export function passedOn(question, title, { jti, to, at }) {
  const text = [sayWith("passed_on_text", to, { when: moment(at) }), say("close_now")];
  const more = receiptWith(question, jti, [[say("receipt_question"), foreign(title)]]);
  state({ kind: "good", mark: "✓", title: say("passed_on_title"), text, more });
}
