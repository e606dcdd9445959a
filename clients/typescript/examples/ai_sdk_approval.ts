/**
 * An agent of the Vercel AI SDK whose refund waits for a person. It uses the SDK's tool approval; askback stores the
 * turn.
 *
 * The SDK ends a generation at a call that needs an approval. Its messages are recorded as the turn of a pause. A new
 * process gets them together with the answer, adds the approval, and generates on: only then does the tool run.
 *
 *     ai_sdk_approval.js start    --api URL --state DIR
 *     ai_sdk_approval.js answer   --api URL --state DIR --choose approve
 *     ai_sdk_approval.js continue --api URL --state DIR
 *
 * DIR takes the place of your database, and its name is the id of the run. Each command can be killed at any step and
 * be started again: it asks once, and it pays once.
 */

import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

import { generateText, isStepCount, type ModelMessage, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import {
  approval,
  approve,
  AskbackClient,
  HttpTransport,
  type JsonObject,
  NotAnswered,
  PauseExpired,
  PauseRevoked,
  reject,
} from "askback";
import { AwsClient } from "aws4fetch";
import { z } from "zod";

const SCOPE = "acme/eu";
const PROMPT = "Refund order A-1009, the box was crushed.";
const DAY_SECONDS = 24 * 3600;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { api: { type: "string" }, state: { type: "string" }, choose: { type: "string", default: "approve" } },
});
const state = values.state!;
const runId = basename(state);

const aws = new AwsClient({
  accessKeyId: process.env.AWS_ACCESS_KEY_ID!,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY!,
  ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
  service: "execute-api",
  region: process.env.AWS_REGION ?? "eu-central-1",
});
const sign = ({ url, ...request }: { readonly url: string }) => aws.sign(url, request);
const askback = new AskbackClient(new HttpTransport(values.api!, { sign }));

const tools = {
  payRefund: tool({
    description: "Pay a refund",
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    execute: async (refund, { toolCallId }) => {
      // The id of the call is the key: a run that is continued twice pays once.
      const paid = payOnce(toolCallId, refund);
      return `paid ${paid.amount} EUR for ${paid.order}`;
    },
  }),
};

/** Generates until the run is done or a call needs an approval; every process does it in the same way. */
function generate(messages: ModelMessage[]) {
  return generateText({
    model: scriptedModel(),
    tools,
    toolApproval: { payRefund: "user-approval" },
    stopWhen: isStepCount(5),
    messages,
  });
}

// --- The program: one command, one process -------------------------------------------------------

/** Starts the run: generates, and asks a person about the call that needs an approval. */
async function start(): Promise<void> {
  if (!existsSync(join(state, "turn.json"))) {
    const messages: ModelMessage[] = [{ role: "user", content: PROMPT }];
    const generated = await generate(messages);
    // Kept before the question is asked: a model that is asked again gives other ids, and that is another question.
    keep("turn.json", [...messages, ...generated.responseMessages]);
  }
  const messages = kept("turn.json");
  const { toolCall } = approvalIn(messages);
  const pause = await askback.pause(
    ...approval(`Run ${toolCall.toolName}?`, { action: toolCall.toolName, arguments: toolCall.input as JsonObject }),
    {
      runId,
      scope: SCOPE,
      ttlSeconds: DAY_SECONDS,
      toolCallId: toolCall.toolCallId,
      messages,
      // Names the question, so that a start that is repeated asks nothing new.
      idempotencyKey: `${runId}/${messages.length}/${toolCall.toolCallId}`,
    },
  );
  keep("paused.json", { jti: pause.jti, pauseToken: pause.pauseToken });
  console.log(`paused: ${pause.toolCallId}`);
}

/** Brings the link to the person, as a messenger with a role of its own does, and answers through it. */
async function answer(): Promise<void> {
  const links = await askback.links(kept("paused.json").jti);
  const { payload } = await askback.question(links);
  await askback.answer(links, values.choose === "approve" ? approve() : reject({ comment: "Not now" }));
  console.log(`answered: ${payload["title"]} ${values.choose}`);
}

/** Continues the run in a new process. */
async function goOn(): Promise<void> {
  try {
    const { turn, response } = await askback.outcome(kept("paused.json").pauseToken, { scope: SCOPE, runId });
    if (!turn) throw new Error("a turn this small comes with the outcome");
    const messages = [...turn.messages] as ModelMessage[];
    const { approvalId } = approvalIn(messages);
    // A resume is not an approval: the call runs only after the answer "approve".
    const approved = response.decision === "approve";
    const reason = response.comment ?? undefined;
    messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId, approved, reason }] });
    const { text } = await generate(messages);
    console.log(`done: ${text}`);
  } catch (error) {
    if (error instanceof NotAnswered) console.log("waiting: there is no answer yet");
    // Time that runs out is no approval.
    else if (error instanceof PauseExpired || error instanceof PauseRevoked)
      console.log(`not approved: ${error.message}`);
    else throw error;
  }
}

/** Returns the latest approval that the messages ask for, with its call. */
function approvalIn(messages: ModelMessage[]) {
  const parts = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content : [],
  );
  const request = parts.filter((part) => part.type === "tool-approval-request").at(-1);
  const toolCall = parts
    .filter((part) => part.type === "tool-call")
    .find((part) => part.toolCallId === request?.toolCallId);
  if (!request || !toolCall) throw new Error("no call needs an approval");
  return { approvalId: request.approvalId, toolCall };
}

// --- The effect: once for each key ---------------------------------------------------------------

/**
 * Pays, or returns what was paid under this key.
 *
 * This file takes the place of a payment provider that takes an idempotency key, or of a row with a condition. The link
 * is the one step that has the effect: it appears whole, and only if there is none.
 */
function payOnce(key: string, refund: { order: string; amount: number }): { order: string; amount: number } {
  mkdirSync(join(state, "payments"), { recursive: true });
  const paid = join(state, "payments", `${key}.json`);
  const written = join(state, `${key}.${process.pid}`);
  writeFileSync(written, JSON.stringify(refund));
  try {
    linkSync(written, paid);
    console.log("ran: payRefund");
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    console.log("had run: payRefund");
  } finally {
    unlinkSync(written);
  }
  return JSON.parse(readFileSync(paid, "utf8"));
}

/** Stores a value whole or not at all. The token in it is a secret. */
function keep(name: string, value: unknown): void {
  writeFileSync(join(state, `${name}.new`), JSON.stringify(value), { mode: 0o600 });
  renameSync(join(state, `${name}.new`), join(state, name));
}

function kept(name: string): any {
  return JSON.parse(readFileSync(join(state, name), "utf8"));
}

// --- The model: a script in place of a provider --------------------------------------------------

/** Calls the tool, then says whether the refund was paid. */
function scriptedModel() {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) => (role === "tool" ? content : []));
      const result = results.find((part) => part.type === "tool-result");
      const input = JSON.stringify({ order: "A-1009", amount: 49.9 });
      const said = JSON.stringify(result?.output ?? null);
      if (result) console.log(`model sees: ${said}`);
      return {
        content: result
          ? [{ type: "text", text: said.includes("paid") ? "The refund is on its way." : "No refund was paid." }]
          : [{ type: "tool-call", toolCallId: "call_1_payRefund", toolName: "payRefund", input }],
        finishReason: { unified: result ? "stop" : "tool-calls", raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 1, text: 1, reasoning: undefined },
        },
        warnings: [],
      };
    },
  });
}

const commands: Record<string, () => Promise<void>> = { start, answer, continue: goOn };
await commands[positionals[0]!]!();
