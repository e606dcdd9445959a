import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { votesList } from "../../../functions/page/script/votes.js";
import { readIn } from "./english.js";
import { freshDocument } from "./tiny_dom.js";

const VOTE = { by: "ada", decision: "approve", at: "2026-05-01T12:00:00Z", counts: true };

beforeEach(() => {
  readIn("en");
  freshDocument();
});

test("a vote has its member, and a vote of a delegate the one for whom it is too", () => {
  const texts = (votes) => votesList(votes).children.map(({ textContent }) => textContent.replace(/, \w+, May.*/, ""));
  assert.deepEqual(texts([VOTE, { ...VOTE, by: "cyd", for: "<b>bob</b>" }]), ["ada: Approve", "cyd for <b>bob</b>: Approve"]);
});
