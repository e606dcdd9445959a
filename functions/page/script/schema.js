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
import { say, titled } from "./text.js";
import { timeField } from "./time_field.js";
import { localTime } from "./times.js";

const LONG_TEXT = 120;
const LONGEST_TEXT = 10000;
const FORMATS = { email: "email", uri: "url", date: "date", time: "time" };

/** The schema with references resolved; for "a schema or null" it is that schema, marked `nullable`. */
export function settled(schema, definitions) {
  const { $ref, anyOf, allOf, ...rest } = schema;
  if ($ref?.startsWith("#/$defs/")) return settled({ ...entry(definitions, $ref.slice(8)), ...rest }, definitions);
  if (allOf?.length === 1) return settled({ ...allOf[0], ...rest }, definitions);
  const kinds = anyOf?.filter((kind) => kind.type !== "null");
  if (kinds?.length === 1 && kinds.length < anyOf.length) {
    return { ...settled({ ...kinds[0], ...rest }, definitions), nullable: true };
  }
  return schema;
}

/**
 * The field of a schema. A field that may be null has the value null when it is empty, if it is required or has another
 * default. A text that `mayBeEmptied` is one that the person sees first: an empty one is then a change, and not a blank.
 */
export function schemaField(name, given, { required = false, definitions = {}, ...more } = {}) {
  const schema = settled(given, definitions);
  // Without the null, a field that was emptied would have its default again.
  const says = schema.nullable && (required || (schema.default ?? more.start ?? null) !== null);
  if (!says) return drawnField(name, schema, { required, definitions, ...more });
  const field = drawnField(name, schema, { definitions, ...more });
  const { read } = field;
  return { ...field, read: () => ({ value: null, ...read() }) };
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

function drawnField(name, schema, { required = false, definitions, start, ownName, mayBeEmptied = false }) {
  const label = schema.title ?? titled(name);
  const given = start ?? schema.default ?? undefined;
  const shared = { label, ownName, hint: schema.description, required, start: given };
  const kinds = schema.const === undefined ? schema.enum : [schema.const];
  if (kinds) return oneOf(shared, kinds, schema.enumNames);
  if (schema.type === "boolean") return yesNoField(shared);
  if (schema.type === "integer" || schema.type === "number") return numberOf(shared, schema);
  if (schema.type === "string") return textOf({ ...shared, mayBeEmptied: mayBeEmptied && !schema.minLength && !schema.format }, schema);
  if (schema.type === "array") {
    const items = settled(schema.items ?? {}, definitions);
    if (items.enum) return severalOf(shared, items, schema);
    const kept = (item) => typeof item === "string" && item && item === item.trim() && !/[\r\n]/.test(item);
    if (items.type === "string" && !items.format && (shared.start ?? []).every(kept)) {
      return linesField({ ...shared, fewest: schema.minItems ?? 0, most: schema.maxItems ?? Infinity });
    }
  }
  if (schema.type === "object" && schema.properties) return groupOf(shared, schema, definitions);
  return jsonField(shared);
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
  return numberField({ ...shared, whole: schema.type === "integer", ...limits });
}

function textOf(shared, schema) {
  const { start } = shared;
  const isTime = schema.format === "date-time";
  if (isTime && (start === undefined || localTime(start))) return timeField(shared);
  const type = isTime ? "text" : FORMATS[schema.format] ?? "text";
  const longest = schema.maxLength ?? LONGEST_TEXT;
  const parse = lengthParser(schema.minLength ?? 0, longest);
  const long = type === "text" && (longest > LONG_TEXT || /[\r\n]/.test(start));
  return textField({ ...shared, type, long, parse });
}

function jsonField(shared) {
  return textField({
    ...shared,
    start: shared.start === undefined ? "" : shownJson(shared.start),
    original: shared.start,
    hint: [shared.hint, say("as_json")].filter(Boolean).join("\n"),
    long: true,
    parse: parseJson,
  });
}

/** An object: a field for each property. */
function groupOf(shared, schema, definitions) {
  const id = freshId("group");
  const group = propertyFields(schema, { definitions, values: shared.start });
  const node = el("fieldset", { id, tabindex: "-1" }, el("legend", {}, foreign(shared.label)),
    shared.hint ? foreignBlock("p", shared.hint, "hint") : null,
    el("div", { class: "group" }, ...group.nodes));
  const { draft, restore, listen } = group;
  const read = () => group.read(shared.required);
  return { node, target: id, label: shared.label, inner: group, show() {}, read, draft, restore, listen };
}

/** The fields of an object, each under its name. An empty object that is not required is left out. */
export function propertyFields(schema, { definitions = {}, order = entriesOf(schema.properties).map(([name]) => name), values = {} } = {}) {
  const required = new Set(schema.required ?? []);
  const fields = new Map(order.map((name) => {
    const given = { required: required.has(name), definitions, start: entry(values, name) };
    return [name, schemaField(name, schema.properties[name], given)];
  }));
  const list = [...fields.values()];
  return {
    fields,
    nodes: list.map((field) => field.node),
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
