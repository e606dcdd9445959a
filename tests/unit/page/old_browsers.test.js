// What is served needs no browser younger than Safari 15.4 and Firefox ESR 102: esbuild lowers syntax, and nothing else.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const served = (name) => readFileSync(new URL(`../../../functions/page/static/${name}`, import.meta.url), "utf-8");

const YOUNGER = [
  /\(\?<[=!]/, // lookbehind, which stops Safari before 16.4 from reading the whole script
  /\.(findLast|findLastIndex|toSorted|toReversed|toSpliced|isWellFormed|toWellFormed|checkVisibility)\(/,
  /\b(structuredClone|AbortSignal\.(timeout|any)|Object\.groupBy|Map\.groupBy|Array\.fromAsync)\b/,
  /\bPromise\.(withResolvers|try)\b/,
  /\bIntl\.(Segmenter|DurationFormat)\b/,
  /\b(requestIdleCallback|showPopover|scheduler\.)/,
  /\b(setHTML|setHTMLUnsafe|JSON\.rawJSON)\b/,
];

test("the script uses nothing younger than the oldest browsers", () => {
  const script = served("page.js");
  assert.deepEqual(YOUNGER.filter((each) => each.test(script)).map(String), []);
});

test("the styles use nothing younger, but for what the page is usable without", () => {
  const styles = served("page.css");
  // Those with `:has`, `field-sizing` and `text-wrap` only add to the look: tests/built/browser/test_old_browsers.py.
  const younger = /@container|@layer|@scope|@starting-style|color-mix\(|oklch\(|light-dark\(|anchor\(|subgrid|\b\d+[dsl]v[hw]\b|&\s|:is\(.*:has|text-wrap-style/;
  assert.equal(styles.match(younger), null);
});
