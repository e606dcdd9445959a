// Sends an answer and shows the result. The draft is kept until the answer is accepted.

import { dropDraft, keepDraft } from "./draft.js";
import { el, foreign } from "./elements.js";
import { isFinal, thanks } from "./endings.js";
import { canPass } from "./service.js";
import { say } from "./text.js";

/** Returns the function that sends the form when a button is pressed: one request at a time. */
export function sender({ question, form, service, opened, ended }) {
  let sending = false;

  async function submit(pressed) {
    if (sending) return;
    const read = form.read(pressed.value);
    for (const field of form.all()) field.show(null);
    if (read.faults) return faulty(read.faults);
    sending = true;
    announce();
    const label = pressed.textContent;
    const buttons = document.querySelectorAll(".buttons button");
    // Not disabled: the focus would be lost.
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    pressed.textContent = say("sending");
    keepDraft(question, form);
    const reply = await service.sendAnswer(question, read.value);
    sending = false;
    pressed.textContent = label;
    for (const button of buttons) button.removeAttribute("aria-disabled");
    return settle(reply);
  }

  async function settle(reply) {
    const { status, body } = reply;
    if (canPass(status)) return announce(el("p", {}, say("not_sent")));
    if (body.code === "answer-invalid") return refused(form, body);
    // Every other refusal may pass: one without a code is that of a gateway or a proxy before the service.
    if (status !== 200 && !isFinal(body.code)) {
      return announce(el("p", {}, say(body.code ? "unusable_text" : "not_taken")));
    }
    dropDraft(question);
    if (status === 200) return thanks(body);
    if (body.code === "already-answered" || body.code === "question-changed") {
      return opened(await service.fetchQuestion(), say("changed_question"));
    }
    return ended(reply);
  }

  return submit;
}

/** Mark the faults, list them with links above the buttons, and focus the first one. */
function faulty(faults) {
  for (const { field, fault } of faults) field.show(fault);
  announce(el("p", {}, say("look_again")), el("ul", {}, ...faults.map(({ field, fault }) => {
    const link = { href: `#${field.target}`, onclick: (event) => goTo(event, field.target) };
    return el("li", {}, el("a", link, foreign(field.label)), `: ${fault}`);
  })));
  document.getElementById(faults[0].field.target).focus();
}

/** A link to a field moves the focus. It does not change the address, because the fragment is the token. */
function goTo(event, id) {
  event.preventDefault();
  document.getElementById(id).focus();
}

/** Show the faults that the service found in an answer that this page found valid. */
function refused(form, body) {
  const faults = (body.errors ?? []).map(({ field, message }) => ({ field: form.fieldAt(field), fault: message }));
  if (faults.length && faults.every(({ field }) => field)) return faulty(faults);
  announce(el("p", {}, say("look_again")), el("ul", {}, ...faults.map(({ fault }) => el("li", {}, foreign(fault)))));
}

/** Show a notice above the buttons; without children, remove it. */
function announce(...children) {
  const notice = children.length ? [el("div", { class: "notice bad" }, ...children)] : [];
  document.getElementById("notice").replaceChildren(...notice);
}
