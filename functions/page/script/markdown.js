// Texts that the mint marked as markdown. The parser is loaded only for them: until it is there, or if it cannot be
// loaded or cannot read a text, the text is shown as it is written.

import { el, foreignBlock } from "./elements.js";
import { drawn } from "./markdown_view.js";
import { say } from "./text.js";
import { wholeText } from "./value_text.js";

// The work of the parser can grow with the square of the length.
const LONGEST = 5_000;

/** Whether a text of a question, by its name, is marked as markdown. */
export const isMarkdown = (about, name) => Boolean(about?.markdown?.includes(name));

/**
 * The element for a markdown text. In a `label` it has no headings, and no button: there the text as it is written stands
 * in "View as JSON" alone.
 */
export function markdownOf(text, { label = false, parser = () => import("./page-markdown.js") } = {}) {
  const node = el("div", { class: "markdown" }, foreignBlock("div", text, "lead"));
  const draw = ({ treeOf }) => {
    const nodes = drawn(treeOf(text), { headings: !label });
    if (!label) nodes.push(el("details", {}, el("summary", {}, say("as_written")), wholeText(text)));
    node.replaceChildren(...nodes);
  };
  if (text.length <= LONGEST) node.drawing = parser().then(draw).catch(() => {});
  return node;
}

/** A text of a question as a block, by its name: as markdown if it is marked so. */
export function proseOf(about, name, text) {
  return isMarkdown(about, name) ? markdownOf(text) : foreignBlock("p", text, "lead");
}
