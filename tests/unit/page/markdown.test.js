import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { isMarkdown, markdownOf, proseOf } from "../../../functions/page/script/markdown.js";
import { drawn } from "../../../functions/page/script/markdown_view.js";
import { treeOf } from "../../../functions/page/static/page-markdown.js";
import { readIn } from "./english.js";
import { freshDocument, within } from "./tiny_dom.js";

beforeEach(() => {
  readIn("en");
  freshDocument();
});

/** The elements of a text, each as its name and what is in it. */
function read(text, options) {
  const short = (node) => (typeof node === "string" ? node
    : `${node.tagName.toLowerCase()}(${node.children.map(short).join("")})`);
  return drawn(treeOf(text), options).map(short).join(" ");
}

const links = (text) => drawn(treeOf(text)).flatMap((node) => [node, ...within(node)]).filter(({ tagName }) => tagName === "A");

for (const [text, shown] of [
  ["One\ntwo\n\nthree", "p(One\ntwo) p(three)"],
  ["# Big\ntext\n### Small ###", "h2(Big) p(text) h2(Small)"],
  ["a *b* __c__ `d  e` ***f***", "p(a em(b) strong(c) code(dspan(␣)span(␣)e) em(strong(f)))"],
  ["- a\n- b\n  - c\n\n3. x\n7. y", "ul(li(p(a))li(p(b)ul(li(p(c))))) ol(li(p(x))li(p(y)))"],
  ["> a\n> b\n\n---", "blockquote(p(a\nb)) hr()"],
  ["```sh -x\nrm  a\n\n  b\n```", "p(sh -x) pre(rmspan(␣)span(␣)aspan(↵\n)span(↵\n)  b)"],
  ["~~~\nopen", "pre(open)"],
  ["a\\\nb  \nc", "p(a\nb\nc)"],
  ["\\*no\\* <b>x</b> &amp; [r][1]\n\n[1]: http://z.example 't'", "p(*no* <b>x</b> &amp; [r][1]) p([1]: http://z.example 't')"],
  ["    four spaces", "p(four spaces)"],
  ["Title\n===", "p(Title\n===)"],
  ["a | b\n--|--\n1 | 2", "p(a | b\n--|--\n1 | 2)"],
  ["", ""],
]) {
  test(`${JSON.stringify(text)} is drawn as ${JSON.stringify(shown)}`, () => assert.equal(read(text), shown));
}

for (const [text, shown, ...addresses] of [
  ["[good](https://evil.example/x)", "p(a(good) span((https://evil.example/x)))", "https://evil.example/x"],
  ["[https://good.example/](https://evil.example/)", "p(a(https://good.example/) span((https://evil.example/)))",
    "https://evil.example/"],
  ["<https://a.example/b>", "p(a(https://a.example/b))", "https://a.example/b"],
  ["[](https://a.example/)", "p(a(https://a.example/))", "https://a.example/"],
  ['[x](https://a.example/ "Title")', 'p(a(x) span((https://a.example/ "Title")))', "https://a.example/"],
  ["<ada@example.com>", "p(a(mailto:ada@example.com))", "mailto:ada@example.com"],
  ["[x](https://p\u0430ypal.example/)", "p(a(x) span((https://xn--pypal-4ve.example/)))", "https://xn--pypal-4ve.example/"],
  ["![alt *x*](https://a.example/i.png)", "p(alt em(x) span((https://a.example/i.png)))"],
  ["[x](javascript:alert)", "p(x span((javascript:alert)))"],
  ["[x](data:text/html,x)", "p(x span((data:text/html,x)))"],
  ["[x](/relative)", "p(x span((/relative)))"],
  ["[x](<java script:a>)", "p(x span((java script:a)))"],
  ["<javascript:alert>", "p(span((javascript:alert)))"],
]) {
  test(`a link shows its address, and leads only to one that is safe: ${text}`, () => {
    assert.equal(read(text).replace(/p\( /, "p("), shown);
    assert.deepEqual(links(text).map((link) => link.getAttribute("href")), addresses);
    for (const link of links(text)) {
      assert.deepEqual([link.getAttribute("rel"), link.getAttribute("target")], ["noreferrer noopener", "_blank"]);
    }
  });
}

test("hidden characters are visible, and a sign for one cannot be forged across the parts of a text", () => {
  assert.equal(read("a\u200bb **c\u202ed** `e\u200b`"), "p(aspan([U+200B])b strong(cspan([U+202E])d) code(espan([U+200B])))");
  assert.equal(read("\\[U+200B] [U+200B]"), "p(span([U+005B])U+200B] span([U+005B])U+200B])");
});

test("inside of a label a heading is no heading", () => {
  assert.equal(read("# Big", { headings: false }), "p(strong(Big))");
});

test("a text is shown as it is written until the parser is there, and can be shown so afterwards", async () => {
  const node = markdownOf("**a**", { parser: async () => ({ treeOf }) });
  assert.equal(node.textContent, "**a**");
  await node.drawing;
  assert.deepEqual(node.children.map(({ tagName, textContent }) => [tagName, textContent]),
    [["P", "a"], ["DETAILS", "As written**a**"]]);
  const inLabel = markdownOf("**a**", { label: true, parser: async () => ({ treeOf }) });
  await inLabel.drawing;
  assert.equal(inLabel.textContent, "a");
});

for (const [what, text, parser] of [
  ["cannot be loaded", "**a**", () => Promise.reject(new TypeError("offline"))],
  ["cannot read it", "**a**", async () => ({ treeOf() { throw new Error("no"); } })],
  ["is not asked for so long a text", "*a* ".repeat(1251), async () => ({ treeOf })],
  ["finds it too deep", "> ".repeat(40) + "a", async () => ({ treeOf })],
]) {
  test(`a text stays as it is written if the parser ${what}`, async () => {
    const node = markdownOf(text, { parser });
    await node.drawing;
    assert.equal(node.textContent.replaceAll(/[␣↵]/g, ""), text);
  });
}

test("only the texts that the mint named are markdown", () => {
  assert.deepEqual([null, undefined, {}, { markdown: [] }, { markdown: ["summary"] }].map((about) => isMarkdown(about, "summary")),
    [false, false, false, false, true]);
  assert.equal(proseOf(null, "summary", "**a**").tagName, "P");
  assert.equal(proseOf({ markdown: ["summary"] }, "summary", "**a**").tagName, "DIV");
});

test("no text of the longest length takes the parser long", () => {
  for (const part of ["[", "*a ", "*", "`a", ">", "- ", "![", "[a](", "_a*", "<a@", "\\"]) {
    const start = performance.now();
    treeOf(part.repeat(5_000 / part.length));
    assert.ok(performance.now() - start < 10_000, part);
  }
});
