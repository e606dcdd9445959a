// A second step, before what cannot be taken back: of a question with a high risk, it repeats what will happen.

import { asRecorded, effectOf } from "./effects.js";
import { el, labelled } from "./elements.js";
import { answerRows } from "./receipt.js";
import { say } from "./text.js";

/** Whether an answer is sent only after a second look: one that acts. A rejection lets nothing run. */
export const needsCheck = ({ about }, pressed) => about?.risk === "high" && pressed !== "reject";

/** Show what will happen in place of the form. Resolves to whether the answer may be sent; the form is back then. */
export function checked(question, pressed, value) {
  return lastStep([
    el("p", {}, say("check_text")),
    labelled([effectOf(question, pressed, value), ...answerRows(question, asRecorded(question, value))]),
  ], say(pressed === "approve" ? "confirm_approve" : "confirm_send"), el("span", { class: "tag bad" }, say("high_risk")));
}

/** The same with other content, and another text on the button that goes on. */
export function lastStep(content, button, tag = null) {
  const page = document.getElementById("page");
  const before = [...page.children];
  return new Promise((resolve) => {
    const leave = (isSure) => (event) => {
      // The second press of a double click falls on a button that the person has not read.
      if (event.detail > 1) return;
      sheet.remove();
      for (const node of before) node.hidden = false;
      resolve(isSure);
    };
    const heading = el("h1", { tabindex: "-1" }, say("check_title"));
    const sheet = el("section", { class: "sheet check" }, tag, heading, ...content,
      el("div", { class: "bar" }, el("div", { class: "buttons" },
        el("button", { type: "button", class: "second", onclick: leave(false) }, say("go_back")),
        el("button", { type: "button", class: "second", onclick: leave(true) }, button))));
    for (const node of before) node.hidden = true;
    page.append(sheet);
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}
