import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { jsonText } from "../../../functions/page/script/exact_json.js";
import { propertyFields, schemaField } from "../../../functions/page/script/schema.js";
import { exampleOf, settled } from "../../../functions/page/script/schema_kinds.js";
import { readIn } from "./english.js";
import { controls, freshDocument, hear, press, type, within } from "./tiny_dom.js";

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

test("D-23: a decimal is a number field, and its digits travel as a text", () => {
  const pattern = "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$";
  for (const schema of [
    { anyOf: [{ type: "number", minimum: 0 }, { type: "string", pattern }] },
    { anyOf: [{ type: "number", minimum: 0 }, { type: "string" }], format: "decimal" },
    { anyOf: [{ anyOf: [{ type: "number", minimum: 0 }, { type: "string" }], format: "decimal" }, { type: "null" }] },
  ]) {
    assert.deepEqual(typed("12345678901234567891.50", schema), { value: "12345678901234567891.50" });
    assert.deepEqual(typed("-1", schema), { fault: "At least 0." });
    assert.deepEqual(schemaField("a", { ...schema, default: "0.10" }).read(), { value: "0.10" });
    assert.deepEqual(schemaField("a", schema).read(), {});
  }
});

test("D-23: a union of literals and enumerations is one choice", () => {
  const definitions = { C: { enum: ["a", "b"], title: "C", type: "string" } };
  const schema = { anyOf: [{ const: 1 }, { enum: ["x"] }, { $ref: "#/$defs/C" }, { type: "null" }], title: "T" };
  assert.deepEqual(settled(schema, definitions), { enum: [1, "x", "a", "b"], title: "T", nullable: true });
});

test("a union of numbers is a number", () => {
  assert.deepEqual(typed("1.50", { anyOf: [{ type: "integer" }, { type: "number" }] }).value.text, "1.50");
});

const UNION = { anyOf: [{ type: "integer", minimum: 1 }, { type: "string" }], title: "Limit" };

/** Choose one of the choices of a field. */
function choose(field, index) {
  const radios = controls(field.node).filter((control) => control.getAttribute("type") === "radio");
  radios.forEach((radio, at) => (radio.checked = at === index));
  hear(field.node);
}

test("D-23: of a union the person chooses the kind, and then gives its value", () => {
  const field = schemaField("a", UNION, { required: true });
  assert.match(field.node.textContent, /^LimitWhole numberText/);
  assert.deepEqual(field.read(), { fault: "Choose one." });
  choose(field, 0);
  type(controls(field.node).at(-1), "0");
  assert.deepEqual(field.read().faults.map(({ fault }) => fault), ["At least 1."]);
  choose(field, 1);
  type(controls(field.node).at(-1), "0");
  assert.deepEqual(field.read(), { value: "0" });
  const restored = schemaField("a", UNION);
  restored.restore(JSON.parse(JSON.stringify(field.draft())));
  assert.deepEqual(restored.read(), { value: "0" });
  assert.deepEqual(schemaField("a", { ...UNION, default: "x" }).read(), { value: "x" });
  assert.deepEqual(schemaField("a", UNION).read(), {});
});

test("the property that names a kind of a union is set, and not asked for", () => {
  const kind = (name) => ({ type: "object", title: name, required: ["kind", "no"],
    properties: { kind: { const: name }, no: { type: "integer" } } });
  const field = schemaField("a", { oneOf: [kind("card"), kind("bank")], discriminator: { propertyName: "kind" } });
  choose(field, 1);
  assert.doesNotMatch(field.node.textContent, /Kind/);
  type(controls(field.node).at(-1), "7");
  assert.equal(JSON.stringify(field.read()), '{"value":{"kind":"bank","no":7}}');
});

const POSITION = {
  type: "object",
  title: "Position",
  required: ["article", "pieces"],
  properties: { article: { type: "string" }, pieces: { type: "integer", minimum: 1 }, note: { type: "string" } },
};
const POSITIONS = { type: "array", items: { $ref: "#/$defs/P" }, minItems: 1, maxItems: 2 };
const definitions = { P: POSITION };

const button = (field, name) => within(field.node).find((node) => node.tagName === "BUTTON" && !node.hidden
  && node.getAttribute("aria-label") === name);

test("D-23: a list of models is rows that are added and removed within its limits", () => {
  const field = schemaField("positions", POSITIONS, { required: true, definitions });
  assert.equal(controls(field.node).length, 3);
  assert.equal(button(field, "Remove: Positions 1"), undefined);
  press(button(field, "Add: Positions"));
  assert.equal(document.focused.querySelector("legend").textContent, "Positions 2");
  assert.equal(button(field, "Add: Positions"), undefined);
  assert.match(field.node.textContent, /Number of entries: at most 2\./);
  ["A", "1", "", "B", "0"].forEach((text, index) => type(controls(field.node)[index], text));
  assert.deepEqual(field.read().faults.map(({ label, fault }) => [label, fault]), [["Positions 2: Pieces", "At least 1."]]);
  press(button(field, "Remove: Positions 1"));
  type(controls(field.node)[1], "2");
  assert.deepEqual(field.read(), { value: [{ article: "B", pieces: 2 }] });
});

test("rows keep what was typed, and lead to the field of a path", () => {
  const group = propertyFields({ properties: { positions: POSITIONS } }, { definitions });
  const [field] = group.fields.values();
  assert.deepEqual(group.read(), { value: {} });
  press(button(field, "Add: Positions"));
  type(controls(field.node)[0], "A");
  const restored = propertyFields({ properties: { positions: POSITIONS } }, { definitions });
  restored.restore(JSON.parse(JSON.stringify(group.draft())));
  assert.equal(jsonText(restored.draft()), jsonText(group.draft()));
  assert.equal(group.at("positions[0].pieces").label, "Pieces");
  assert.equal(group.at("positions[7].pieces"), field);
  assert.equal(group.at("positions"), field);
  assert.equal(group.all().length, 4);
});

test("an untouched list has its default, and an emptied one is an empty list", () => {
  const start = [{ article: "A", pieces: 1, more: "m" }];
  const field = schemaField("a", { ...POSITIONS, minItems: 0, default: start }, { definitions });
  assert.deepEqual(field.read(), { value: start });
  press(button(field, "Remove: A 1"));
  assert.deepEqual(field.read(), { value: [] });
});

test("a list of numbers is rows of numbers, which differ where they must", () => {
  const field = schemaField("a", { type: "array", items: { type: "integer" }, uniqueItems: true });
  for (const text of ["1", "1"]) {
    press(button(field, "Add: A"));
    type(controls(field.node).at(-1), text);
  }
  assert.deepEqual(field.read(), { fault: "An entry is there twice." });
  type(controls(field.node).at(-1), "2");
  assert.deepEqual(field.read(), { value: [1, 2] });
});

test("D-23: a mapping is rows of names and values, and a name is there once", () => {
  const schema = { type: "object", additionalProperties: { type: "integer" } };
  const group = propertyFields({ properties: { stock: schema } });
  const field = group.fields.get("stock");
  for (const [name, value] of [["10", "3"], ["a.b", "4"]]) {
    press(button(field, "Add: Stock"));
    type(controls(field.node).at(-2), name);
    type(controls(field.node).at(-1), value);
  }
  assert.equal(jsonText(field.read().value), '{"10":3,"a.b":4}');
  assert.equal(group.at("stock.a.b").label, "Value");
  type(controls(field.node).at(-2), "10");
  assert.deepEqual(field.read(), { fault: "A name is there twice." });
  assert.equal(controls(schemaField("a", { ...schema, default: { x: 1, y: 2 } }).node).length, 4);
});

test("JSON is the last resort, and has an example", () => {
  for (const [schema, example] of [
    [{}, '{"name":"text"}'],
    [{ type: "array", prefixItems: [{ type: "integer" }, { type: "string" }] }, '[1,"text"]'],
    [{ type: "object", additionalProperties: true }, '{"name":"text"}'],
  ]) {
    assert.ok(schemaField("a", schema).node.textContent.endsWith(`For example: ${example}`));
    assert.deepEqual(typed("[1", schema), { fault: "This is not JSON." });
    assert.deepEqual(typed("[1]", schema), { value: [1] });
  }
  assert.equal(jsonText(exampleOf({ type: "array", items: POSITION }, {})), '[{"article":"text","pieces":1,"note":"text"}]');
});

test("a default that its field could not show is shown as JSON", () => {
  for (const [schema, start] of [[POSITIONS, "x"], [POSITION, { a: 1 }], [UNION, [1]]]) {
    const field = schemaField("a", schema, { start, definitions });
    assert.match(field.node.textContent, /Written as JSON/);
    assert.deepEqual(field.read(), { value: start });
  }
});

test("a model that contains itself has an end", () => {
  const node = { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/N" } } };
  const field = schemaField("a", { $ref: "#/$defs/N" }, { definitions: { N: node } });
  assert.match(field.node.textContent, /Written as JSON/);
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

test("a needed list of texts may be empty where the schema allows that", () => {
  const schema = { type: "array", items: { type: "string" } };
  assert.deepEqual(schemaField("a", schema, { required: true }).read(), { value: [] });
  assert.deepEqual(schemaField("a", schema).read(), {});
  assert.deepEqual(schemaField("a", { ...schema, minItems: 1 }, { required: true }).read(), { fault: "This is needed." });
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

test("D-22: an optional group is left out while nothing in it was touched, with its own defaults too", () => {
  const home = { ...ADDRESS, properties: { ...ADDRESS.properties, country: { type: "string", default: "IT" } } };
  const given = { properties: { home: { anyOf: [{ $ref: "#/$defs/H" }, { type: "null" }] } } };
  const group = propertyFields(given, { definitions: { H: home } });
  assert.deepEqual(group.read(), { value: {} });
  type(controls(...group.nodes)[0], "Via Roma");
  assert.deepEqual(group.read(), { value: { home: { street: "Via Roma", country: "IT" } } });
});

test("a group with a default of its own has that default, to the letter", () => {
  const start = { street: "a", more: 1 };
  assert.deepEqual(schemaField("home", { ...ADDRESS, default: start }).read(), { value: start });
});

test("D-22: two fields of one model are headed by their own titles", () => {
  const H = { $ref: "#/$defs/H" };
  const properties = { home: H, work_place: { anyOf: [H, { type: "null" }] }, third: { ...H, title: "Mine" } };
  const group = propertyFields({ properties }, { definitions: { H: { ...ADDRESS, title: "Address" } } });
  assert.deepEqual(group.nodes.map((node) => node.querySelector("legend").textContent),
    ["Home (optional)", "Work place (optional)", "Mine (optional)"]);
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
