// What people ask the one who asks before they answer, and the replies.

import { aside } from "./aside.js";
import { el, foreign, foreignBlock, labelled, sayWith } from "./elements.js";
import { jsonText } from "./exact_json.js";
import { textField } from "./fields.js";
import { lengthParser } from "./parsers.js";
import { moment, say } from "./text.js";

const MOST = 5;
const LONGEST = 1000;

const allOf = ({ clarifications }) => clarifications ?? [];

const replies = (question) => allOf(question).filter(({ reply }) => reply).length;

/** Whether an open question is another one only because the one who asks has replied since `before`. */
export function isReplied(question, before) {
  return question.status === "issued" && replies(question) > replies(before)
    && jsonText(question.payload) === jsonText(before.payload);
}

/** The place of the questions and replies, in their order. */
export function clarifications(question) {
  const node = el("div", {});
  draw(question, node);
  return node;
}

/** Show what other people have asked since; a reply comes with the question, because it changes it. */
export function showAsked(question, { clarifications: now = [] }, place) {
  if (now.length <= allOf(question).length) return;
  question.clarifications = now;
  draw(question, place);
}

function draw(question, place) {
  const all = allOf(question);
  if (all.length) place.replaceChildren(el("section", { class: "action asked" },
    el("h2", {}, say("clarifications")), labelled(all.flatMap(rows))));
}

function rows({ number, by, question, asked_at, reply, replied_at }) {
  return [
    [el("span", {}, say("asked_back"), ", ", by && foreign(by), by && ", ", moment(asked_at)),
      foreignBlock("p", question, "said", { id: `asked-${number}`, tabindex: "-1" })],
    reply ? [`${say("reply")}, ${moment(replied_at)}`, foreignBlock("p", reply, "said")] : [say("reply"), say("no_reply")],
  ];
}

/** The part to ask back in; nothing where the question takes no more. What was asked then stands in `place`. */
export function askingBack(question, place, given) {
  const { about, recipient } = question;
  const isFull = () => allOf(question).length >= MOST;
  if (!about?.takes_questions || isFull()) return null;
  const field = textField({ label: say("asked_back"), required: true, long: true, parse: lengthParser(1, LONGEST) });
  const asker = about.asker ? sayWith("goes_to", about.asker) : say("goes_to", { name: say("the_system") });
  const node = aside("ask_back", given, {
    text: el("p", { class: "quiet" }, asker),
    field,
    button: "send_question",
    path: "clarifications",
    name: "question",
    wrong: say("question_refused", { limit: MOST }),
    taken({ number, question: text, asked_at }) {
      // A question that was sent again may stand there already.
      const others = allOf(question).filter((each) => each.number !== number);
      question.clarifications = [...others, { number, by: recipient, question: text, asked_at }];
      draw(question, place);
      field.restore("");
      node.open = false;
      node.hidden = isFull();
      document.getElementById(`asked-${number}`).focus();
    },
  });
  return node;
}
