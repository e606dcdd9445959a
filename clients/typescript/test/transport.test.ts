/**
 * The transport: what is sent where, what is signed, what ends an attempt, and that no token is where it must not be.
 */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import {
  type AnswerReceipt,
  AskbackClient,
  HttpTransport,
  type HttpOptions,
  InvalidRequest,
  JsonText,
  NoReply,
  PauseExpired,
  UnreadableReply,
} from "askback";

import { signer } from "./signing.js";

const URL = "https://api.example/stage/";
const TOKEN = "eyJhbGciOiJI.eyJzZWNyZXQiOjF9.c2lnbmF0dXJl";
const TIMES = { issued_at: "2026-11-30T03:55:40Z", expires_at: "2026-11-30T04:55:40Z" };
const IDS = { tool_call_id: "", interrupt_id: "", run_id: "r", session_id: "", thread_id: "", checkpoint_id: "" };
const MINTED = {
  jti: "p1",
  name: "approval",
  status: "issued",
  payload: {},
  resumable: true,
  recorded: true,
  ...IDS,
  ...TIMES,
};
const RECEIPT = { jti: "p1", answered_at: TIMES.issued_at, response: { secret: "of the answer" }, replayed: false };

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Returns a client whose requests are noted, and get this reply. */
function noted(
  reply: object | string,
  options: HttpOptions = { sign: signer },
): { client: AskbackClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const send: typeof fetch = async (url, init) => {
    sent.push({ url: String(url), headers: new Headers(init!.headers as HeadersInit), body: String(init!.body) });
    return new Response(typeof reply === "string" ? reply : JSON.stringify(reply));
  };
  const transport = new HttpTransport(URL, { ...options, fetch: send });
  return { client: new AskbackClient(transport, { retries: { attempts: 1 } }), sent };
}

describe("what is sent", () => {
  test("a program's request is signed, and its names are those of the API", async () => {
    const { client, sent } = noted({ ...MINTED, pause_token: TOKEN });
    const scope = { tenantId: "acme", namespace: "tickets" };
    await client.pause(
      "approval",
      {},
      { runId: "r", scope, ttlSeconds: 60, maxTtlSeconds: 90, about: { takes_questions: true } },
    );
    assert.equal(sent[0]!.url, "https://api.example/stage/pauses");
    assert.match(
      sent[0]!.headers.get("authorization")!,
      /^AWS4-HMAC-SHA256 Credential=local\/\d+\/us-east-1\/execute-api\//,
    );
    assert.equal(sent[0]!.headers.get("content-type"), "application/json");
    assert.deepEqual(JSON.parse(sent[0]!.body), {
      name: "approval",
      payload: {},
      run_id: "r",
      scope: { tenant_id: "acme", namespace: "tickets" },
      ttl_seconds: 60,
      max_ttl_seconds: 90,
      about: { takes_questions: true },
    });
  });

  test("a person's request is not signed", async () => {
    const { client, sent } = noted(RECEIPT, {});
    await client.answer(TOKEN, null);
    assert.deepEqual(
      [sent[0]!.url, sent[0]!.headers.get("authorization")],
      ["https://api.example/stage/answers", null],
    );
    assert.deepEqual(JSON.parse(sent[0]!.body), { answer_token: TOKEN, response: null });
  });

  test("a person who has signed in names a pause by its id, on the routes below /user", async () => {
    const { client, sent } = noted(RECEIPT, { bearer: async () => TOKEN });
    await client.answer({ jti: "p1" }, true, { requestHash: "h" });
    assert.equal(sent[0]!.url, "https://api.example/stage/user/answers");
    assert.equal(sent[0]!.headers.get("authorization"), `Bearer ${TOKEN}`);
    assert.deepEqual(JSON.parse(sent[0]!.body), { jti: "p1", request_hash: "h", response: true });
  });

  test("a text is sent as it is, and the text of a reply keeps its digits", async () => {
    const { client, sent } = noted(
      '{"jti":"p1","answered_at":"2026-11-30T03:55:40Z","response":{"id":9007199254740993}}',
    );
    const receipt = await client.answer(TOKEN, new JsonText('{"amount": 1.0}'));
    assert.ok(sent[0]!.body.includes('"response":{"amount": 1.0}'), sent[0]!.body);
    assert.equal(receipt.response.id, 9007199254740992);
    assert.match(receipt.replyText, /9007199254740993/);
  });

  for (const [what, value] of Object.entries({
    "a Date": new Date(0),
    "a Map": new Map(),
    bytes: new Uint8Array(1),
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    "undefined in a list": [undefined],
    "a function": () => 1,
  })) {
    test(`${what} is refused before anything is sent`, async () => {
      const { client, sent } = noted(RECEIPT);
      await assert.rejects(client.answer(TOKEN, { a: [{ part: value }] }), (error: Error) => {
        assert.ok(error instanceof InvalidRequest);
        assert.match(error.message, /^response: JSON cannot carry its part (part|0)$/);
        return true;
      });
      assert.equal(sent.length, 0);
    });
  }

  test("half a surrogate pair is sent", async () => {
    const { client, sent } = noted(RECEIPT);
    await client.answer(TOKEN, { text: "\ud83d" });
    assert.match(sent[0]!.body, /"\\ud83d"/);
  });
});

describe("where no token may be", () => {
  const { client } = noted(RECEIPT);
  for (const [what, call] of Object.entries({
    links: () => client.links(TOKEN),
    revoke: () => client.revoke(TOKEN),
    clarify: () => client.clarify({ jti: TOKEN }, { number: 1, reply: "" }),
    "an empty id": () => client.links(""),
    "a folder": () => client.links(".."),
  })) {
    test(`an address: ${what}`, async () => {
      await assert.rejects(call(), { name: "InvalidRequest", message: "jti: must be the id of a pause" });
    });
  }

  test("an id is one part of the address", async () => {
    const { client, sent } = noted({ jti: "a/b?c", recipients: [] });
    await client.links("a/b?c#%");
    assert.equal(sent[0]!.url, "https://api.example/stage/pauses/a%2Fb%3Fc%23%25/links");
  });

  test("an error of a bad bearer token, of a failed request, and of a signer", async () => {
    const failing: typeof fetch = async (_, init) => {
      throw new TypeError(`failed: ${String(init?.body)}`, { cause: new Error(TOKEN) });
    };
    for (const options of [{ bearer: `${TOKEN}\n` }, { fetch: failing }]) {
      const transport = new HttpTransport(URL, options);
      await assert.rejects(new AskbackClient(transport, { retries: { attempts: 1 } }).answer(TOKEN, null), (error) => {
        assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(TOKEN));
        return true;
      });
    }
  });

  test("a printed result", async () => {
    const link = { recipient: "ada", answer_token: TOKEN, answer_link: `https://x/#${TOKEN}` };
    const { client } = noted({
      ...MINTED,
      pause_token: TOKEN,
      answer_token: TOKEN,
      answer_link: TOKEN,
      recipients: [link],
    });
    const pause = await client.pause("approval", {}, { runId: "r", scope: "acme", ttlSeconds: 60 });
    assert.deepEqual([pause.pauseToken, pause.recipients[0]!.answerToken], [TOKEN, TOKEN]);
    for (const shown of [inspect(pause, { depth: 9 }), JSON.stringify(pause)]) assert.ok(!shown.includes(TOKEN), shown);
    const answered = noted(RECEIPT);
    const receipt: AnswerReceipt = await answered.client.answer(TOKEN, null);
    assert.ok(!inspect(receipt).includes("of the answer"));
    assert.ok(Object.isFrozen(receipt));
  });
});

describe("what ends an attempt", () => {
  /** Serves one address that does `answer` with each request. */
  async function served(
    answer: (respond: import("node:http").ServerResponse) => void,
    uses: (url: string) => Promise<void>,
  ) {
    const server = createServer((_, respond) => answer(respond)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      await uses(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const client = (url: string, options: HttpOptions = {}) =>
    new AskbackClient(new HttpTransport(url, options), { retries: { attempts: 1 } });

  test("a redirect is not followed", async () => {
    let asked = 0;
    await served(
      (respond) => {
        asked++;
        respond.writeHead(307, { location: "/elsewhere" }).end();
      },
      async (url) => {
        await assert.rejects(client(url).question(TOKEN), (error) => error instanceof UnreadableReply);
        assert.equal(asked, 1);
      },
    );
  });

  test("a connection that is refused has the name of its failure", async () => {
    await assert.rejects(client("http://127.0.0.1:1").question(TOKEN), {
      name: "NoReply",
      message: /^the deployment did not reply: (ECONNREFUSED|TypeError)$/,
    });
  });

  test("a reply that does not come in time", async () => {
    await served(
      () => undefined,
      (url) =>
        assert.rejects(client(url, { timeoutSeconds: 0.05 }).question(TOKEN), (error) => {
          assert.ok(error instanceof NoReply);
          assert.equal(error.message, "the deployment did not reply: TimeoutError");
          return true;
        }),
    );
  });

  test("a signal ends an attempt, and the wait between two", async () => {
    const reason = new Error("no longer wanted");
    await served(
      () => undefined,
      async (url) => {
        const ending = new AbortController();
        const calling = client(url).question(TOKEN, { signal: ending.signal });
        setTimeout(() => ending.abort(reason), 20);
        await assert.rejects(calling, reason);
        await assert.rejects(client(url).question(TOKEN, { signal: ending.signal }), reason);
      },
    );
    const ending = new AbortController();
    const open = noted("{}", { sign: signer, fetch: fetch });
    const transport = new HttpTransport(URL, {
      sign: signer,
      fetch: async () => {
        setTimeout(() => ending.abort(reason), 20);
        return new Response(JSON.stringify({ code: "not-answered", detail: "open" }), { status: 409 });
      },
    });
    await assert.rejects(new AskbackClient(transport).wait(TOKEN, { scope: "acme", signal: ending.signal }), reason);
    assert.equal(open.sent.length, 0);
  });

  test("the wait that the deployment asks for is read in seconds, and a date is not", async () => {
    for (const [header, seconds] of [
      ["7", 7],
      ["Mon, 30 Nov 2026 03:55:40 GMT", 0],
    ] as const) {
      const send: typeof fetch = async () => new Response("{}", { status: 503, headers: { "retry-after": header } });
      const reply = await new HttpTransport(URL, { fetch: send }).send("/questions", {});
      assert.equal(reply.retryAfterSeconds, seconds);
    }
  });
});

test("a member of a newer deployment's problem replaces nothing of an error", () => {
  const more = { name: "refund", message: "m", stack: "s", since_when: 1 };
  const error = new PauseExpired({ code: "expired", status: 410, detail: "over", ...more });
  assert.deepEqual(
    [error.name, error.message, (error as unknown as { sinceWhen: number }).sinceWhen],
    ["PauseExpired", "over", 1],
  );
  assert.match(error.stack!, /^PauseExpired: over\n/);
});

test("a call without its signer, a scope of another form, and a pause without a token are refused here", async () => {
  const { client, sent } = noted(MINTED, {});
  const given = { runId: "r", ttlSeconds: 60 };
  await assert.rejects(client.pause("approval", {}, { ...given, scope: "acme" }), { message: /^sign: is needed/ });
  for (const scope of ["", "/", "acme/", " acme", "acme / eu", "a/b/c/d", "a/b/"]) {
    await assert.rejects(client.pause("approval", {}, { ...given, scope }), {
      name: "InvalidRequest",
      message: /^scope: must be/,
    });
  }
  const minted = await noted(MINTED).client.pause("approval", {}, { ...given, scope: "acme" });
  await assert.rejects(client.answer(minted, null), { message: /^answer_token: / });
  await assert.rejects(client.outcome(minted), { message: /^pause_token: is not in the reply/ });
  await assert.rejects(client.resume(minted, null), { message: /^pause_token: is not in the reply/ });
  assert.equal(sent.length, 0);
});
