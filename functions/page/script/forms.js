// The form of a question. `ask_user` and `approval` have their own forms. All others are drawn from a schema: `form`
// has it in its request, and an interaction of the deployment has the schema of its answer.

import { approvalForm } from "./approval.js";
import { askUserForm } from "./ask_user.js";
import { el } from "./elements.js";
import { entriesOf } from "./exact_json.js";
import { facts } from "./facts.js";
import { jsonView } from "./json_view.js";
import { isMarkdown, markdownOf, proseOf } from "./markdown.js";
import { propertyFields } from "./schema.js";
import { settled } from "./schema_kinds.js";
import { say, titled } from "./text.js";

/** The form of a question, by its presentation. */
export function formOf(question) {
  const { payload, about } = question;
  if (question.presentation === "ask_user") return askUserForm(payload, about);
  if (question.presentation === "approval") return approvalForm(payload, about, question.proposal?.edits);
  if (question.presentation === "form") {
    const intro = [payload.description ? proseOf(about, "description", payload.description) : null];
    const { schema, order } = payload;
    return schemaForm({ title: payload.title, intro, schema, order, shownAsJson: false });
  }
  const own = (name, value) => (isMarkdown(about, name) && typeof value === "string" ? markdownOf(value) : null);
  const intro = [el("section", { class: "action" }, facts(payload, 0, { own }), jsonView(payload))];
  const schema = question.answer_schema ?? {};
  return schemaForm({ title: titled(question.name), intro, schema, ownRules: true });
}

/** The form of a schema; with `ownRules`, the refusals of the adopter's rules are in the adopter's words. For a schema that is not an object there is one field, and its value is the answer. */
function schemaForm({ title, intro, schema, order, shownAsJson = true, ownRules = false }) {
  const definitions = schema.$defs ?? {};
  const whole = settled(schema, definitions);
  const alone = !(whole.type === "object" && whole.properties);
  const single = { properties: { answer: { title: say("answer"), ...whole } }, required: ["answer"] };
  const group = alone
    ? propertyFields(single, { definitions })
    : propertyFields(whole, { definitions, order: order ?? entriesOf(whole.properties).map(([name]) => name) });
  return {
    title,
    shownAsJson,
    ownRules,
    intro,
    nodes: group.nodes,
    buttons: [{ label: say("send"), kind: "send" }],
    all: group.all,
    fieldAt: (path) => (alone ? group.fields.get("answer") : group.at(path.replace(/^response\.?/, ""))),
    read() {
      const read = group.read();
      return "value" in read && alone ? { value: read.value.answer } : read;
    },
    draft: group.draft,
    restore: group.restore,
    listen: group.listen,
  };
}
