// What happens on each answer and without one, and how many people are asked. The agent says it in `about`; where it
// does not, the page says what every deployment does.

import { el, foreign, labelled } from "./elements.js";
import { entriesOf, entry, objectOf } from "./exact_json.js";
import { facts } from "./facts.js";
import { answerRows } from "./receipt.js";
import { say } from "./text.js";
import { valueText } from "./value_text.js";
import { votesRows } from "./votes.js";

/** The section of a question, above its buttons. */
export function effects(question) {
  return el("section", { class: "effects" },
    el("h2", {}, say("what_happens")),
    labelled([...byAnswer(question), ...withoutAnswer(question), ...others(question)]));
}

/**
 * What happens on an answer, as a label and a text; `pressed` is the value of a button. The agent does not know edits,
 * so with edits its text could name values that do not run.
 */
export function effectOf({ presentation, about, waits, quorum }, pressed, { edits = {} } = {}) {
  const runs = quorum ? "action_runs_later" : "action_runs";
  const stays = quorum && !quorum.veto ? "action_stays_later" : "action_stays";
  const [key, otherwise] = presentation === "approval"
    ? { approve: ["if_approved", runs], reject: ["if_rejected", stays] }[pressed]
    : ["if_answered", waits ? "next_waiting" : "next_fetched"];
  return [say(key), about?.[key] && !Object.keys(edits).length ? foreign(about[key]) : say(otherwise)];
}

function byAnswer(question) {
  const buttons = question.presentation === "approval" ? ["approve", "reject"] : ["send"];
  return buttons.map((pressed) => effectOf(question, pressed));
}

function withoutAnswer(question) {
  const { on_expiry } = question;
  if (!on_expiry) return [];
  if (on_expiry.policy !== "default") return [[say("if_silent"), say("ends_unanswered")]];
  return [[say("if_silent"), say("default_used"), ...defaultAnswer(question, on_expiry.response)]];
}

function defaultAnswer(question, response) {
  if (question.presentation === "approval") {
    return [el("strong", {}, say(response.decision)), ...(response.comment ? [valueText(response.comment)] : [])];
  }
  if (question.presentation !== "ask_user") return [facts(response)];
  const rows = answerRows(question, response);
  if (rows.length === 1) return rows[0].slice(1);
  return [labelled(rows)];
}

function others(question) {
  const { quorum, asked_people: count } = question;
  if (quorum) return votesRows(question);
  return count > 1 ? [[say("people_asked"), count, say("first_counts")]] : [];
}

/** The answer in the form in which it is recorded, for a person who is to look at it before it is sent. */
export function asRecorded({ presentation, payload }, value) {
  if (presentation !== "approval") return value;
  const proposed = payload.action.arguments;
  const edited = new Map(entriesOf(value.edits ?? {}));
  return {
    ...value,
    edits: objectOf([...edited].map(([name, after]) => [name, { before: entry(proposed, name), after }])),
    arguments: objectOf(entriesOf(proposed).map(([name, before]) => [name, edited.has(name) ? edited.get(name) : before])),
  };
}
