/**
 * Functions that write the questions of the built-in interactions, and answers to them.
 *
 *     await askback.pause(...askUser(question("Refund?", ["Approve", "Reject"])), { runId, scope, ttlSeconds })
 *
 * They write the forms of the HTTP API and check nothing: the deployment refuses a wrong question with `InvalidRequest`
 * and a wrong answer with `AnswerInvalid`.
 */

import type { Json } from "./json.js";
import type { JsonObject } from "./results.js";

/** The first two arguments of `pause`: the interaction's name and its payload. */
export type Asked = readonly [name: string, payload: JsonObject];

/** A flat JSON Schema of one field, such as `{type: "integer", minimum: 1}`. */
export type Field = { readonly [keyword: string]: Json };

export type Option = { readonly label: string; readonly description?: string; readonly preview?: string };

/** One choice: a label, several labels, or free text and, if wanted, labels. */
export type Choice = string | readonly string[] | { readonly other: string; readonly selections?: readonly string[] };

/** Returns one question for `askUser`, with two to four options. */
export function question(
  asked: string,
  options: readonly (string | Option)[],
  { header = "", multiSelect = false, allowOther = false } = {},
): JsonObject {
  return {
    question: asked,
    header,
    options: options.map((option) => (typeof option === "string" ? { label: option } : option)),
    multi_select: multiSelect,
    allow_other: allowOther,
  };
}

/** Returns an `ask_user` of one to four questions, each made by `question`. */
export function askUser(...questions: readonly JsonObject[]): Asked {
  return ["ask_user", { questions }];
}

/**
 * Returns an `approval` of the call `action(arguments)`. `editable` has a field for each argument that may be edited.
 */
export function approval(
  title: string,
  {
    action,
    arguments: given,
    ...rest
  }: {
    readonly action: string;
    readonly arguments: JsonObject;
    readonly summary?: string;
    readonly editable?: Readonly<Record<string, Field>>;
    readonly comment?: "none" | "optional" | "required_to_reject" | "required";
  },
): Asked {
  return [
    "approval",
    { title, action: { name: action, arguments: given }, editable: {}, comment: "optional", ...rest },
  ];
}

/**
 * Returns a `form` of fields. The page shows them in this order. The answer is an object with a value for each field.
 */
export function form(
  title: string,
  fields: Readonly<Record<string, Field>>,
  { description, required = [] }: { readonly description?: string; readonly required?: readonly string[] } = {},
): Asked {
  const schema = { type: "object", properties: fields, required, additionalProperties: false };
  return ["form", { title, description, schema, order: Object.keys(fields) }];
}

/**
 * Returns the answer to an `ask_user`: one choice for each question, in the order of the questions.
 *
 * @throws RangeError there are more or fewer choices than questions; a question that has ended may have none.
 */
export function choose(asked: { readonly payload: JsonObject }, ...choices: readonly Choice[]): JsonObject {
  const questions = (asked.payload["questions"] ?? []) as readonly { readonly id: string }[];
  if (choices.length !== questions.length) {
    throw new RangeError(`give one choice for each of ${questions.length} questions`);
  }
  return {
    answers: questions.map(({ id }, at) => {
      const choice = choices[at]!;
      const given =
        typeof choice === "string" ? { selections: [choice] } : "other" in choice ? choice : { selections: choice };
      return { question_id: id, ...given };
    }),
  };
}

/** Returns the answer that approves an action, with new values of editable arguments. */
export function approve(given?: { readonly comment?: string; readonly edits?: JsonObject }): JsonObject {
  return { decision: "approve", edits: {}, ...given };
}

/** Returns the answer that rejects an action. */
export function reject(given?: { readonly comment?: string }): JsonObject {
  return { decision: "reject", ...given };
}
