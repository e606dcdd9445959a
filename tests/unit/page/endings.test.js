import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { ENDINGS, answered, ended, notByLink, thanks } from "../../../functions/page/script/endings.js";
import { STRINGS, readIn } from "./english.js";
import { freshDocument, within } from "./tiny_dom.js";

let page;

beforeEach(() => {
  readIn("en");
  page = freshDocument();
});

const QUESTION = { name: "tell", presentation: "schema", payload: { amount: 10 }, request_hash: "h" };
const received = (more) => thanks({ jti: "p-1", response: "yes", answered_at: "2026-05-01T12:00:00Z", ...more }, QUESTION);

const heading = () => within(page).find(({ tagName }) => tagName === "H1");

for (const [code, key] of [
  ["expired", "expired"],
  ["revoked", "revoked"],
  ["superseded", "superseded"],
  ["waiter-gone", "gone"],
  ["answerer-not-allowed", "not_allowed"],
  ["link-revoked", "link_revoked"],
  ["unknown-pause", "unknown"],
  ["token-rejected", "damaged"],
  ["constructor", "unusable"],
]) {
  test(`the refusal ${code} is told with the texts of ${key}, and has the focus`, () => {
    ended({ status: 400, body: { code } });
    assert.equal(heading().textContent, STRINGS.en[`${key}_title`]);
    assert.ok(page.textContent.endsWith(STRINGS.en[`${key}_else`] ?? STRINGS.en[`${key}_text`]));
    assert.equal(document.title, STRINGS.en[`${key}_title`]);
    assert.equal(document.focused, heading());
  });
}

test("what can pass may be tried again", () => {
  let tried = 0;
  ended({ status: 503, body: { code: "expired" } }, () => (tried += 1));
  assert.equal(heading().textContent, STRINGS.en.unavailable_title);
  within(page).find(({ tagName }) => tagName === "BUTTON").listeners[0].heard();
  assert.equal(tried, 1);
});

test("D-28: a refusal that is not the service's own may be tried again", () => {
  ended({ status: 403, body: { message: "Forbidden" } }, () => {});
  assert.equal(heading().textContent, STRINGS.en.unavailable_title);
});

test("every ending needs no more than its code", () => {
  for (const show of Object.values(ENDINGS)) show();
});

for (const [mine, key] of [[true, "by_you"], [false, "by_other"], [null, "answered"], [undefined, "answered"]]) {
  test(`a question that was answered, by the reader: ${mine}, is told with ${key} and shows what was asked`, () => {
    answered({ answered_by_you: mine, answered_at: "2026-05-01T12:00:00Z", payload: { amount: 10 } });
    assert.equal(heading().textContent, STRINGS.en[`${key}_title`]);
    assert.match(page.textContent, /2026.*amount10$/);
  });
}

test("a question that has ended is not shown without its text, and says when it ended", () => {
  for (const show of [ENDINGS.revoked, ENDINGS.superseded, ENDINGS.expired, answered]) {
    show({ ended_at: "2026-05-01T12:00:00Z", answered_at: "2026-05-01T12:00:00Z" });
    assert.match(page.textContent, /2026/);
    assert.ok(!page.textContent.includes(STRINGS.en.what_was_asked));
    show({ ended_at: "2026-05-01T12:00:00Z", answered_at: "2026-05-01T12:00:00Z", payload: { amount: 10 } });
    assert.match(page.textContent, /2026.*amount10$/);
  }
});

test("the refusal of a pause that is over says when it ended", () => {
  ended({ status: 410, body: { code: "expired", expired_at: "2026-05-01T12:00:00Z" } });
  assert.match(page.textContent, /Ended on .*2026/);
});

test("where a sign-in is needed, a button leads to it", () => {
  notByLink({ sign_in_url: "https://app.example.com/answers?pause=p-1", least_assurance: "stated" });
  assert.equal(heading().textContent, STRINGS.en.sign_in_title);
  const link = within(page).find(({ tagName }) => tagName === "A");
  assert.equal(link.getAttribute("href"), "https://app.example.com/answers?pause=p-1");
  assert.equal(link.getAttribute("rel"), "noreferrer noopener");
});

for (const least of ["signed_in", "stepped_up"]) {
  test(`without an address, a question that demands ${least} says where to sign in`, () => {
    notByLink({ sign_in_url: null, least_assurance: least });
    assert.ok(page.textContent.endsWith(STRINGS.en.sign_in_elsewhere_text));
    assert.equal(within(page).find(({ tagName }) => tagName === "A"), undefined);
  });
}

test("a question for other people does not speak of a sign-in alone", () => {
  notByLink({ sign_in_url: null, least_assurance: "stated" });
  assert.equal(heading().textContent, STRINGS.en.not_allowed_title);
});

test("a default answer is not shown as the answer of a person", () => {
  answered({ by_policy: true, answered_by_you: false });
  assert.equal(heading().textContent, STRINGS.en.expired_title);
  assert.ok(page.textContent.endsWith(STRINGS.en.by_policy_text));
});

for (const delivery of ["delivered", "pending", "undeliverable"]) {
  test(`thanks say what became of an answer that is ${delivery}, and nothing else`, () => {
    received({ delivery });
    const says = (name) => page.textContent.includes(STRINGS.en[`thanks_${name}`]);
    const said = ["delivered", "pending", "undeliverable"].filter(says);
    assert.deepEqual(said, [delivery]);
  });
}

test("the same answer again says when the first one came", () => {
  received({ replayed: true });
  assert.match(page.textContent, /had already been received, on .*2026/);
});

test("a question that a newer one has replaced leads on to it, if the reader has a link of the newer one", () => {
  ENDINGS.superseded({ next_answer_token: "eyJ.new.token" });
  const [link] = within(page).filter(({ tagName }) => tagName === "A");
  assert.equal(link.textContent, STRINGS.en.superseded_next);
  assert.equal(link.getAttribute("href"), "#eyJ.new.token");
  ENDINGS.superseded({});
  assert.equal(within(page).filter(({ tagName }) => tagName === "A").length, 0);
});

test("a question that was cancelled says why, if the program that asked has said it", () => {
  ENDINGS.revoked({ reason: "The order is <b>gone</b>." });
  assert.ok(page.textContent.includes(`${STRINGS.en.why} The order is <b>gone</b>.`));
  ENDINGS.revoked({});
  assert.ok(!page.textContent.includes(STRINGS.en.why));
});
