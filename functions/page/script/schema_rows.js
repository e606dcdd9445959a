// Lists and mappings of a schema as rows. `fieldsOf(schema, values)` draws the fields of a row.

import { entriesOf, jsonText, objectOf } from "./exact_json.js";
import { rowsField } from "./rows_field.js";
import { settled } from "./schema_kinds.js";
import { say } from "./text.js";

/** A list: a row for each item. */
export function listRows(shared, schema, items, fieldsOf) {
  const row = valueRow(items, items, fieldsOf);
  const twice = (values) => schema.uniqueItems && new Set(values.map((value) => jsonText(value))).size < values.length;
  return rowsField({
    ...shared,
    starts: shared.start,
    draw: (start) => row(start === undefined ? {} : { value: start }),
    gathered(rows) {
      const value = rows.map((each) => each.value);
      return twice(value) ? { fault: say("value_twice") } : { value };
    },
    rowAt(path, rows) {
      const [, index, rest] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
      return [rows[index], rest];
    },
  });
}

/** A mapping: rows with a name and a value. */
export function mappingRows(shared, schema, definitions, fieldsOf) {
  const names = settled(schema.propertyNames ?? {}, definitions);
  const name = { type: "string", ...names, title: say("row_name"), short: true };
  const value = schema.additionalProperties;
  const row = valueRow(value, settled(value, definitions), fieldsOf, name);
  return rowsField({
    ...shared,
    fewest: schema.minProperties ?? 0,
    most: schema.maxProperties ?? Infinity,
    starts: shared.start && entriesOf(shared.start),
    draw: (start) => row(start ? { name: start[0], value: start[1] } : {}),
    gathered(rows) {
      const entries = rows.map((each) => [each.name, each.value]);
      const twice = new Set(entries.map(([each]) => each)).size < entries.length;
      return twice ? { fault: say("name_twice") } : { value: objectOf(entries) };
    },
    rowAt(path, rows) {
      const row = rows.find((each) => {
        const named = each.fields.get("name").read().value;
        return named !== undefined && (path === named || path.startsWith(`${named}.`));
      });
      return row && [row, "value"];
    },
  });
}

/** What draws a row. The properties of an object are fields of the row itself; another value has a field of its own. */
function valueRow(given, schema, fieldsOf, name) {
  if (!name && schema.properties && !schema.nullable && !schema.fixed) {
    return ({ value }) => {
      const group = fieldsOf(schema, value);
      return { ...group, read: () => wrapped(group.read()) };
    };
  }
  const value = { ...given, title: schema.title ?? say("row_value") };
  const row = { properties: objectOf([...(name ? [["name", name]] : []), ["value", value]]), required: ["name", "value"] };
  return (values) => {
    const group = fieldsOf(row, values);
    return name ? group : { ...group, at: (path) => group.at(path ? `value.${path}` : "value") };
  };
}

function wrapped(read) {
  return read.faults ? read : { value: { value: read.value } };
}
