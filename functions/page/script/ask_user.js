// The form of `ask_user`: its questions, each with its options.

import { choicesField } from "./choices.js";
import { el, foreign } from "./elements.js";
import { isMarkdown } from "./markdown.js";
import { say } from "./text.js";

// A single question is the heading of the page, unless it is long.
const LONG_QUESTION = 140;

/** The form of a payload; a question's own header is a tag above it. */
export function askUserForm(payload, about = null) {
  const [first, ...others] = payload.questions;
  const count = payload.questions.length;
  const marked = Object.fromEntries(["question", "description", "preview"].map((name) => [name, isMarkdown(about, name)]));
  const alone = !others.length && first.question.length <= LONG_QUESTION && !marked.question;
  const fields = payload.questions.map((question) => choicesField({
    label: question.question,
    unseen: alone,
    marked,
    hint: question.multi_select ? say("several") : null,
    required: true,
    several: question.multi_select,
    other: question.allow_other ? { longest: 1000 } : null,
    options: question.options.map((option) => ({ ...option, value: option.label })),
  }));
  payload.questions.forEach((question, index) => {
    if (!question.header || alone) return;
    fields[index].node.querySelector("legend").prepend(tag(question.header), el("br"));
  });
  return {
    title: alone ? first.question : say(others.length ? "questions" : "one_question", { count }),
    above: alone && first.header ? tag(first.header) : null,
    intro: [],
    nodes: fields.map((field) => field.node),
    buttons: [{ label: say("send"), kind: "send" }],
    all: () => fields,
    fieldAt: (path) => fields[Number(/^response\.answers\[(\d+)\]/.exec(path)?.[1] ?? -1)],
    read() {
      const faults = [];
      const answers = fields.map((field, index) => {
        const { value, other, fault } = field.read();
        if (fault) faults.push({ field, fault });
        const selections = value === undefined ? [] : [value].flat();
        return { question_id: payload.questions[index].id, selections, ...(other ? { other } : {}) };
      });
      return faults.length ? { faults } : { value: { answers } };
    },
    draft: () => fields.map((field) => field.draft()),
    restore: (draft) => fields.forEach((field, index) => draft[index] && field.restore(draft[index])),
    listen: (heard) => fields.forEach((field) => field.listen(heard)),
  };
}

function tag(header) {
  return el("span", { class: "tag" }, foreign(header));
}
