/** The cases that every client must pass, by this client; a test of the Python client runs the same file. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import * as askback from "askback";

import { ROOT, type Served, serve } from "./served.js";
import { signer } from "./signing.js";

type Values = Record<string, unknown>;
type Step = { call: string; args: unknown[]; options?: Values; as?: string; error?: string; expect?: Values };
type Build = { build: string; args?: unknown[]; options?: Values };

const CASES = JSON.parse(readFileSync(`${ROOT}tests/support/client_cases.json`, "utf8"));

describe("the cases against the served deployment", () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.stop());

  for (const { name, steps } of CASES.cases as { name: string; steps: (Step | { advance_seconds: number })[] }[]) {
    test(name, async () => {
      const client = new askback.AskbackClient(new askback.HttpTransport(served.url, { sign: signer }));
      const results: Values = {};
      for (const step of steps) {
        if ("advance_seconds" in step) await served.advance(step.advance_seconds);
        else results[step.as ?? ""] = await made(client, step, results);
      }
    });
  }
});

describe("questions and answers in the form of the API", () => {
  for (const build of CASES.builds as (Build & { is: unknown })[]) {
    test(JSON.stringify(build.is), () => {
      assert.deepEqual(JSON.parse(JSON.stringify(valueOf(build, {}))), build.is);
    });
  }
});

describe("a problem is read into its error", () => {
  for (const { status, document, error, text, expect } of CASES.problems) {
    test(`${status} ${document.code ?? ""}`, async () => {
      const raised = await failure(scripted(Array(4).fill({ status, document }), []).question("token"));
      assert.equal(raised.name, error);
      assert.ok(raised instanceof kind(error));
      assert.equal(raised.message, text ?? raised.message);
      check(raised, expect ?? {}, {});
    });
  }
});

describe("a call is repeated only when it may be", () => {
  for (const retry of CASES.retries) {
    test(retry.name, async () => {
      const left = [...retry.replies];
      const waits: number[] = [];
      await made(scripted(left, waits), retry, {});
      assert.deepEqual([retry.replies.length - left.length, waits], [retry.attempts, retry.waits]);
    });
  }
});

/** Returns a client whose transport gives the replies, one for each attempt, and whose waits are noted. */
function scripted(left: (Values | "lost")[], waits: number[]): askback.AskbackClient {
  const transport: askback.Transport = {
    async send() {
      const reply = left.shift() as { status: number; document: Values; retry_after_seconds?: number } | "lost";
      if (reply === "lost") throw askback.noReply("ECONNRESET");
      const { status, document, retry_after_seconds: retryAfterSeconds = 0 } = reply;
      return { status, document, text: JSON.stringify(document), retryAfterSeconds };
    },
  };
  const sleep = async (seconds: number) => void waits.push(seconds);
  return new askback.AskbackClient(transport, { sleep, jitter: () => 0, clock: () => 0, retries: { attempts: 4 } });
}

/** Makes a call, checks its result or its error, and returns the result. */
async function made(client: askback.AskbackClient, step: Step, results: Values): Promise<unknown> {
  const given = step.args.map((each) => valueOf(each, results));
  const options = camelled(step.options ?? {}, results);
  const call = (client as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[camel(step.call)]!;
  const calling = call.apply(client, [...given, options]);
  const result = step.error ? await failure(calling) : await calling;
  if (step.error) assert.equal((result as Error).name, step.error);
  check(result, step.expect ?? {}, results);
  return result;
}

async function failure(calling: Promise<unknown>): Promise<Error> {
  const error = await calling.then(
    () => assert.fail("nothing was thrown"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Error);
  return error;
}

function kind(name: string): new (...given: never[]) => Error {
  return (askback as unknown as Record<string, new (...given: never[]) => Error>)[name]!;
}

/** Returns an argument: an earlier result, what a function of the client writes, or the value itself. */
function valueOf(value: unknown, results: Values): unknown {
  if (typeof value === "string" && value.startsWith("$")) {
    const [name, ...path] = value.slice(1).split(".");
    return partOf(results[name!], path);
  }
  if (Array.isArray(value)) return value.map((each) => valueOf(each, results));
  if (value && typeof value === "object" && "build" in value) {
    const { build, args = [], options } = value as Build;
    const given = args.map((each) => valueOf(each, results));
    const write = (askback as unknown as Record<string, (...given: unknown[]) => unknown>)[camel(build)]!;
    return options ? write(...given, camelled(options, results)) : write(...given);
  }
  return value;
}

function check(result: unknown, expected: Values, results: Values): void {
  const found = Object.fromEntries(Object.keys(expected).map((path) => [path, plain(partOf(result, path.split(".")))]));
  const wanted = Object.entries(expected).map(([path, value]) => [path, plain(valueOf(value, results))]);
  assert.deepEqual(found, Object.fromEntries(wanted));
}

/** Returns a part of a result; the names of a result are in camel case, those of a payload or an answer are kept. */
function partOf(result: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => {
    const from = part as Values;
    const found = name in from ? name : camel(name);
    assert.ok(found in from, `there is no ${name}`);
    return from[found];
  }, result);
}

/** Returns a time as the Python client has it, in epoch seconds. */
function plain(value: unknown): unknown {
  return value instanceof Date ? value.getTime() / 1000 : value;
}

function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function camelled(options: Values, results: Values): Values {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), valueOf(value, results)]));
}
