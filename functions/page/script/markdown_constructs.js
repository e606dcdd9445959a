// What of markdown is read. The bundler takes this module in place of `micromark-core-commonmark`, so that what is not
// read is not sent either. Text as written are HTML, character references (`&amp;`), definitions of links, code that is
// marked by its indentation alone, and headings that are marked by a line below them.

export { attention } from "../../../node_modules/micromark-core-commonmark/lib/attention.js";
export { autolink } from "../../../node_modules/micromark-core-commonmark/lib/autolink.js";
export { blankLine } from "../../../node_modules/micromark-core-commonmark/lib/blank-line.js";
export { blockQuote } from "../../../node_modules/micromark-core-commonmark/lib/block-quote.js";
export { characterEscape } from "../../../node_modules/micromark-core-commonmark/lib/character-escape.js";
export { codeFenced } from "../../../node_modules/micromark-core-commonmark/lib/code-fenced.js";
export { codeText } from "../../../node_modules/micromark-core-commonmark/lib/code-text.js";
export { content } from "../../../node_modules/micromark-core-commonmark/lib/content.js";
export { hardBreakEscape } from "../../../node_modules/micromark-core-commonmark/lib/hard-break-escape.js";
export { headingAtx } from "../../../node_modules/micromark-core-commonmark/lib/heading-atx.js";
export { labelEnd } from "../../../node_modules/micromark-core-commonmark/lib/label-end.js";
export { labelStartImage } from "../../../node_modules/micromark-core-commonmark/lib/label-start-image.js";
export { labelStartLink } from "../../../node_modules/micromark-core-commonmark/lib/label-start-link.js";
export { lineEnding } from "../../../node_modules/micromark-core-commonmark/lib/line-ending.js";
export { list } from "../../../node_modules/micromark-core-commonmark/lib/list.js";
export { thematicBreak } from "../../../node_modules/micromark-core-commonmark/lib/thematic-break.js";

const unread = (name) => ({ name, tokenize: (_, __, nok) => nok });

export const characterReference = unread("characterReference");
export const codeIndented = unread("codeIndented");
export const definition = unread("definition");
export const htmlFlow = unread("htmlFlow");
export const htmlText = unread("htmlText");
export const setextUnderline = unread("setextUnderline");
