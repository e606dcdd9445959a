// What a reader can do instead of an answer, below the form: a closed part with one field, and the button that sends it.

import { dropDraft, keepDraft, readDraft } from "./draft.js";
import { el } from "./elements.js";
import { isFinal } from "./endings.js";
import { canPass } from "./service.js";
import { say } from "./text.js";

/**
 * The part, by the key of its title. What is typed is a draft of its own: it stays when the question changes. `isSure`
 * can ask once more before the value is sent to `path`, in the body by `name`. `taken(body)` shows what came of it, and
 * `wrong` is said at the field where the service does not take the value.
 */
export function aside(title, { question, service, sending }, part) {
  const { text, field, button, isSure = () => true, path, name, taken, wrong } = part;
  const place = { jti: question.jti, request_hash: title };
  const draft = readDraft(place);
  const isTyped = typeof draft === "string" && draft !== "";
  if (isTyped) field.restore(draft);
  field.listen(() => keepDraft(place, field));

  function faulty(fault) {
    field.show(fault);
    document.getElementById(field.target).focus();
  }

  function settle(reply) {
    const { status, body } = reply;
    if (status === 200 || status === 201) {
      dropDraft(place);
      return taken(body);
    }
    if (!canPass(status) && isFinal(body.code)) return sending.refused(reply);
    return faulty(status === 400 ? wrong : `${say("unavailable_title")}. ${say("unavailable_text")}`);
  }

  async function press({ currentTarget: pressed }) {
    const { value, fault } = field.read();
    if (fault) return faulty(fault);
    field.show(null);
    if (!(await isSure(value))) return pressed.focus();
    const body = { [name]: value, request_hash: question.request_hash };
    return sending.send(pressed, () => service.post(path, body), settle);
  }

  return el("details", { class: "sheet aside", open: isTyped }, el("summary", {}, say(title)), text, field.node,
    el("div", { class: "buttons" }, el("button", { type: "button", class: "second", onclick: press }, say(button))));
}
