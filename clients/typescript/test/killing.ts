/**
 * Loaded before a program: kills the process at one step, which is the number in KILL_AT.
 *
 * A step is before or after a write to the disk, or before or after a request. Even numbers are before, odd ones after.
 */

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let left = Number(process.env["KILL_AT"]);

function step(): void {
  if (left-- === 0) process.kill(process.pid, "SIGKILL");
}

for (const name of ["writeFileSync", "renameSync", "linkSync"] as const) {
  const own = fs[name] as (...given: unknown[]) => unknown;
  (fs as Record<string, unknown>)[name] = (...given: unknown[]) => {
    step();
    const done = own(...given);
    step();
    return done;
  };
}
// A program has imported the names already bound to the functions of before.
syncBuiltinESMExports();

const send = globalThis.fetch;
globalThis.fetch = async (...given) => {
  step();
  const reply = await send(...given);
  step();
  return reply;
};
