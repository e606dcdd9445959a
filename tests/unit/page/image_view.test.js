import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { facts } from "../../../functions/page/script/facts.js";
import { readIn } from "./english.js";
import { freshDocument, press, within } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

const dataUri = (type, bytes) => `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
const SOME = dataUri("image/png", Array(99).fill(1));
const images = (node) => within(node).filter(({ tagName }) => tagName === "IMG");
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

test("a data URI of an image is the image, with its type, its size and its fingerprint", async () => {
  const node = facts({ receipt: SOME });
  const [image] = images(node);
  assert.deepEqual([image.getAttribute("src"), image.getAttribute("alt")], [SOME, "receipt"]);
  assert.match(node.textContent, /\(image\/png, 99 bytes\)/);
  await settled();
  const hash = await crypto.subtle.digest("SHA-256", new Uint8Array(99).fill(1));
  assert.match(node.textContent, new RegExp(`\\(image/png, 99 bytes, SHA-256 ${Buffer.from(hash).toString("hex").slice(0, 16)}…\\)`));
});

test("its text begins below it, and all of it can be opened", () => {
  const node = facts({ receipt: SOME });
  const [button] = within(node).filter(({ tagName }) => tagName === "BUTTON");
  assert.ok(!node.textContent.includes(SOME) && node.textContent.includes(SOME.slice(0, 40)));
  press(button);
  assert.ok(node.textContent.includes(SOME));
});

test("an image that a browser cannot show is the text", () => {
  const node = facts({ receipt: SOME });
  const [image] = images(node);
  image.listeners.find(({ kind }) => kind === "error").heard();
  assert.deepEqual([images(node), node.textContent], [[], `receipt${SOME}`]);
});

for (const text of [
  dataUri("image/svg+xml", [60]), dataUri("image/avif", [1]), dataUri("text/html", [60]), SOME.replace(";base64", ""),
  SOME.replace("png;", "png;charset=utf-8;"), `${SOME} `, ` ${SOME}`, `${SOME}\n`, SOME.slice(0, -1), `${SOME}=`,
  SOME.replace("data:", "DATA:"), "data:image/png;base64,", dataUri("image/png", Array(200_001).fill(1)),
  "https://example.com/a.png",
]) {
  test(`${JSON.stringify(text.slice(0, 60))} of ${text.length} characters is a text`, () => {
    assert.deepEqual(images(facts({ text })), []);
  });
}
