import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

import { tokenIn } from "../../../functions/page/script/link.js";
import { canPass, serviceFor } from "../../../functions/page/script/service.js";

const TOKEN = `eyJoZWFk.body_2.${"s-_9".repeat(10)}End`;
const QUESTION = { request_hash: "abc" };

afterEach(() => mock.restoreAll());

/** Let every request be answered with this; return what counts the calls of `fetch`. */
function replying(text, { status = 200, date = null } = {}) {
  const headers = new Map(Object.entries({ date }));
  return mock.method(globalThis, "fetch", async () => ({ status, headers, text: async () => text })).mock;
}

const halves = [TOKEN.slice(0, 30), TOKEN.slice(30)];

for (const [what, fragment] of [
  ["nothing", `#${TOKEN}`],
  ["a bracket behind it", `#${TOKEN})`],
  ["brackets around it", `#<${TOKEN}>.`],
  ["underscores around it", `#_${TOKEN}_`],
  ["hyphens behind it", `#${TOKEN}--`],
  ["its number sign encoded once more", `#%23${TOKEN}`],
  ["its dots encoded", `#${TOKEN.replaceAll(".", "%2E")}`],
  ["everything encoded twice", `#%2523${TOKEN.replaceAll(".", "%252E")}`],
  ["a space in it", `#${halves.join("%20")}`],
  ["a space in it that is not encoded", `#${halves.join(" ")}`],
  ["a soft line break in it", `#${halves.join("=%0D%0A")}`],
  ["a zero-width space in it", `#${halves.join("%E2%80%8B")}`],
  ["a soft hyphen in it", `#${halves.join("\u00ad")}`],
  ["a percent sign behind it", `#${TOKEN}%`],
  ["words behind it", `#${TOKEN}&utm_source=mail`],
]) {
  test(`D-27: the token is found in a link with ${what}`, () => assert.equal(tokenIn(fragment), TOKEN));
}

test("a fragment without a whole token has none", () => {
  for (const fragment of ["", "#", "#a.b", "#...", "#%", `#${TOKEN.slice(0, -1)}`, `#${TOKEN.slice(1)}`]) {
    assert.equal(tokenIn(fragment), undefined);
  }
});

test("D-26: a browser without AbortSignal.timeout asks all the same, and stops waiting", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  context.mock.method(AbortSignal, "timeout", () => assert.fail("it is not there"));
  context.mock.method(globalThis, "fetch", (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))));
  const asked = serviceFor(TOKEN).fetchQuestion();
  context.mock.timers.tick(35000);
  assert.deepEqual(await asked, { status: 0, body: {} });
});

test("both requests are POST with the token in the body, and nothing about the reader goes with them", async () => {
  const requests = replying("{}");
  await serviceFor(TOKEN).fetchQuestion();
  await serviceFor(TOKEN).sendAnswer(QUESTION, { decision: "approve" });
  const [paths, all] = [0, 1].map((index) => requests.calls.map((call) => call.arguments[index]));
  assert.deepEqual(paths, ["questions", "answers"]);
  for (const options of all) {
    assert.equal(options.method, "POST");
    assert.equal(options.credentials, "omit");
    assert.equal(options.referrerPolicy, "no-referrer");
    assert.equal(options.cache, "no-store");
    assert.deepEqual(options.headers, { "content-type": "application/json" });
  }
  assert.deepEqual(all.map(({ body }) => JSON.parse(body)), [
    { answer_token: TOKEN },
    { answer_token: TOKEN, response: { decision: "approve" }, request_hash: "abc" },
  ]);
});

test("a look at the question that is shown sends its hash, and the token only in the body", async () => {
  const requests = replying("{}");
  await serviceFor(TOKEN).lookAgain(QUESTION);
  const [path, options] = requests.calls[0].arguments;
  assert.equal(path, "questions");
  assert.deepEqual(JSON.parse(options.body), { answer_token: TOKEN, seen: "abc" });
});

test("a reply is its status and its body", async () => {
  replying('{"status": "issued"}', { status: 409 });
  assert.deepEqual(await serviceFor(TOKEN).fetchQuestion(), { status: 409, body: { status: "issued" } });
});

test("no connection, or a body that is not JSON, is status 0", async () => {
  replying("<html>", { status: 502 });
  assert.deepEqual(await serviceFor(TOKEN).fetchQuestion(), { status: 0, body: {} });
  mock.restoreAll();
  mock.method(globalThis, "fetch", async () => Promise.reject(new TypeError("no connection")));
  assert.deepEqual(await serviceFor(TOKEN).fetchQuestion(), { status: 0, body: {} });
});

test("the time is that of the service's clock once it has replied", async () => {
  const real = Date.parse("2026-05-01T12:10:00Z");
  mock.method(Date, "now", () => real);
  replying("{}", { date: "Fri, 01 May 2026 12:00:00 GMT" });
  const service = serviceFor(TOKEN);
  assert.equal(service.now(), real);
  await service.fetchQuestion();
  assert.equal(service.now(), Date.parse("2026-05-01T12:00:00Z"));
});

test("a reply without a date leaves the clock alone", async () => {
  mock.method(Date, "now", () => 1000);
  replying("{}");
  const service = serviceFor(TOKEN);
  await service.fetchQuestion();
  assert.equal(service.now(), 1000);
});

test("no connection, too many requests and faults of the service can pass; refusals cannot", () => {
  assert.deepEqual([0, 429, 500, 503].map(canPass), [true, true, true, true]);
  assert.deepEqual([200, 400, 401, 404, 409, 410, 422].map(canPass), Array(7).fill(false));
});

test("another request goes to a path of its own, with the token in the body", async () => {
  const requests = replying("{}");
  await serviceFor(TOKEN).post("clarifications", { question: "Why?" });
  const [path, options] = requests.calls[0].arguments;
  assert.equal(path, "clarifications");
  assert.deepEqual(JSON.parse(options.body), { answer_token: TOKEN, question: "Why?" });
});
