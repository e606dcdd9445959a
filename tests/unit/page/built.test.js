import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";

for (const name of ["page.js", "page-markdown.js"]) {
  test(`${name} is what its compressed form has: else run make page`, () => {
    const file = new URL(`../../../functions/page/static/${name}`, import.meta.url);
    assert.ok(brotliDecompressSync(readFileSync(new URL(`${file}.br`))).equals(readFileSync(file)));
  });
}
