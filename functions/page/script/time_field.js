// The field of a moment. An untouched one is sent as it is recorded. A time that a person types is in their own zone, and
// carries its offset; a time that does not exist there is refused, and of one that comes twice the person chooses.

import { choicesField } from "./choices.js";
import { el } from "./elements.js";
import { textField } from "./fields.js";
import { moment, say } from "./text.js";
import { isZoned, localTime, momentsOf, stampOf } from "./times.js";
import { valueText } from "./value_text.js";

/** A date and time; `start` is a recorded time, or undefined. */
export function timeField(options) {
  const place = el("div", { class: "which" });
  const heards = [];
  let asked = null;
  const field = textField({
    ...options,
    type: "datetime-local",
    start: options.start === undefined ? undefined : localTime(options.start),
    original: options.start,
    reads: (text, untouched) => read(text, untouched),
    parse(local) {
      const moments = momentsOf(local);
      if (!moments) return { fault: say("unreadable") };
      if (!moments.length) return { fault: say("hour_missing") };
      if (moments.length === 1) return { value: stampOf(moments[0]) };
      return asked?.read().value ? { value: asked.read().value } : { fault: say("choose") };
    },
  });
  const initial = field.draft();

  function ask() {
    const local = field.draft();
    const untouched = options.start !== undefined && local === initial;
    const moments = untouched ? [] : momentsOf(local) ?? [];
    asked = moments.length < 2 ? null : choicesField({
      label: say("hour_twice"),
      required: true,
      options: moments.map((at, index) => ({
        value: stampOf(at), label: moment(at), description: say(index ? "hour_second" : "hour_first"),
      })),
    });
    place.replaceChildren(...(asked ? [asked.node] : []));
    asked?.listen(heard);
  }

  const heard = () => heards.forEach((each) => each());
  field.listen(() => {
    ask();
    heard();
  });
  return {
    ...field,
    node: el("div", { class: "field" }, field.node, place),
    draft: () => (asked ? { local: field.draft(), asked: asked.draft() } : field.draft()),
    restore(draft) {
      field.restore(draft.local ?? draft);
      ask();
      if (draft.asked) asked?.restore(draft.asked);
    },
    listen: (each) => heards.push(each),
  };
}

/** How a time is understood. Of a recorded one the exact text too: the control shows no offset and no fractions. */
function read(text, untouched) {
  if (untouched) return el("span", {}, isZoned(text) && `${understood(Date.parse(text))} \u00b7 `, valueText(text));
  const moments = momentsOf(text);
  return moments?.length === 1 ? el("span", {}, understood(moments[0])) : null;
}

function understood(at) {
  return `${say("read_as_number")} ${moment(at, at % 60000 ? { second: "2-digit" } : {})}`;
}
