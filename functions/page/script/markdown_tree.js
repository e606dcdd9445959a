// Reads markdown into a tree. It is a bundle of its own, which the page loads only for a question with markdown.

import { parse, postprocess, preprocess } from "micromark";

/**
 * The tree of a text: a list of `{ type, text, parts }`, where `type` is the name of micromark's token, `text` is the part
 * of the markdown that it stands for, and `parts` are the tokens in it.
 */
export function treeOf(text) {
  const events = postprocess(parse().document().write(preprocess()(text, undefined, true)));
  const path = [{ parts: [] }];
  for (const [kind, token, context] of events) {
    if (kind === "exit") path.pop();
    else {
      const node = { type: token.type, text: context.sliceSerialize(token), parts: [] };
      path[path.length - 1].parts.push(node);
      path.push(node);
    }
  }
  return path[0].parts;
}
