// A field of a union: the person chooses the kind of the value, and then sees the fields of that kind.

import { choicesField } from "./choices.js";
import { el } from "./elements.js";

/** The field; each of `kinds` has a `label`, `draw(start)` for its field, and `holds(value)`. */
export function unionField({ kinds, start, ...options }) {
  const begins = start === undefined ? -1 : kinds.findIndex((kind) => kind.holds(start));
  const names = kinds.map(({ label }, index) => ({ label, value: index }));
  const choice = choicesField({ ...options, options: names, start: begins < 0 ? [] : [begins] });
  const place = el("div", { class: "which" });
  const heards = [];
  let chosen = begins;
  let field = null;

  const heard = () => heards.forEach((each) => each());

  function drawn() {
    field = chosen < 0 ? null : kinds[chosen].draw(chosen === begins ? start : undefined);
    field?.listen(heard);
    place.replaceChildren(...(field ? [field.node] : []));
  }

  function look() {
    const now = choice.read().value ?? -1;
    if (now === chosen) return;
    chosen = now;
    drawn();
  }

  drawn();
  choice.listen(() => {
    look();
    heard();
  });
  return {
    ...choice,
    node: el("div", { class: "field" }, choice.node, place),
    inner: {
      all: () => (field ? [field, ...(field.inner?.all() ?? [])] : []),
      at: () => field,
    },
    read() {
      if (!field) return choice.read();
      const read = field.read();
      return read.fault ? { faults: [{ field, fault: read.fault }] } : read;
    },
    draft: () => ({ kind: choice.draft(), of: field ? field.draft() : null }),
    restore(draft) {
      choice.restore(draft.kind ?? {});
      look();
      if (field && draft.of !== null && draft.of !== undefined) field.restore(draft.of);
    },
    listen: (each) => heards.push(each),
  };
}
