// The receipt of an accepted answer: what was asked, what was answered and when, and the number to name to others.

import { el, foreign, labelled } from "./elements.js";
import { entriesOf, entry, isObject, objectOf } from "./exact_json.js";
import { facts, nameOf } from "./facts.js";
import { moment, say, titled } from "./text.js";
import { valueText } from "./value_text.js";

/** The receipt of a question that was shown: `receipt` is the service's reply, with the answer as it was recorded. */
export function receiptOf(question, receipt) {
  return receiptWith(question, receipt.jti, [
    ...answerRows(question, receipt.response),
    [say("receipt_time"), moment(receipt.answered_at)],
  ]);
}

/** A receipt with these rows, and with those that every receipt has; its number is the id of the pause. */
export function receiptWith(question, jti, rows) {
  const all = [
    ...rows,
    ...[["asked_by", question.about?.asker], ["answer_as", question.recipient], ["for_requester", question.requester], ["for_scope", question.scope_label],
      ["in_run", question.run_id]].filter(([, value]) => value).map(([key, value]) => [say(key), foreign(value)]),
    [say("reference"), el("span", { class: "code reference", dir: "ltr" }, jti)],
  ];
  return el("section", { class: "sheet receipt", "aria-labelledby": "receipt" },
    el("h2", { id: "receipt" }, say("receipt_title")),
    labelled(all),
    el("p", { class: "quiet" }, say("receipt_contact")),
    question.about?.contact && el("p", {}, `${say("contact")} `, foreign(question.about.contact)),
    el("div", { class: "buttons" },
      el("button", { type: "button", class: "second", onclick: () => print() }, say("print"))));
}

/** The rows of the question and of its answer; each is a label with one value or several. */
export function answerRows({ name, presentation, payload, answer_schema }, response) {
  if (presentation === "ask_user") {
    return payload.questions.map(({ id, question }) => {
      const { selections = [], other } = response.answers.find(({ question_id }) => question_id === id) ?? {};
      return [foreign(question), ...[...selections, ...(other ? [other] : [])].map(valueText)];
    });
  }
  if (presentation === "approval") return approvalRows(payload, response);
  return [
    [say("receipt_question"), foreign(payload.title ?? titled(name))],
    ...(presentation === "form" ? [] : [[say("what_was_asked"), facts(payload)]]),
    [say("answer"), facts(inOrder(response, payload.order ?? namesOf((payload.schema ?? answer_schema)?.properties)))],
  ];
}

const namesOf = (object) => entriesOf(object ?? {}).map(([name]) => name);

/** An object with these names first, in this order: the record has the names of an answer sorted. */
function inOrder(value, names) {
  if (!isObject(value) || Array.isArray(value)) return value;
  const known = names.filter((name) => entry(value, name) !== undefined);
  const others = namesOf(value).filter((name) => !known.includes(name));
  return objectOf([...known, ...others].map((name) => [name, entry(value, name)]));
}

/** What an approval lets run is what was recorded: the arguments with the edits in them. */
function approvalRows({ title, action }, { decision, comment, edits, arguments: approved }) {
  return [
    [say("receipt_question"), foreign(title)],
    [nameOf(action.name), facts(approved ? inOrder(approved, namesOf(action.arguments)) : action.arguments)],
    [say("answer"), el("strong", {}, say(decision))],
    ...entriesOf(edits ?? {}).map(([name, { before, after }]) => [el("span", {}, `${say("changed")} `, nameOf(name)),
      el("span", { class: "diff" }, el("del", {}, facts(before, 1)), el("ins", {}, facts(after, 1)))]),
    ...(comment ? [[say("comment"), valueText(comment)]] : []),
  ];
}
