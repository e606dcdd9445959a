// Shows a list of objects as a table. Every cell is drawn as its value is drawn elsewhere, and a name that an object does
// not have is not an empty cell. The names stand in the order that all the objects have.

import { el } from "./elements.js";
import { entriesOf, entry, isObject } from "./exact_json.js";
import { say } from "./text.js";
import { note } from "./value_text.js";

const FEWEST_ROWS = 2;
const MOST_COLUMNS = 6;
const LONGEST_CELL = 120;

/** The names of the columns of a list of objects; null if the list is not one that a table can show. */
export function columnsOf(list) {
  if (list.length < FEWEST_ROWS || !list.every((item) => isObject(item) && !Array.isArray(item))) return null;
  const named = list.map((item) => entriesOf(item).map(([name]) => name));
  const columns = named.reduce((most, names) => (names.length > most.length ? names : most));
  if (columns.length > MOST_COLUMNS || columns.length < 2) return null;
  // In the columns' order, with none twice: then the cells of a row say which names it has, in which order.
  const fits = (names) => names.length && names.filter((name, at) =>
    columns.indexOf(name) > (at ? columns.indexOf(names[at - 1]) : -1)).length === names.length;
  const isCell = (value) => !isObject(value) && String(value).length <= LONGEST_CELL;
  return named.every(fits) && list.every((item) => entriesOf(item).every(([, value]) => isCell(value))) ? columns : null;
}

/** The table of some rows. A wide one scrolls in a frame of its own, which the keyboard reaches. */
export function tableOf(columns, rows, { label, nameOf, facts }) {
  const cell = (row, name) => {
    const value = entry(row, name);
    return el("td", {}, value === undefined ? note(`(${say("absent")})`) : facts(value, 1));
  };
  return el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label },
    el("table", {},
      el("thead", {}, el("tr", {}, ...columns.map((name) => el("th", { scope: "col" }, nameOf(name))))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...columns.map((name) => cell(row, name)))))));
}
