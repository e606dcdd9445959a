/** `make serve` in a process of its own, for the tests of one file. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const PYTHON = process.env["ASKBACK_PYTHON"] ?? `${ROOT}.venv/bin/python`;

export interface Served {
  readonly url: string;
  /** Moves the clock of the deployment, and runs the sweep once. */
  advance(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the deployment on a free port, with parameters of the template, and returns when it is ready. */
export async function serve(...parameters: readonly string[]): Promise<Served> {
  const given = ["-m", "local.serve", "--port", "0", ...parameters.flatMap((each) => ["--parameter", each])];
  const serving = spawn(PYTHON, given, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: serving.stdout });
  const ended = once(serving, "exit");
  let url = "";
  for await (const line of lines) {
    url ||= /http:\/\/[\d.:]+\d/.exec(line)?.[0] ?? "";
    if (line.startsWith("# Ready")) break;
  }
  if (!url) throw new Error("make serve did not start");
  serving.stdout.resume();
  return {
    url,
    async advance(seconds) {
      const moved = await fetch(`${url}/local/clock`, {
        method: "POST",
        body: JSON.stringify({ advance_seconds: seconds }),
      });
      if (!moved.ok) throw new Error(`the clock was not moved: ${moved.status}`);
    },
    async stop() {
      serving.kill();
      await ended;
    },
  };
}
