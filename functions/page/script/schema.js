// Fields drawn from JSON Schema: for a form, for an editable argument, and for the answer to an interaction of the
// deployment. For a schema that is not supported the field takes JSON, so that every answer is possible.

import { choicesField, yesNoField } from "./choices.js";
import { el, foreign, foreignBlock, freshId } from "./elements.js";
import { entriesOf, entry, isNumber, jsonText, objectOf } from "./exact_json.js";
import { facts } from "./facts.js";
import { linesField, numberField, textField } from "./fields.js";
import { shownJson } from "./json_view.js";
import { isWhole } from "./numbers.js";
import { lengthParser, parseJson } from "./parsers.js";
import { exampleOf, holds, kindName, settled, valuesOf } from "./schema_kinds.js";
import { listRows, mappingRows } from "./schema_rows.js";
import { say, titled } from "./text.js";
import { timeField } from "./time_field.js";
import { localTime } from "./times.js";
import { unionField } from "./union_field.js";

const LONG_TEXT = 120;
const LONGEST_TEXT = 10000;
// A group deeper than this is asked for as JSON: a model that contains itself has no end.
const DEEPEST = 5;
const FORMATS = { email: "email", uri: "url", date: "date", time: "time" };

/**
 * The field of a schema. A field that may be null has the value null when it is empty, if it is required or has another
 * default. A text that `mayBeEmptied` is one that the person sees first: an empty one is then a change, and not a blank.
 */
export function schemaField(name, given, { required = false, definitions = {}, ...more } = {}) {
  const schema = settled(given, definitions);
  // Not the title of the model behind a reference: two fields of one model would be headed alike.
  const context = { label: given.title ?? titled(name), definitions, depth: 0, ...more };
  // Without the null, a field that was emptied would have its default again.
  const says = schema.nullable && (required || (schema.default ?? more.start ?? null) !== null);
  if (!says) return drawnField(schema, { required, ...context });
  const field = drawnField(schema, { required: false, ...context });
  const { read } = field;
  return { ...field, read: () => empty(read(), null) };
}

/** What was read; an empty field has this value. */
function empty(read, value) {
  return "value" in read || read.fault || read.faults ? read : { value };
}

/** Whether a field of a flat schema can show this value as it is. */
export function fits(schema, value) {
  if (schema.enum) return schema.enum.includes(value);
  if (schema.type === "string") return typeof value === "string";
  if (schema.type === "boolean") return typeof value === "boolean";
  if (schema.type === "array") {
    return Array.isArray(value) && new Set(value).size === value.length
      && value.every((item) => schema.items.enum.includes(item));
  }
  return isNumber(value) && (schema.type !== "integer" || isWhole(value));
}

function drawnField(schema, { label, required, definitions, depth, start, ownName, mayBeEmptied = false }) {
  const given = start ?? schema.default ?? undefined;
  const shared = { label, ownName, hint: schema.description, required, start: given };
  const context = { definitions, depth: depth + 1 };
  const kinds = valuesOf(schema);
  if (kinds) return oneOf(shared, kinds, schema.enumNames);
  if (schema.type === "boolean") return yesNoField(shared);
  if (schema.type === "integer" || schema.type === "number") return numberOf(shared, schema);
  if (schema.type === "string") {
    return textOf({ ...shared, mayBeEmptied: mayBeEmptied && !schema.minLength && !schema.format }, schema);
  }
  // A default of another shape can only be shown as JSON.
  const isHeld = given === undefined || (schema.union ?? [schema]).some((kind) => holds(kind, given));
  if (depth < DEEPEST && isHeld) {
    if (schema.union) return unionOf(shared, schema.union, context);
    if (schema.type === "array" && schema.items && !schema.prefixItems) {
      const field = listOf(shared, schema, settled(schema.items, definitions), context);
      if (field) return field;
    }
    if (schema.type === "object" && schema.properties) return groupOf(shared, schema, context);
    if (schema.type === "object" && Object.keys(schema.additionalProperties ?? {}).length) {
      return mappingRows(shared, schema, definitions, rowOf(context));
    }
  }
  return jsonField(shared, exampleOf(schema, definitions));
}

/** A list: choices of an enumeration, lines of text, or rows; undefined where nothing is known of its items. */
function listOf(shared, schema, items, context) {
  if (items.enum) return severalOf(shared, items, schema);
  const limits = { fewest: schema.minItems ?? 0, most: schema.maxItems ?? Infinity };
  const kept = (item) => typeof item === "string" && item && item === item.trim() && !/[\r\n]/.test(item);
  const plain = items.type === "string" && !items.format && !items.nullable;
  if (plain && [shared.start ?? []].flat().every(kept)) return linesField({ ...shared, ...limits });
  return Object.keys(items).length ? listRows({ ...shared, ...limits }, schema, items, rowOf(context)) : undefined;
}

/** What draws the fields of a row. */
const rowOf = (context) => (row, values) => propertyFields(row, { ...context, values });

/** A union: its kinds, and the field of the chosen one. */
function unionOf({ ownName, ...shared }, union, context) {
  const kinds = union.map((schema) => ({
    label: kindName(schema),
    holds: (value) => holds(schema, value),
    draw: (start) => schemaField("", { ...schema, title: kindName(schema) }, { ...context, required: true, start }),
  }));
  return unionField({ ...shared, kinds });
}

function options(values, names) {
  return values.map((value, index) => (names?.[index] === undefined
    ? { value, label: String(value), shown: () => facts(value, 1) } : { value, label: names[index] }));
}

function oneOf(shared, values, names) {
  const start = shared.start === undefined ? [] : [shared.start];
  return choicesField({ ...shared, options: options(values, names), start });
}

function severalOf(shared, items, schema) {
  const hint = [shared.hint, say("several")].filter(Boolean).join("\n");
  const choices = options(items.enum, items.enumNames);
  const limits = [[schema.minItems, "too_few"], [schema.maxItems, "too_many"]];
  const said = limits.flatMap(([limit, key]) => (limit === undefined ? [] : [say(key, { limit })]));
  const expects = said.join(" ") || say("several");
  const field = choicesField({ ...shared, hint, several: true, options: choices, expects });
  const { read } = field;
  return {
    ...field,
    read() {
      const { value = [], fault } = read();
      if (fault && !(shared.required && !schema.minItems)) return { fault };
      if (value.length < (schema.minItems ?? 0) && (value.length || shared.required)) {
        return { fault: say("too_few", { limit: schema.minItems }) };
      }
      if (value.length > (schema.maxItems ?? Infinity)) return { fault: say("too_many", { limit: schema.maxItems }) };
      return value.length || shared.required ? { value } : {};
    },
  };
}

function numberOf(shared, schema) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const limits = { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf };
  const field = numberField({ ...shared, whole: schema.type === "integer" && !schema.decimal, ...limits });
  if (!schema.decimal) return field;
  // As a text: the service reads a JSON number as a binary fraction before it makes a decimal of it.
  const { read } = field;
  const text = ({ value, ...more }) => (value === undefined ? more : { value: String(value) });
  return { ...field, read: () => text(read()) };
}

function textOf(shared, schema) {
  const { start } = shared;
  const isTime = schema.format === "date-time";
  if (isTime && (start === undefined || localTime(start))) return timeField(shared);
  const type = isTime ? "text" : FORMATS[schema.format] ?? "text";
  const longest = schema.maxLength ?? LONGEST_TEXT;
  const lines = !schema.short && longest > LONG_TEXT;
  const parse = lengthParser(schema.minLength ?? 0, longest);
  const long = type === "text" && (lines || /[\r\n]/.test(start));
  return textField({ ...shared, type, long, parse });
}

/** The last resort, for a schema that has no field. */
function jsonField(shared, example) {
  return textField({
    ...shared,
    start: shared.start === undefined ? "" : shownJson(shared.start),
    original: shared.start,
    hint: [shared.hint, say("as_json"), say("json_example", { example: jsonText(example) })].filter(Boolean).join("\n"),
    long: true,
    parse: parseJson,
  });
}

/** An object: a field for each property. An untouched one is its default, or is left out if it need not be given. */
function groupOf(shared, schema, context) {
  const id = freshId("group");
  const group = propertyFields(schema, { ...context, values: shared.start });
  const optional = shared.required ? null : el("span", { class: "quiet" }, ` ${say("optional")}`);
  const node = el("fieldset", { id, tabindex: "-1" }, el("legend", {}, foreign(shared.label), optional),
    shared.hint ? foreignBlock("p", shared.hint, "hint") : null,
    el("div", { class: "group" }, ...group.nodes));
  const { draft, restore, listen } = group;
  const initial = jsonText(draft());
  const read = () => {
    const untouched = jsonText(draft()) === initial;
    if (untouched && shared.start !== undefined) return { value: shared.start };
    if (untouched && !shared.required) return {};
    const found = group.read(shared.required);
    if (!schema.fixed || !found.value) return found;
    return { value: objectOf([schema.fixed, ...entriesOf(found.value)]) };
  };
  return { node, target: id, label: shared.label, inner: group, show() {}, read, draft, restore, listen };
}

/** The fields of an object, each under its name. An empty object that is not required is left out. */
export function propertyFields(schema, { definitions = {}, depth = 0, order, values = {} } = {}) {
  const names = order ?? entriesOf(schema.properties).map(([name]) => name);
  const required = new Set(schema.required ?? []);
  const fields = new Map(names.map((name) => {
    const given = { required: required.has(name), definitions, depth, start: entry(values, name) };
    return [name, schemaField(name, schema.properties[name], given)];
  }));
  const list = [...fields.values()];
  return {
    fields,
    nodes: list.map((field) => field.node),
    at: (path) => fieldAt(fields, path),
    all: () => list.flatMap((field) => [field, ...(field.inner?.all() ?? [])]),
    read(mustBeGiven = true) {
      const values = [];
      const faults = [];
      for (const [name, field] of fields) {
        const read = field.read();
        if (read.fault) faults.push({ field, fault: read.fault });
        else if (read.faults) faults.push(...read.faults);
        else if ("value" in read) values.push([name, read.value]);
      }
      if (!mustBeGiven && !values.length) return {};
      return faults.length ? { faults } : { value: objectOf(values) };
    },
    draft: () => Object.fromEntries([...fields].map(([name, field]) => [name, field.draft()])),
    restore(draft) {
      for (const [name, field] of fields) if (entry(draft, name) !== undefined) field.restore(draft[name]);
    },
    listen: (heard) => list.forEach((field) => field.listen(heard)),
  };
}

/** The field at a path such as `address.city` or `items[1].name`. */
function fieldAt(fields, path) {
  if (fields.has(path)) return fields.get(path);
  for (const [name, field] of fields) {
    const rest = path.startsWith(name) ? path.slice(name.length) : "";
    if (/^[.[]/.test(rest)) return field.inner?.at(rest.replace(/^\./, "")) ?? field;
  }
  return undefined;
}
