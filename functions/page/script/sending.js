// Sends what a button of a question sends, and shows the result of an answer. The draft is kept until it is accepted.

import { checked, needsCheck } from "./checking.js";
import { dropDraft, dropDrafts, keepDraft } from "./draft.js";
import { el, foreign } from "./elements.js";
import { isFinal, thanks } from "./endings.js";
import { canPass } from "./service.js";
import { say } from "./text.js";

/**
 * Returns what sends the requests of the buttons of a question, one at a time. `submit(pressed)` sends the form;
 * `send(pressed, request, settle)` sends another request, and gives its reply to `settle`; `refused(reply)` shows what a
 * refusal that is final means for the question.
 */
export function sender({ question, form, service, watching, opened, ended }) {
  let sending = false;

  async function submit(pressed) {
    if (sending) return;
    const read = form.read(pressed.value);
    for (const field of form.all()) field.show(null);
    if (read.faults) return faulty(read.faults);
    if (needsCheck(question, pressed.value) && !(await checked(question, pressed.value, read.value))) {
      return pressed.focus();
    }
    announce();
    keepDraft(question, form);
    await send(pressed, () => service.sendAnswer(question, read.value), settle);
  }

  // While a request is on its way, `watching` is held: its reply says more than a look at the question.
  async function send(pressed, request, settled) {
    if (sending) return;
    sending = true;
    const label = pressed.textContent;
    const buttons = document.querySelectorAll(".buttons button");
    // Not disabled: the focus would be lost.
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    pressed.textContent = say("sending");
    watching.hold();
    const reply = await request();
    sending = false;
    pressed.textContent = label;
    for (const button of buttons) button.removeAttribute("aria-disabled");
    await settled(reply);
    watching.release();
  }

  async function settle(reply) {
    const { status, body } = reply;
    if (canPass(status)) return announce(el("p", {}, say("not_sent")));
    if (body.code === "answer-invalid") return invalid(form, body);
    // Every other refusal may pass: one without a code is that of a gateway or a proxy before the service.
    const isTaken = status === 200 || status === 202;
    if (!isTaken && !isFinal(body.code)) {
      return announce(el("p", {}, say(body.code ? "unusable_text" : "not_taken")));
    }
    if (!isTaken) return refused(reply);
    dropDrafts(question);
    return thanks(body, question);
  }

  async function refused(reply) {
    const { body } = reply;
    dropDraft(question);
    if (body.code === "already-voted") return opened(await service.fetchQuestion());
    if (body.code === "already-answered" || body.code === "question-changed") {
      return opened(await service.fetchQuestion(), say("changed_question"));
    }
    return ended(reply);
  }

  return { submit, send, refused };
}

/** Mark the faults, list them with links above the buttons, and focus the first one. */
function faulty(faults, more = []) {
  for (const { field, fault } of faults) field.show(fault);
  announce(el("p", {}, say("look_again")), el("ul", {}, ...faults.map(({ field, fault, label = field.label }) => {
    const link = { href: `#${field.target}`, onclick: (event) => goTo(event, field.target) };
    return el("li", {}, el("a", link, foreign(label)), ": ", foreign(fault));
  }), ...more.map((fault) => el("li", {}, foreign(fault)))));
  if (faults.length) document.getElementById(faults[0].field.target).focus();
}

/** A link to a field moves the focus. It does not change the address, because the fragment is the token. */
function goTo(event, id) {
  event.preventDefault();
  document.getElementById(id).focus();
}

// The detail of a refusal by the rules that an adopter wrote for an interaction of their own.
const OWN_RULES = "the answer does not fit the question";

/**
 * Show the faults that the service found in an answer that this page found valid. The service has messages in English,
 * with patterns and names of types: the page says what it knows of the field instead, in the reader's language. Only
 * the words of an adopter's own rules are shown as they are.
 */
function invalid(form, body) {
  const inOwnWords = form.ownRules && body.detail === OWN_RULES;
  const faults = new Map();
  const more = new Set();
  for (const { field: path, message } of body.errors ?? []) {
    const field = form.fieldAt(path);
    const fault = inOwnWords ? message : field?.expects ?? say(field ? "unreadable" : "not_accepted");
    if (field) faults.set(field, { field, fault });
    else more.add(fault);
  }
  if (!faults.size && !more.size) more.add(say("not_accepted"));
  faulty([...faults.values()], [...more]);
}

/** Show a notice above the buttons; without children, remove it. */
function announce(...children) {
  const notice = children.length ? [el("div", { class: "notice bad" }, ...children)] : [];
  document.getElementById("notice").replaceChildren(...notice);
  // The buttons are in view before the end of the form is.
  notice[0]?.scrollIntoView({ block: "nearest" });
}
