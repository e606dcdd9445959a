// The form of `approval`: the proposed action, the arguments that may be edited, and the two decisions.

import { el, foreign } from "./elements.js";
import { entriesOf, entry, isNumber, jsonText, objectOf } from "./exact_json.js";
import { facts, nameOf } from "./facts.js";
import { textField } from "./fields.js";
import { jsonView } from "./json_view.js";
import { proseOf } from "./markdown.js";
import { compared } from "./numbers.js";
import { lengthParser } from "./parsers.js";
import { fits, schemaField } from "./schema.js";
import { say, titled } from "./text.js";

const LONGEST_COMMENT = 2000;

/**
 * The form of a payload. An unchanged argument is not an edit, and a rejection has no edits. `voted` has the edits for
 * which another person has voted, as they are recorded: the fields begin with them.
 */
export function approvalForm(payload, about = null, voted = {}) {
  const editable = payload.editable ?? {};
  const proposed = payload.action.arguments;
  // A field must show the proposed value. One that cannot is left out: the argument is shown as it is.
  const isEdited = ([name, value]) => entry(editable, name) && (value === null || fits(editable[name], value));
  const fixed = objectOf(entriesOf(proposed).filter((each) => !isEdited(each)));
  const edits = entriesOf(proposed).filter(isEdited).map(([name, value]) =>
    edit(name, editable[name], value, entry(voted, name)));
  const stuck = Object.keys(fixed).filter((name) => entry(editable, name));
  const comment = payload.comment === "none" ? null : textField({
    label: say("comment"),
    hint: payload.comment === "required_to_reject" ? say("comment_to_reject") : null,
    required: payload.comment === "required",
    long: true,
    parse: lengthParser(0, LONGEST_COMMENT),
  });
  const action = el("section", { class: "action" },
    el("h2", {}, foreign(titled(payload.action.name)), " ", nameOf(payload.action.name)),
    Object.keys(fixed).length ? facts(fixed) : null,
    stuck.length ? el("p", { class: "quiet stuck" }, `${say("not_editable")} `,
      ...stuck.flatMap((name, index) => [index ? ", " : "", nameOf(name)])) : null,
    jsonView(payload.action));
  const readComment = (decision) => {
    const read = comment.read();
    const blank = !read.fault && !read.value?.trim();
    if (blank && decision === "reject" && payload.comment === "required_to_reject") return { fault: say("say_why") };
    if (blank && payload.comment === "required") return { fault: say("missing") };
    return blank ? {} : read;
  };
  return {
    title: payload.title,
    shownAsJson: true,
    intro: [payload.summary ? proseOf(about, "summary", payload.summary) : null, action],
    nodes: [...edits.map(({ node }) => node), comment?.node],
    buttons: [
      { label: say("approve"), kind: "approve" },
      { label: say("reject"), kind: "reject" },
    ],
    all: () => [...edits.map(({ field }) => field), ...(comment ? [comment] : [])],
    fieldAt(path) {
      if (path.startsWith("response.comment")) return comment;
      return edits.find(({ name }) => path === `response.edits.${name}`)?.field;
    },
    read(decision) {
      const faults = [];
      const value = { decision };
      if (decision === "approve") {
        const changes = [];
        for (const { name, field, changed } of edits) {
          const read = changed();
          if (read.fault) faults.push({ field, fault: read.fault });
          else if ("value" in read) changes.push([name, read.value]);
        }
        value.edits = objectOf(changes);
      }
      if (comment) {
        const read = readComment(decision);
        if (read.fault) faults.push({ field: comment, fault: read.fault });
        else if ("value" in read) value.comment = read.value;
      }
      return faults.length ? { faults } : { value };
    },
    draft: () => ({
      edits: Object.fromEntries(edits.map(({ name, draft }) => [name, draft()])),
      comment: comment?.draft(),
    }),
    restore(draft) {
      for (const { name, field, redraw } of edits) {
        if (entry(draft.edits, name) !== undefined) field.restore(draft.edits[name]);
        redraw();
      }
      if (comment && draft.comment) comment.restore(draft.comment);
    },
    listen(heard) {
      for (const { field } of edits) field.listen(heard);
      comment?.listen(heard);
    },
  };
}

/** Whether two values are the same; 0.10 is 0.1. */
function isSame(value, other) {
  return isNumber(value) && isNumber(other) ? compared(value, other) === 0 : jsonText(value) === jsonText(other);
}

/** An argument that may be edited: its field, and below it the difference to the proposed value. */
function edit(name, schema, before, voted) {
  const given = { required: true, start: before ?? undefined, ownName: name, mayBeEmptied: true };
  const field = schemaField(name, schema, given);
  const diff = el("p", { class: "diff", role: "status" });
  const untouched = jsonText(field.draft());
  // A field of a time shows another text than the record has, and an empty field shows no null.
  const seen = typeof field.draft() !== "string" || field.draft() === (before === null ? null : String(before));
  const changed = () => {
    if (jsonText(field.draft()) === untouched) return {};
    const read = field.read();
    return "value" in read && isSame(read.value, before) ? {} : read;
  };
  if (voted) field.restore(schemaField(name, schema, { ...given, start: voted.after ?? undefined }).draft());
  // What the person left as it was drawn is no draft: the values for which another person voted can be void later.
  const drawn = jsonText(field.draft());
  const draft = () => (jsonText(field.draft()) === drawn ? undefined : field.draft());
  const redraw = () => {
    const read = changed();
    diff.replaceChildren(...("value" in read ? [
      el("span", {}, say("changed")),
      el("del", {}, facts(before, 1)),
      el("ins", {}, facts(read.value, 1)),
    ] : seen ? [] : [el("span", {}, say("proposed")), facts(before, 1)]));
  };
  field.node.append(diff);
  field.listen(redraw);
  redraw();
  return { name, field, changed, draft, redraw, node: field.node };
}
