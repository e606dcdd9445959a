// The part in which a reader passes the question on to another person, who then decides instead.

import { aside } from "./aside.js";
import { lastStep } from "./checking.js";
import { dropDrafts } from "./draft.js";
import { el, sayWith } from "./elements.js";
import { passedOn } from "./endings.js";
import { textField } from "./fields.js";
import { say } from "./text.js";

/** The part; nothing where the reader may not do that. The reader's link ends with it, so it asks once more. */
export function passingOn(question, title, given) {
  return question.may_delegate && aside("pass_on", given, {
    field: textField({ label: say("pass_on_to"), required: true, parse: (text) => ({ value: text.trim() }) }),
    button: "pass_on_now",
    isSure: (to) => lastStep([el("p", {}, sayWith("pass_on_check", to))], say("confirm_pass_on")),
    path: "delegations",
    name: "to",
    wrong: say("pass_on_refused"),
    taken({ jti, to }) {
      dropDrafts(question);
      passedOn(question, title, { jti, to, at: given.service.now() });
    },
  });
}
