import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { dropDraft, dropDrafts, keepDraft, readDraft } from "../../../functions/page/script/draft.js";

const QUESTION = { jti: "j", request_hash: "h" };
const form = (draft) => ({ draft: () => draft });

beforeEach(() => {
  const kept = new Map();
  globalThis.sessionStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
});

afterEach(() => delete globalThis.sessionStorage);

test("what was kept is read again", () => {
  assert.deepEqual(readDraft(QUESTION), {});
  keepDraft(QUESTION, form(["a"]));
  assert.deepEqual(readDraft(QUESTION), ["a"]);
});

test("another question, and the same one with another payload, has a draft of its own", () => {
  keepDraft(QUESTION, form(["a"]));
  assert.deepEqual(readDraft({ ...QUESTION, jti: "other" }), {});
  assert.deepEqual(readDraft({ ...QUESTION, request_hash: "other" }), {});
});

test("what was dropped is gone", () => {
  keepDraft(QUESTION, form(["a"]));
  dropDraft(QUESTION);
  assert.deepEqual(readDraft(QUESTION), {});
});

test("without storage a draft is kept until the page is loaded again, and nothing fails", () => {
  for (const name of ["getItem", "setItem", "removeItem"]) {
    globalThis.sessionStorage[name] = () => {
      throw new Error("switched off");
    };
  }
  assert.deepEqual(readDraft(QUESTION), {});
  keepDraft(QUESTION, form(["a"]));
  assert.deepEqual(readDraft(QUESTION), ["a"]);
  dropDraft(QUESTION);
  assert.deepEqual(readDraft(QUESTION), {});
});

test("a draft that cannot be read is as none", () => {
  globalThis.sessionStorage.getItem = () => "{";
  assert.deepEqual(readDraft(QUESTION), {});
});

test("at the end every draft for a question is gone, and those for other questions stay", () => {
  const others = ["ask_back", "pass_on"].map((request_hash) => ({ jti: "j", request_hash }));
  const all = [QUESTION, ...others, { ...QUESTION, jti: "other" }];
  for (const each of all) keepDraft(each, form("a"));
  dropDrafts(QUESTION);
  assert.deepEqual(all.map(readDraft), [{}, {}, {}, "a"]);
});
