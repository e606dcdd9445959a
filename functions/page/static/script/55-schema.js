// Fields drawn from JSON Schema: a form's own, an argument that may be edited, or the answer of an adopter's interaction.
// What is not understood is asked for as JSON, so that any answer can be given.

/** The schema that a reference inside the same document stands for; an optional one is that which it may be. */
function settled(schema, definitions) {
  const { $ref, anyOf, allOf, ...rest } = schema;
  if ($ref?.startsWith("#/$defs/")) return settled({ ...entry(definitions, $ref.slice(8)), ...rest }, definitions);
  if (allOf?.length === 1) return settled({ ...allOf[0], ...rest }, definitions);
  const kinds = anyOf?.filter((kind) => kind.type !== "null");
  if (kinds?.length === 1 && kinds.length < anyOf.length) return { ...settled({ ...kinds[0], ...rest }, definitions), nullable: true };
  return schema;
}

/** The field of a schema. What must be there and may be null is null when it is left empty. */
function schemaField(name, given, { required = false, definitions = {}, start = undefined } = {}) {
  const schema = settled(given, definitions);
  if (!required || !schema.nullable) return drawnField(name, schema, { required, definitions, start });
  const field = drawnField(name, schema, { definitions, start });
  const { read } = field;
  return { ...field, read: () => ({ value: null, ...read() }) };
}

function drawnField(name, schema, { required = false, definitions, start }) {
  const label = schema.title ?? titled(name);
  const shared = { label, hint: schema.description, required, start: start ?? schema.default ?? undefined };
  const kinds = schema.const === undefined ? schema.enum : [schema.const];
  if (kinds) return oneOf(shared, kinds, schema.enumNames);
  if (schema.type === "boolean") return yesNoField(shared);
  if (schema.type === "integer" || schema.type === "number") return numberOf(shared, schema);
  if (schema.type === "string") return textOf(shared, schema);
  if (schema.type === "array") {
    const items = settled(schema.items ?? {}, definitions);
    if (items.enum) return severalOf(shared, items, schema);
    if (items.type === "string" && !items.format) return linesField({ ...shared, fewest: schema.minItems ?? 0, most: schema.maxItems ?? Infinity });
  }
  if (schema.type === "object" && schema.properties) return groupOf(shared, schema, definitions);
  return jsonField(shared);
}

function options(values, names) {
  return values.map((value, index) => ({ value, label: names?.[index] ?? readable(value) }));
}

function oneOf(shared, values, names) {
  return choicesField({ ...shared, options: options(values, names), start: shared.start === undefined ? [] : [shared.start] });
}

function severalOf(shared, items, schema) {
  const hint = [shared.hint, say("several")].filter(Boolean).join("\n");
  const field = choicesField({ ...shared, hint, several: true, options: options(items.enum, items.enumNames) });
  const { read } = field;
  return {
    ...field,
    read() {
      const { value = [], fault } = read();
      if (fault && !(shared.required && !schema.minItems)) return { fault };
      if (value.length < (schema.minItems ?? 0) && (value.length || shared.required)) return { fault: say("too_few", { limit: schema.minItems }) };
      if (value.length > (schema.maxItems ?? Infinity)) return { fault: say("too_many", { limit: schema.maxItems }) };
      return value.length || shared.required ? { value } : {};
    },
  };
}

function numberOf(shared, schema) {
  return numberField({ ...shared, whole: schema.type === "integer", minimum: schema.minimum ?? null, maximum: schema.maximum ?? null });
}

const FORMATS = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" };

function textOf(shared, schema) {
  const type = FORMATS[schema.format] ?? "text";
  const longest = schema.maxLength ?? 10000;
  const checked = lengthChecked(schema.minLength ?? 0, longest);
  if (schema.format === "date-time") {
    const local = shared.start === undefined ? undefined : localTime(shared.start);
    return textField({ ...shared, start: local, type, parse: (text) => ({ value: new Date(text).toISOString() }) });
  }
  const field = textField({ ...shared, type, long: type === "text" && longest > LONG_TEXT, parse: checked });
  if (shared.required && !schema.minLength && !schema.format) {
    // The schema says that it must be there, and lets it be empty.
    const { read } = field;
    return { ...field, read: () => (field.draft() === "" ? { value: "" } : read()) };
  }
  return field;
}

/** A moment as `datetime-local` wants it, in the reader's time zone. */
function localTime(text) {
  const at = new Date(text);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

function jsonField(shared) {
  return textField({
    ...shared,
    start: shared.start === undefined ? "" : written(shared.start),
    hint: [shared.hint, say("as_json")].filter(Boolean).join("\n"),
    long: true,
    parse(text) {
      try {
        return { value: JSON.parse(text) };
      } catch {
        return { fault: say("not_json") };
      }
    },
  });
}

/** An object: a field for each property. */
function groupOf(shared, schema, definitions) {
  const id = freshId("group");
  const group = propertyFields(schema, { definitions, values: shared.start });
  const node = el("fieldset", { id, tabindex: "-1" }, el("legend", {}, foreign(shared.label)),
    shared.hint ? el("p", { class: "hint foreign", dir: "auto" }, shared.hint) : null, el("div", { class: "group" }, ...group.nodes));
  return { node, target: id, label: shared.label, inner: group, show() {}, read: () => group.read(shared.required), draft: group.draft, restore: group.restore, listen: group.listen };
}

/** Fields by name, read and kept together. An object that was left empty, and need not be given, is left out. */
function propertyFields(schema, { definitions = {}, order = Object.keys(schema.properties), values = {} } = {}) {
  const required = new Set(schema.required ?? []);
  const fields = new Map(order.map((name) =>
    [name, schemaField(name, schema.properties[name], { required: required.has(name), definitions, start: entry(values, name) })]));
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
      return faults.length ? { faults } : { value: Object.fromEntries(values) };
    },
    draft: () => Object.fromEntries([...fields].map(([name, field]) => [name, field.draft()])),
    restore(draft) {
      for (const [name, field] of fields) if (entry(draft, name) !== undefined) field.restore(draft[name]);
    },
    listen: (heard) => list.forEach((field) => field.listen(heard)),
  };
}
