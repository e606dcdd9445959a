// Sends an answer and shows the result. The draft is kept until the answer is accepted.

import { checked, needsCheck } from "./checking.js";
import { dropDraft, keepDraft } from "./draft.js";
import { el, foreign } from "./elements.js";
import { isFinal, thanks } from "./endings.js";
import { canPass } from "./service.js";
import { say } from "./text.js";

/**
 * Returns the function that sends the form when a button is pressed: one request at a time. While it is on its way,
 * `watching` is held: the reply to the answer says more than a look at the question.
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
    sending = true;
    announce();
    const label = pressed.textContent;
    const buttons = document.querySelectorAll(".buttons button");
    // Not disabled: the focus would be lost.
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    pressed.textContent = say("sending");
    keepDraft(question, form);
    watching.hold();
    const reply = await service.sendAnswer(question, read.value);
    sending = false;
    pressed.textContent = label;
    for (const button of buttons) button.removeAttribute("aria-disabled");
    await settle(reply);
    watching.release();
  }

  async function settle(reply) {
    const { status, body } = reply;
    if (canPass(status)) return announce(el("p", {}, say("not_sent")));
    if (body.code === "answer-invalid") return refused(form, body);
    // Every other refusal may pass: one without a code is that of a gateway or a proxy before the service.
    const isTaken = status === 200 || status === 202;
    if (!isTaken && !isFinal(body.code)) {
      return announce(el("p", {}, say(body.code ? "unusable_text" : "not_taken")));
    }
    dropDraft(question);
    if (isTaken) return thanks(body, question);
    if (body.code === "already-voted") return opened(await service.fetchQuestion());
    if (body.code === "already-answered" || body.code === "question-changed") {
      return opened(await service.fetchQuestion(), say("changed_question"));
    }
    return ended(reply);
  }

  return submit;
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
function refused(form, body) {
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
