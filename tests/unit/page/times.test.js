import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { timeField } from "../../../functions/page/script/time_field.js";
import { isZoned, localTime, momentsOf, stampOf } from "../../../functions/page/script/times.js";
import { readIn } from "./english.js";
import { controls, freshDocument, hear, type } from "./tiny_dom.js";

// Three and a half hours behind UTC in winter, two and a half in summer: no offset of whole hours hides a mistake.
process.env.TZ = "America/St_Johns";
const MISSING = "2026-03-08T02:30";
const TWICE = "2026-11-01T01:30";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

test("a moment is shown in the reader's time zone, and what is typed there carries its offset", () => {
  for (const [moment, local, stamp] of [
    ["2026-01-15T02:45:00.000Z", "2026-01-14T23:15", "2026-01-14T23:15:00-03:30"],
    ["2026-07-15T12:15:00.000Z", "2026-07-15T09:45", "2026-07-15T09:45:00-02:30"],
  ]) {
    assert.equal(localTime(moment), local);
    assert.deepEqual(momentsOf(local).map(stampOf), [stamp]);
  }
});

test("a local time is no moment in the hour that spring leaves out, and two in the doubled hour of autumn", () => {
  assert.deepEqual(momentsOf(MISSING), []);
  assert.deepEqual(momentsOf(TWICE).map(stampOf), ["2026-11-01T01:30:00-02:30", "2026-11-01T01:30:00-03:30"]);
  assert.equal(momentsOf("soon"), undefined);
});

test("a text that is no time is not read as one", () => {
  for (const text of ["next Friday", "May 2026", "1", ""]) assert.equal(localTime(text), undefined);
  assert.deepEqual(["2026-01-01T10:00Z", "2026-01-01T10:00:00+01:00", "2026-01-01T10:00"].map(isZoned),
    [true, true, false]);
});

for (const start of [
  "2026-03-01T10:00:07+02:00", "2026-03-01T10:00:07.123456Z", "2026-11-01T01:30:00-02:30", "2026-11-01T01:30:00-03:30",
  "2026-03-01T10:00:07", "2026-03-01 10:00:00Z",
]) {
  test(`D-21: ${start} is sent as it is while it is untouched, and can be read in full`, () => {
    const field = timeField({ label: "When", start });
    assert.deepEqual(field.read(), { value: start });
    assert.ok(field.node.textContent.endsWith(start));
    const [control] = controls(field.node);
    const wanted = control.value;
    type(control, "2026-05-05T05:05");
    assert.deepEqual(field.read(), { value: "2026-05-05T05:05:00-02:30" });
    type(control, wanted);
    assert.deepEqual(field.read(), { value: start });
  });
}

test("what was typed is said with the zone of the reader", () => {
  const field = timeField({ label: "When" });
  type(controls(field.node)[0], "2026-12-24T09:30");
  assert.match(field.node.textContent, /Understood as: Thu, Dec 24, 2026, 09:30 AM (NST|GMT-3:30)$/);
});

test("a time that does not exist is refused with what to do", () => {
  const field = timeField({ label: "When" });
  type(controls(field.node)[0], MISSING);
  assert.match(field.read().fault, /does not exist on that day.*Enter an earlier or a later time\.$/);
});

test("of a time that comes twice, the page asks which one", () => {
  const field = timeField({ label: "When" });
  let heard = 0;
  field.listen(() => (heard += 1));
  type(controls(field.node)[0], TWICE);
  assert.deepEqual(field.read(), { fault: "Choose one." });
  assert.match(field.node.textContent, /comes twice on that day.*Which one do you mean\?/);
  const [, first, second] = controls(field.node);
  second.checked = true;
  hear(field.node);
  assert.equal(heard, 2);
  assert.deepEqual(field.read(), { value: "2026-11-01T01:30:00-03:30" });
  const restored = timeField({ label: "When" });
  restored.restore(JSON.parse(JSON.stringify(field.draft())));
  assert.deepEqual(restored.read(), field.read());
  second.checked = false;
  first.checked = true;
  assert.deepEqual(field.read(), { value: "2026-11-01T01:30:00-02:30" });
  type(controls(field.node)[0], "2026-11-01T03:30");
  assert.equal(controls(field.node).length, 1);
});
