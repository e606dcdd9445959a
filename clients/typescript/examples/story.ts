/**
 * An agent that asks for a refund, and goes on when a person has answered. A messenger and a person are other
 * programs.
 */

import { AskbackClient, askUser, HttpTransport, PauseExpired, PauseRevoked, question } from "askback";

import { sign } from "./signing.js";

const askback = new AskbackClient(new HttpTransport(process.env.ASKBACK_URL!, { sign }));
const messages = [
  { role: "user", content: "Refund order A-1009, the box was crushed." },
  { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function" }] },
];
const pause = await askback.pause(...askUser(question("Refund 49.90 EUR?", ["Approve", "Reject"])), {
  runId: "refund-1009",
  scope: "acme/eu",
  ttlSeconds: 86400,
  toolCallId: "call_1",
  messages,
  idempotencyKey: "refund-1009/call_1",
});
console.log(`asked: ${pause.jti}`);

try {
  const { response, turn } = await askback.wait(pause, { timeoutSeconds: 600 });
  const chosen = response.answers[0].selections;
  const next = [...turn!.messages, { role: "tool", tool_call_id: "call_1", content: String(chosen) }];
  console.log(`chosen: ${chosen}, ${next.length} messages`);
} catch (error) {
  // A time that runs out is no answer: treat both as "not approved".
  if (!(error instanceof PauseExpired || error instanceof PauseRevoked)) throw error;
  console.log(`no answer: ${error.message}`);
}
