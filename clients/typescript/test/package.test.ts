/** The package as it is published: what is in it, how large it is, and that a program and a type checker can use it. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { ROOT } from "./served.js";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const TOOLS = `${ROOT}node_modules/.bin`;

test("the types are those of the document of the HTTP API: run `npm run generate` after a change", () => {
  const generated = join(PACKAGE, "build", "api.d.ts");
  execFileSync(`${TOOLS}/openapi-typescript`, [`${ROOT}docs/openapi.json`, "--output", generated], { stdio: "pipe" });
  assert.ok(readFileSync(generated, "utf8") === readFileSync(join(PACKAGE, "src", "api.d.ts"), "utf8"));
});

describe("size", () => {
  test("the file for browsers is under 10 KB", () => {
    const file = readFileSync(join(PACKAGE, "dist", "askback.min.js"));
    assert.ok(file.length < 10_000, `${file.length} bytes`);
    assert.ok(gzipSync(file).length < 4_500, `${gzipSync(file).length} bytes compressed`);
  });

  test("what a bundler takes for a program that asks and waits is under 10 KB", () => {
    const program = `export { AskbackClient, askUser, HttpTransport, PauseExpired, PauseRevoked, question }
      from "askback";`;
    const given = ["--bundle", "--minify", "--format=esm", "--target=es2022"];
    const bundle = execFileSync(`${TOOLS}/esbuild`, given, { input: program, cwd: PACKAGE });
    assert.ok(bundle.length < 10_240, `${bundle.length} bytes`);
  });
});

describe("the packed package", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "askback-npm-"));
    const given = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const [{ filename }] = JSON.parse(
      execFileSync("npm", given, { cwd: PACKAGE, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    );
    mkdirSync(join(folder, "node_modules"));
    execFileSync("tar", ["-xzf", filename, "--transform", "s,^package,node_modules/askback,"], { cwd: folder });
  });
  after(() => rmSync(folder, { recursive: true }));

  test("has its licence, its page and its modules, and depends on nothing", () => {
    const read = (name: string) => readFileSync(join(folder, "node_modules", "askback", name), "utf8");
    const { dependencies, version, exports } = JSON.parse(read("package.json"));
    assert.equal(dependencies, undefined);
    assert.equal(version, /^version = "(.*)"$/m.exec(readFileSync(`${ROOT}pyproject.toml`, "utf8"))![1]);
    assert.equal(read("LICENSE"), readFileSync(`${ROOT}LICENSE`, "utf8"));
    assert.match(read("README.md"), /^# askback/);
    const files = Object.values(exports as Record<string, string | Record<string, string>>).flatMap((each) =>
      typeof each === "string" ? each : Object.values(each),
    );
    for (const file of files) assert.ok(statSync(join(folder, "node_modules", "askback", file)).isFile(), file);
    const own = execFileSync("find", [".", "-type", "f"], {
      cwd: join(folder, "node_modules", "askback"),
      encoding: "utf8",
    });
    assert.deepEqual(
      own
        .split("\n")
        .filter((name) => name && !/^\.\/(dist\/[\w.]+\.(d\.ts|js)|LICENSE|README\.md|package\.json)$/.test(name)),
      [],
    );
  });

  test("is imported by its name, and its file for browsers has every error", () => {
    const program = `
      import * as whole from "askback";
      import * as browser from "askback/askback.min.js";
      const unknown = Object.keys(browser).filter((name) => !(name in whole));
      const errors = Object.keys(whole).filter((name) => whole[name].prototype instanceof Error && !(name in browser));
      if (unknown.length || errors.length) throw new Error([unknown, errors]);
      console.log(new browser.PauseExpired({ detail: "x" }).name, whole.AlreadyAnswered.code);`;
    const said = execFileSync(process.execPath, ["--input-type=module"], {
      input: program,
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(said, "PauseExpired already-answered\n");
  });

  test("is typed for a program without the types of a browser", () => {
    symlinkSync(`${ROOT}node_modules/@types`, join(folder, "node_modules", "@types"));
    symlinkSync(`${ROOT}node_modules/undici-types`, join(folder, "node_modules", "undici-types"));
    writeFileSync(
      join(folder, "program.mts"),
      `import { AlreadyAnswered, AskbackClient, HttpTransport, type IssuedPause, PauseExpired } from "askback";
       import type { components } from "askback/api";
       const askback = new AskbackClient(new HttpTransport("https://api.example", { sign: (request) => request }));
       export const pause: IssuedPause = await askback.pause("approval", {}, { runId: "r", scope: "acme", ttlSeconds: 60 });
       export const wire: components["schemas"]["Scope"] = { tenant_id: "acme" };
       // @ts-expect-error There is no such field.
       await askback.outcome(pause, { timeout: 1 });
       try { await askback.wait(pause, { timeoutSeconds: 1 }); } catch (error) {
         if (error instanceof AlreadyAnswered) console.log(error.answeredAt.toISOString());
         if (error instanceof PauseExpired) console.log(error.expiredAt?.toISOString(), error.code);
       }`,
    );
    for (const [module, resolution] of [
      ["NodeNext", "NodeNext"],
      ["ESNext", "Bundler"],
    ] as const) {
      const given = ["--noEmit", "--strict", "--target", "ES2022", "--lib", "ES2022", "--module", module];
      const types = ["--types", "node", "--moduleResolution", resolution, "program.mts"];
      execFileSync(`${TOOLS}/tsc`, [...given, ...types], { cwd: folder, encoding: "utf8", stdio: "pipe" });
    }
  });
});
