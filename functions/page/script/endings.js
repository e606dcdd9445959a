// The states without a form: what happened, told in a sentence or two, and what can be done.

import { stopDeadline } from "./deadline.js";
import { el, show } from "./elements.js";
import { facts } from "./facts.js";
import { entry } from "./json_values.js";
import { canPass } from "./service.js";
import { moment, plain, say } from "./text.js";

function state({ kind = "", mark, title, text = [], button = null, more = null }) {
  stopDeadline();
  document.title = plain(title);
  const heading = el("h1", { tabindex: "-1" }, title);
  const press = button && el("button", { type: "button", onclick: button.press }, button.label);
  show(el("div", { class: "sheet" },
    el("div", { class: `mark ${kind}`, "aria-hidden": "true" }, mark),
    heading,
    ...text.map((line) => el("p", {}, line)),
    press && el("div", { class: "buttons" }, press)), more);
  heading.focus();
}

const simply = (key, mark, kind = "") => () =>
  state({ kind, mark, title: say(`${key}_title`), text: [say(`${key}_text`)] });

/** What the service's refusals are to a person. */
export const ENDINGS = {
  expired: simply("expired", "–"),
  revoked: simply("withdrawn", "–"),
  "waiter-gone": simply("gone", "–"),
  "answerer-not-allowed": simply("not_allowed", "–", "bad"),
  "unknown-pause": simply("unknown", "?"),
  "token-rejected": simply("damaged", "!", "bad"),
};

const unusable = simply("unusable", "!", "bad");

/** Show what a reply that is not a question means. `again` is what the button does where trying again may help. */
export function ended({ status, body }, again) {
  if (!canPass(status)) return (entry(ENDINGS, body.code) ?? unusable)();
  const button = { label: say("try_again"), press: again };
  return state({ mark: "…", title: say("unavailable_title"), text: [say("unavailable_text")], button });
}

/** Show that the question has its answer, and by whom as far as the link may know. */
export function answered(question) {
  if (question.by_policy) return state({ mark: "–", title: say("expired_title"), text: [say("by_policy_text")] });
  const whose = { true: "by_you", false: "by_other" }[question.answered_by_you] ?? "by_somebody";
  const text = [say(`${whose}_text`, { when: moment(question.answered_at) })];
  const more = el("details", { class: "sheet" }, el("summary", {}, say("what_was_asked")), facts(question.payload));
  return state({ kind: "good", mark: "✓", title: say(`${whose}_title`), text, more });
}

/** Show that the answer was received, and whether the run already has it. */
export function thanks(receipt) {
  const text = [say(receipt.replayed ? "thanks_again_text" : "thanks_text", { when: moment(receipt.answered_at) })];
  if (receipt.delivery === "delivered") text.push(say("thanks_delivered"));
  if (receipt.delivery === "pending") text.push(say("thanks_pending"));
  if (receipt.delivery === "undeliverable") text.push(say("thanks_undeliverable"));
  state({ kind: "good", mark: "✓", title: say("thanks_title"), text: [...text, say("close_now")] });
}
