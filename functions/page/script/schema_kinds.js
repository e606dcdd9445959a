// What a JSON Schema says about its value, without any element: the schema behind references and unions, whether a value
// is of it, and an example.

import { entriesOf, entry, isNumber, isObject, jsonText, objectOf } from "./exact_json.js";
import { isWhole } from "./numbers.js";
import { say } from "./text.js";

const isChoice = (schema) => schema.enum !== undefined || schema.const !== undefined;

/** The values of an enumeration or a constant; undefined for every other schema. */
export const valuesOf = (schema) => (schema.const === undefined ? schema.enum : [schema.const]);

/**
 * The schema with references resolved. "A schema or null" is that schema, marked `nullable`; a union of enumerations is
 * one enumeration; a decimal, which may be written as a number or as a text, is a number marked `decimal`. Every other
 * union has its kinds in `union`.
 */
export function settled(schema, definitions) {
  const { $ref, anyOf, oneOf, allOf, ...rest } = schema;
  if ($ref?.startsWith("#/$defs/")) return settled({ ...entry(definitions, $ref.slice(8)), ...rest }, definitions);
  if (allOf?.length === 1) return settled({ ...allOf[0], ...rest }, definitions);
  const all = anyOf ?? oneOf;
  if (!all?.length) return schema;
  const kinds = all.filter((kind) => kind.type !== "null");
  const nullable = kinds.length < all.length ? { nullable: true } : {};
  if (kinds.length === 1) return { ...settled({ ...kinds[0], ...rest }, definitions), ...nullable };
  const known = kinds.map((kind) => settled(kind, definitions));
  if (known.some((kind) => kind.nullable)) nullable.nullable = true;
  if (known.length && known.every(isChoice)) return { ...rest, enum: known.flatMap(valuesOf), ...nullable };
  const numbers = known.filter(({ type }) => type === "number" || type === "integer");
  if (numbers.length === known.length && known.length) return { ...known[0], ...rest, type: "number", ...nullable };
  const [text] = known.filter(({ type }) => type === "string");
  if (known.length === 2 && numbers.length === 1 && text && (rest.format === "decimal" || isOfDigits(text.pattern))) {
    const { format, ...shown } = rest;
    return { ...numbers[0], ...shown, decimal: true, ...nullable };
  }
  return { ...rest, union: known.map((kind) => tagged(kind, schema.discriminator?.propertyName)), ...nullable };
}

/** A kind of a union; the property that names the kind has its only value, so that no person is asked for it. */
function tagged(kind, tag) {
  const property = tag === undefined ? undefined : entry(kind.properties, tag);
  if (property?.const === undefined) return kind;
  const properties = objectOf(entriesOf(kind.properties).filter(([name]) => name !== tag));
  return { ...kind, properties, fixed: [tag, property.const] };
}

function isOfDigits(pattern) {
  try {
    const digits = new RegExp(pattern);
    return pattern !== undefined && digits.test("12.5") && !digits.test("a");
  } catch {
    return false;
  }
}

/** Whether a value is of this settled schema, as far as its type says. */
export function holds(schema, value) {
  if (isChoice(schema)) return valuesOf(schema).some((each) => jsonText(each) === jsonText(value));
  if (schema.type === "string" || schema.type === "boolean") return typeof value === schema.type;
  if (schema.type === "array") return Array.isArray(value);
  if (schema.type === "integer") return isNumber(value) && isWhole(value);
  if (schema.type === "number") return isNumber(value);
  if (!isObject(value) || Array.isArray(value)) return false;
  const fixed = !schema.fixed || entry(value, schema.fixed[0]) === schema.fixed[1];
  return fixed && (schema.required ?? []).every((name) => entry(value, name) !== undefined);
}

const NAMES = {
  string: "kind_string",
  number: "kind_number",
  integer: "kind_integer",
  boolean: "kind_boolean",
  array: "kind_array",
  object: "kind_object",
  date: "kind_date",
  "date-time": "kind_date_time",
};

/** The name of a kind of a union. */
export function kindName(schema) {
  if (schema.title) return schema.title;
  if (isChoice(schema)) return valuesOf(schema).map(String).join(", ");
  return say(entry(NAMES, schema.format) ?? entry(NAMES, schema.type) ?? "other");
}

/** An example of a value. */
export function exampleOf(given, definitions, depth = 0) {
  const schema = settled(given ?? {}, definitions);
  const next = (inner) => exampleOf(inner, definitions, depth + 1);
  if (isChoice(schema)) return valuesOf(schema)[0];
  if (depth > 3) return null;
  if (schema.union) return next(schema.union[0]);
  const plain = { string: "text", integer: 1, number: 1.5, boolean: true };
  if (schema.type in plain) return plain[schema.type];
  if (schema.type === "array") return (schema.prefixItems ?? [schema.items ?? {}]).map(next);
  if (schema.properties) return objectOf(entriesOf(schema.properties).map(([name, inner]) => [name, next(inner)]));
  return depth ? "text" : { name: "text" };
}
