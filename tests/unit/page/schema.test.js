import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { propertyFields, schemaField, settled } from "../../../functions/page/script/schema.js";
import { readIn } from "./english.js";
import { controls, freshDocument, press, type } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

/** What a field of this schema reads after this was typed into it. */
function typed(text, schema, given = {}) {
  const field = schemaField("a", schema, given);
  type(controls(field.node)[0], text);
  return field.read();
}

test("a reference is what it refers to, and what stands beside it wins", () => {
  const definitions = { A: { type: "string", title: "Of A" }, B: { $ref: "#/$defs/A" } };
  assert.deepEqual(settled({ $ref: "#/$defs/B", title: "Mine" }, definitions), { type: "string", title: "Mine" });
  assert.deepEqual(settled({ allOf: [{ $ref: "#/$defs/A" }] }, definitions), definitions.A);
});

test("a reference to what every object has finds nothing", () => {
  assert.deepEqual(settled({ $ref: "#/$defs/constructor" }, {}), {});
});

test("one kind or null is that kind, and may be null", () => {
  const schema = { anyOf: [{ type: "integer" }, { type: "null" }], title: "T" };
  assert.deepEqual(settled(schema, {}), { type: "integer", title: "T", nullable: true });
});

test("a union of kinds stays one and is asked for as JSON", () => {
  const schema = { anyOf: [{ type: "integer" }, { type: "string" }] };
  assert.equal(settled(schema, {}), schema);
  assert.deepEqual(typed("[1]", schema), { value: [1] });
  assert.deepEqual(typed("[1", schema), { fault: "This is not JSON." });
});

test("what must be there and may be null is null when it is left empty", () => {
  const schema = { anyOf: [{ type: "string" }, { type: "null" }] };
  assert.deepEqual(schemaField("a", schema, { required: true }).read(), { value: null });
  assert.deepEqual(schemaField("a", schema).read(), {});
  assert.deepEqual(typed("x", schema, { required: true }), { value: "x" });
});

test("what has a default and may be null is null when it was cleared", () => {
  const schema = { anyOf: [{ enum: ["a", "b"] }, { type: "null" }], default: "a" };
  const field = schemaField("a", schema);
  assert.deepEqual(field.read(), { value: "a" });
  press(field.node.querySelector("button"));
  assert.deepEqual(field.read(), { value: null });
});

test("D-24: a required text that was left blank is asked for, and an optional one is left out", () => {
  for (const schema of [{ type: "string" }, { type: "string", default: "" }, { type: "string", minLength: 1 }]) {
    for (const text of ["", "  ", "\u200b\n"]) {
      assert.deepEqual(typed(text, schema, { required: true }), { fault: "This is needed." });
    }
  }
  assert.deepEqual(schemaField("a", { type: "string" }).read(), {});
  assert.deepEqual(schemaField("a", { type: "string", default: "" }).read(), { value: "" });
});

test("a proposed text can be emptied where its schema allows an empty one", () => {
  const emptied = (schema) => typed("", schema, { required: true, start: "x", mayBeEmptied: true });
  assert.deepEqual(emptied({ type: "string" }), { value: "" });
  assert.deepEqual(emptied({ type: "string", minLength: 1 }), { fault: "This is needed." });
});

test("limits of numbers and texts are the schema's", () => {
  assert.deepEqual(typed("0", { type: "integer", minimum: 1 }), { fault: "At least 1." });
  assert.deepEqual(typed("1.5", { type: "integer" }), { fault: "Enter a whole number." });
  assert.deepEqual(typed("1.5", { type: "number", maximum: 1 }), { fault: "At most 1." });
  assert.deepEqual(typed("abc", { type: "string", maxLength: 2 }), { fault: "At most 2 characters; this has 3." });
});

test("a text has a limit of its own where the schema gives none", () => {
  assert.deepEqual(typed("x".repeat(10000), { type: "string" }), { value: "x".repeat(10000) });
  assert.match(typed("x".repeat(10001), { type: "string" }).fault, /^At most 10000 characters/);
});

test("a format has the control of its kind", () => {
  const kind = (format) => controls(schemaField("a", { type: "string", format }).node)[0].getAttribute("type");
  assert.deepEqual(["email", "uri", "date", "date-time"].map(kind), ["email", "url", "date", "datetime-local"]);
});

test("a long text has several lines", () => {
  const tag = (maxLength) => controls(schemaField("a", { type: "string", maxLength }).node)[0].tagName;
  assert.deepEqual([120, 121].map(tag), ["INPUT", "TEXTAREA"]);
});

test("an enumeration is a choice of its values, by their names where it has some", () => {
  const field = schemaField("a", { enum: [1, 2], enumNames: ["One", "Two"] }, { start: 2 });
  assert.match(field.node.textContent, /OneTwo/);
  assert.deepEqual(field.read(), { value: 2 });
});

test("a constant is the one choice, null included", () => {
  const field = schemaField("a", { const: null });
  controls(field.node)[0].checked = true;
  assert.deepEqual(field.read(), { value: null });
});

test("several of an enumeration keep to the limits", () => {
  const schema = { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2, maxItems: 2 };
  const chosen = (...indexes) => {
    const field = schemaField("a", schema, { required: true });
    for (const index of indexes) controls(field.node)[index].checked = true;
    return field.read();
  };
  assert.deepEqual(chosen(0), { fault: "Choose at least 2." });
  assert.deepEqual(chosen(0, 2), { value: ["a", "c"] });
  assert.deepEqual(chosen(0, 1, 2), { fault: "Choose at most 2." });
});

test("some of an enumeration are needed where a list has a least length", () => {
  const schema = { type: "array", items: { enum: ["a", "b"] }, minItems: 2 };
  assert.deepEqual(schemaField("a", schema, { required: true }).read(), { fault: "Choose at least 1." });
  assert.deepEqual(schemaField("a", schema).read(), {});
  const begun = schemaField("a", schema);
  controls(begun.node)[0].checked = true;
  assert.deepEqual(begun.read(), { fault: "Choose at least 2." });
});

test("none of an enumeration is an empty list where a list must be there", () => {
  const schema = { type: "array", items: { enum: ["a"] } };
  assert.deepEqual(schemaField("a", schema, { required: true }).read(), { value: [] });
  assert.deepEqual(schemaField("a", schema).read(), {});
});

test("a list of texts is one per line", () => {
  const schema = { type: "array", items: { type: "string" }, maxItems: 2 };
  assert.deepEqual(typed("x\ny", schema), { value: ["x", "y"] });
  assert.deepEqual(typed("x\ny\nz", schema), { fault: "At most 2 lines; this has 3." });
});

test("lists of anything but plain texts are asked for as JSON", () => {
  for (const items of [{ type: "string", format: "date" }, { type: "integer" }, undefined]) {
    assert.deepEqual(typed("[1]", { type: "array", items }), { value: [1] });
  }
});

test("a list has as many lines as it needs", () => {
  const schema = { type: "array", items: { type: "string" }, minItems: 2 };
  assert.deepEqual(typed("x", schema), { fault: "At least 2 lines." });
});

test("JSON begins with what is given, written out", () => {
  assert.equal(schemaField("a", {}, { start: { a: 1 } }).draft(), '{\n  "a": 1\n}');
});

test("a text has at least the length of the schema", () => {
  assert.deepEqual(typed("a", { type: "string", minLength: 2 }), { fault: "At least 2 characters." });
});

const ADDRESS = {
  type: "object",
  required: ["street"],
  properties: { street: { type: "string", minLength: 1 }, city: { type: "string" } },
};

test("a group that was left empty and need not be given is left out; begun, it must be complete", () => {
  const given = { type: "object", properties: { home: ADDRESS } };
  const group = propertyFields(given);
  assert.deepEqual(group.read(), { value: {} });
  type(controls(...group.nodes)[1], "Rome");
  const { faults } = group.read();
  assert.deepEqual(faults.map(({ field, fault }) => [field.label, fault]), [["Street", "This is needed."]]);
});

test("fields come in the order that was asked for, and begin with the values that were given", () => {
  const group = propertyFields(ADDRESS, { order: ["city", "street"], values: { city: "Rome" } });
  assert.deepEqual([...group.fields.keys()], ["city", "street"]);
  assert.deepEqual(group.draft(), { city: "Rome", street: "" });
});

test("a property may have the name of what every object has", () => {
  const properties = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}');
  const group = propertyFields({ properties });
  for (const control of controls(...group.nodes)) type(control, "x");
  const after = propertyFields({ properties });
  after.restore(JSON.parse(JSON.stringify(group.draft())));
  assert.deepEqual(JSON.stringify(after.read()), '{"value":{"__proto__":"x","constructor":"x"}}');
});
