/** The story of the README in TypeScript: an agent, a messenger and a person, each a program of its own. */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { approval, AskbackClient, HttpTransport, type Signer } from "askback";

import { type Served, serve } from "./served.js";
import { signer } from "./signing.js";

const EXAMPLES = fileURLToPath(new URL("../examples", import.meta.url));

describe("the story", () => {
  let served: Served;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    served = await serve("JwtIssuer=https://login.example", "JwtAudience=app");
    env = { ...process.env, ASKBACK_URL: served.url, AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  });
  after(() => served.stop());

  const run = async (name: string, ...given: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [`${EXAMPLES}/${name}.js`, ...given], { env })).stdout.trim();

  test("the agent asks and waits, the person answers by the link, and the agent goes on with the answer", async () => {
    const agent = spawn(process.execPath, [`${EXAMPLES}/story.js`], { env, stdio: ["ignore", "pipe", "inherit"] });
    const lines: string[] = [];
    for await (const line of createInterface({ input: agent.stdout })) {
      lines.push(line);
      if (lines.length > 1) continue;
      const jti = line.replace("asked: ", "");
      assert.match(await run("person", jti, "Maybe"), /response.answers\[0\].selections/);
      assert.equal(await run("person", jti, "Approve"), "answered by: link");
      assert.match(await run("person", jti, "Reject"), /^answered at: \d{4}-/);
    }
    if (agent.exitCode === null) await once(agent, "exit");
    assert.equal(lines[1], "chosen: Approve, 3 messages");
  });

  test("a person who has signed in answers by the id", async () => {
    const agent = new AskbackClient(new HttpTransport(served.url, { sign: signer }));
    const asked = approval("Pay?", { action: "pay", arguments: {} });
    const options = { runId: "r", scope: "acme", ttlSeconds: 600, idempotencyKey: "signed-in" };
    const { jti } = await agent.pause(...asked, { ...options, leastAssurance: "signed_in" });
    const claims = Buffer.from(JSON.stringify({ sub: "ada", tenant_id: "acme" })).toString("base64url");
    assert.equal(await run("signed_in", jti, `e30.${claims}.c2lnbmVk`), "ada: signed_in");
  });
});

test("both signers sign every header that API Gateway looks at", async () => {
  process.env.AWS_ACCESS_KEY_ID = process.env.AWS_SECRET_ACCESS_KEY = "local";
  const { sign, signWithSdk } = await import("../examples/signing.js");
  for (const each of [sign, signWithSdk] satisfies Signer[]) {
    const url = "https://api.example/pauses/a%2Fb/links";
    const request = { method: "POST", url, headers: { "content-type": "application/json" }, body: "{}" } as const;
    const headers = new Headers((await each(request)).headers as HeadersInit);
    assert.match(
      headers.get("authorization")!,
      /^AWS4-HMAC-SHA256 Credential=\S+\/execute-api\/aws4_request, SignedHeaders=\S*host/,
    );
    assert.match(headers.get("x-amz-date")!, /^\d{8}T\d{6}Z$/);
    assert.equal(headers.get("content-type"), "application/json");
  }
});
