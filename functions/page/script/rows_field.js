// A field of rows that can be added and removed: a list, or the names and values of a mapping. Each row is a group of
// fields of its own. An untouched field has the value it began with.

import { el } from "./elements.js";
import { jsonText } from "./exact_json.js";
import { finished, framed, spec } from "./fields.js";
import { say } from "./text.js";

// How many empty rows a field begins with at most, where many are needed.
const BEGINS_WITH = 5;

/**
 * The field. `starts` has the start of each row, `draw(start)` returns the group of fields of a row, `gathered(values)`
 * makes the value of those of the rows, or returns {fault, row}. `rowAt(path, rows)` finds a row and the path in it.
 */
export function rowsField(options) {
  const own = spec({ group: true, fewest: 0, most: Infinity, ...options });
  const heards = [];
  const list = el("div", { class: "rows" });
  const full = el("p", { class: "reads" }, say("too_many_rows", { limit: own.most }));
  const add = el("button", { type: "button", class: "second", "aria-label": `${say("add_row")}: ${own.label}`,
    onclick: () => {
      const row = added();
      changed();
      row.node.focus();
    } }, say("add_row"));
  let rows = [];

  function added(start) {
    const group = own.draw(start);
    const head = el("span", {});
    const remove = el("button", { type: "button", class: "plain", onclick: () => removed(row) }, say("remove_row"));
    const node = el("fieldset", { class: "row", tabindex: "-1" }, el("legend", {}, head),
      el("div", { class: "group" }, ...group.nodes, el("div", {}, remove)));
    const row = { group, head, remove, node };
    group.listen(heard);
    rows.push(row);
    return row;
  }

  function removed(row) {
    rows = rows.filter((other) => other !== row);
    changed();
    add.focus();
  }

  const heard = () => heards.forEach((each) => each());
  const nameOf = (index) => `${own.label} ${index + 1}`;

  function changed() {
    rows.forEach(({ head, remove }, index) => {
      head.textContent = nameOf(index);
      remove.setAttribute("aria-label", `${say("remove_row")}: ${nameOf(index)}`);
      remove.hidden = own.required && rows.length <= own.fewest;
    });
    add.hidden = rows.length >= own.most;
    full.hidden = !add.hidden;
    list.replaceChildren(...rows.map(({ node }) => node));
    heard();
  }

  function gathered() {
    const faults = [];
    const values = rows.map(({ group }, index) => {
      const read = group.read();
      const label = (fault) => `${nameOf(index)}: ${fault.label ?? fault.field.label}`;
      faults.push(...(read.faults ?? []).map((fault) => ({ ...fault, label: label(fault) })));
      return read.value;
    });
    if (faults.length) return { faults };
    if (rows.length < own.fewest) return { fault: say("too_few_rows", { limit: own.fewest }) };
    if (rows.length > own.most) return { fault: say("too_many_rows", { limit: own.most }) };
    return own.gathered(values);
  }

  const draft = () => rows.map(({ group }) => group.draft());
  for (const start of own.starts ?? []) added(start);
  while (own.required && !own.starts && rows.length < Math.min(own.fewest, BEGINS_WITH)) added();
  changed();
  const initial = jsonText(draft());

  return finished(own, [], framed(own, list, full, add), {
    inner: {
      all: () => rows.flatMap(({ group }) => group.all()),
      at(path) {
        const [row, rest] = own.rowAt(path, rows.map(({ group }) => group)) ?? [];
        return row?.at(rest);
      },
    },
    read() {
      if (own.start !== undefined && jsonText(draft()) === initial) return { value: own.start };
      if (!rows.length && !own.required && own.start === undefined) return {};
      return gathered();
    },
    draft,
    restore(drafts) {
      if (!Array.isArray(drafts)) return;
      rows = [];
      for (const each of drafts) added().group.restore(each);
      changed();
    },
    listen: (each) => heards.push(each),
  });
}
