/** The example with the Vercel AI SDK, in processes that share nothing, each killed at every step and started again. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { generateText, isStepCount, type ModelMessage, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

import { type Served, serve } from "./served.js";

const PROGRAM = fileURLToPath(new URL("../examples/ai_sdk_approval.js", import.meta.url));
const KILLING = new URL("killing.js", import.meta.url).href;
const NEVER = 1000;

describe("the example with the Vercel AI SDK", () => {
  let served: Served;
  let states: string;
  before(async () => {
    states = mkdtempSync(join(tmpdir(), "askback-ai-sdk-"));
    served = await serve();
  });
  after(async () => {
    await served.stop();
    rmSync(states, { recursive: true });
  });

  /** Runs one command in a new process; `killed` says whether it ended at the step. */
  function run(state: string, command: string[], killAt = NEVER): Promise<{ lines: string[]; killed: boolean }> {
    mkdirSync(state, { recursive: true });
    const given = ["--import", KILLING, PROGRAM, ...command, "--api", served.url, "--state", state];
    const env = { ...process.env, AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local", KILL_AT: String(killAt) };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, given, { env }, (error, stdout, stderr) => {
        const killed = error?.signal === "SIGKILL";
        if (error && !killed) reject(new Error(stderr));
        else resolve({ lines: stdout.split("\n").filter(Boolean), killed });
      });
    });
  }

  test("an approved refund is paid once, also when the stored approval is continued twice", async () => {
    const state = join(states, "approved");
    assert.deepEqual((await run(state, ["start"])).lines, ["paused: call_1_payRefund"]);
    assert.deepEqual((await run(state, ["continue"])).lines, ["waiting: there is no answer yet"]);
    await run(state, ["answer", "--choose", "approve"]);
    const sees = 'model sees: {"type":"text","value":"paid 49.9 EUR for A-1009"}';
    const done = "done: The refund is on its way.";
    assert.deepEqual((await run(state, ["continue"])).lines, ["ran: payRefund", sees, done]);
    assert.deepEqual((await run(state, ["continue"])).lines, ["had run: payRefund", sees, done]);
    assert.equal(readdirSync(join(state, "payments")).length, 1);
  });

  test("a rejected refund is not paid", async () => {
    const state = join(states, "rejected");
    await run(state, ["start"]);
    await run(state, ["answer", "--choose", "reject"]);
    const { lines } = await run(state, ["continue"]);
    assert.deepEqual(lines, [
      'model sees: {"type":"execution-denied","reason":"Not now"}',
      "done: No refund was paid.",
    ]);
    assert.ok(!existsSync(join(state, "payments")));
  });

  test("a question without an answer in time is not approved", async () => {
    const state = join(states, "expired");
    await run(state, ["start"]);
    await served.advance(2 * 24 * 3600);
    const { lines } = await run(state, ["continue"]);
    assert.deepEqual(lines, ["not approved: the time to answer is over; the agent must ask again"]);
    assert.ok(!existsSync(join(state, "payments")));
  });

  test("a start that is killed at any step asks once when it is started again", async () => {
    const steps = await eachStep(async (step) => {
      const runId = `start-${step}`;
      const state = join(states, runId);
      const { killed } = await run(state, ["start"], step);
      const { lines } = await run(state, ["start"]);
      assert.deepEqual(lines, ["paused: call_1_payRefund"]);
      const listed = await fetch(`${served.url}/pauses?tenant_id=acme&sub_tenant_id=eu&run_id=${runId}`);
      const { pauses } = (await listed.json()) as { pauses: unknown[] };
      assert.equal(pauses.length, 1);
      return killed;
    });
    // Two files of two steps each, and one request.
    assert.equal(steps, 10);
  });

  test("a continuation that is killed at any step pays once when it is started again", async () => {
    const answered = join(states, "one", "killed");
    await run(answered, ["start"]);
    await run(answered, ["answer", "--choose", "approve"]);
    const steps = await eachStep(async (step) => {
      const state = join(states, String(step), "killed");
      cpSync(answered, state, { recursive: true });
      const { killed, lines } = await run(state, ["continue"], step);
      const again = await run(state, ["continue"]);
      assert.equal(again.lines.at(-1), "done: The refund is on its way.");
      assert.equal(readdirSync(join(state, "payments")).length, 1);
      const ran = [...lines, ...again.lines].filter((line) => line === "ran: payRefund");
      assert.ok(ran.length <= 1, "the refund was paid twice");
      return killed;
    });
    // One request, one file, and the effect.
    assert.equal(steps, 6);
  });

  /** Does it for each step, two at a time, until a process was not killed; returns how many steps there are. */
  async function eachStep(does: (step: number) => Promise<boolean>): Promise<number> {
    for (let step = 0; ; step += 2) {
      const killed = await Promise.all([does(step), does(step + 1)]);
      if (!killed[1]) return step + Number(killed[0]);
    }
  }
});

test("without askback, one stored approval that is continued twice runs the tool twice", async () => {
  let ran = 0;
  const execute = async () => `paid, for the ${++ran}. time`;
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  const generate = (messages: ModelMessage[]) =>
    generateText({
      model: new MockLanguageModelV4({
        doGenerate: async ({ prompt }) => {
          const isPaid = prompt.some(({ role }) => role === "tool");
          return {
            content: isPaid
              ? [{ type: "text", text: "done" }]
              : [{ type: "tool-call", toolCallId: "call_1", toolName: "payRefund", input: "{}" }],
            finishReason: { unified: isPaid ? "stop" : "tool-calls", raw: undefined },
            usage,
            warnings: [],
          };
        },
      }),
      tools: { payRefund: tool({ inputSchema: z.object({}), execute }) },
      toolApproval: { payRefund: "user-approval" },
      stopWhen: isStepCount(5),
      messages,
    });
  const asked: ModelMessage[] = [{ role: "user", content: "Refund order A-1009." }];
  const { content, responseMessages } = await generate(asked);
  const request = content.find((part) => part.type === "tool-approval-request")!;
  const approved: ModelMessage = {
    role: "tool",
    content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }],
  };
  const stored = JSON.stringify([...asked, ...responseMessages, approved]);
  await generate(JSON.parse(stored));
  await generate(JSON.parse(stored));
  assert.equal(ran, 2);
});
