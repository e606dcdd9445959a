// The form of `approval`: the proposed action, the arguments that may be edited, and the two decisions.

import { el, foreign, foreignBlock } from "./elements.js";
import { facts } from "./facts.js";
import { textField } from "./fields.js";
import { entry, readable, written } from "./json_values.js";
import { lengthParser } from "./parsers.js";
import { schemaField } from "./schema.js";
import { say, titled } from "./text.js";

const LONGEST_COMMENT = 2000;

/** The form of a payload. An unchanged argument is not an edit, and a rejection has no edits. */
export function approvalForm(payload) {
  const editable = payload.editable ?? {};
  const proposed = payload.action.arguments;
  const fixed = Object.fromEntries(Object.entries(proposed).filter(([name]) => !entry(editable, name)));
  const edits = Object.keys(editable).map((name) => edit(name, editable[name], proposed[name]));
  const comment = payload.comment === "none" ? null : textField({
    label: say("comment"),
    hint: payload.comment === "required_to_reject" ? say("comment_to_reject") : null,
    required: payload.comment === "required",
    long: true,
    parse: lengthParser(0, LONGEST_COMMENT),
  });
  const action = el("section", { class: "action" },
    el("h2", {}, foreign(titled(payload.action.name))),
    Object.keys(fixed).length ? facts(fixed) : null);
  const readComment = (decision) => {
    const read = comment.read();
    const blank = !read.fault && !read.value?.trim();
    if (blank && decision === "reject" && payload.comment === "required_to_reject") return { fault: say("say_why") };
    if (blank && payload.comment === "required") return { fault: say("missing") };
    return blank ? {} : read;
  };
  return {
    title: payload.title,
    intro: [payload.summary ? foreignBlock("p", payload.summary, "lead") : null, action],
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
        value.edits = Object.fromEntries(changes);
      }
      if (comment) {
        const read = readComment(decision);
        if (read.fault) faults.push({ field: comment, fault: read.fault });
        else if ("value" in read) value.comment = read.value;
      }
      return faults.length ? { faults } : { value };
    },
    draft: () => ({
      edits: Object.fromEntries(edits.map(({ name, field }) => [name, field.draft()])),
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

/** An argument that may be edited: its field, and below it the difference to the proposed value. */
function edit(name, schema, before) {
  const field = schemaField(name, schema, { required: true, start: before ?? undefined });
  const diff = el("p", { class: "diff", role: "status" });
  const untouched = written(field.draft());
  const changed = () => {
    if (written(field.draft()) === untouched) return {};
    const read = field.read();
    return "value" in read && written(read.value) === written(before) ? {} : read;
  };
  const redraw = () => {
    const read = changed();
    diff.replaceChildren(...("value" in read ? [
      el("span", {}, say("changed")),
      el("del", { class: "foreign" }, readable(before)),
      el("ins", { class: "foreign" }, readable(read.value)),
    ] : []));
  };
  field.node.append(diff);
  field.listen(redraw);
  return { name, field, changed, redraw, node: field.node };
}
