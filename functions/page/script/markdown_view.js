// Draws the tree of a markdown text as elements. What is not known here is shown as it is written, so that nothing is lost.

import { el, marked } from "./elements.js";
import { directed } from "./value_text.js";

const UNSEEN = /Sequence|Marker|Prefix|Indent|Suffix|Blank|^whitespace|^hardBreak|Padding/;
const TEXTS = ["data", "characterEscapeValue"];
const DEEPEST = 16;

/** The elements of the blocks of a tree. Without `headings` a heading is a strong paragraph, as inside of a label. */
export function drawn(blocks, { headings = true, depth = 0 } = {}) {
  if (depth > DEEPEST) throw new RangeError("too deep");
  const inner = { headings, depth: depth + 1 };
  const draw = {
    content: ({ parts }) => drawn(parts, inner),
    paragraph: ({ parts }) => el("p", { class: "lead", dir: "auto" }, ...inline(parts)),
    atxHeading({ parts }) {
      const size = parts[0].text.length;
      const text = inline(parts.flatMap((part) => (part.type === "atxHeadingText" ? part.parts : [])));
      return headings ? el("h2", { class: `size-${size}`, dir: "auto" }, ...text) : el("p", {}, el("strong", {}, ...text));
    },
    thematicBreak: () => el("hr"),
    blockQuote: ({ parts }) => el("blockquote", {}, ...drawn(parts, inner)),
    listUnordered: ({ parts }) => el("ul", {}, ...itemsOf(parts).map((item) => el("li", {}, ...drawn(item, inner)))),
    listOrdered: ({ parts }) => el("ol", {}, ...itemsOf(parts).map((item) =>
      el("li", { value: item[0].parts[0].text }, ...drawn(item, inner)))),
    codeFenced,
    lineEnding: () => [],
  };
  return blocks.flatMap((block) => draw[block.type]?.(block) ?? inline([block]));
}

function itemsOf(parts) {
  const items = [];
  for (const part of parts) {
    if (part.type === "listItemPrefix") items.push([]);
    items[items.length - 1]?.push(part);
  }
  return items;
}

/** A block of code; what stands beside its fence is shown above it. */
function codeFenced({ parts }) {
  const fences = parts.filter(({ type }) => type === "codeFencedFence");
  const info = fences.flatMap((fence) => fence.parts).filter(({ type }) => /Info|Meta/.test(type)).map(({ text }) => text);
  const lines = parts.filter(({ type }) => /^(?:lineEnding|codeFlowValue)$/.test(type)).map(({ text }) => text).slice(1);
  const code = lines.join("").replace(fences.length > 1 ? /\n$/ : "", "");
  return [info.length > 0 && el("p", { class: "quiet" }, ...marked(info.join(" "))), el("pre", { class: "code", dir: "ltr" },
    ...directed(code, true).nodes)].filter(Boolean);
}

/** The nodes of a line of text. Neighbouring texts are marked as one: a sign for a character can begin in either. */
function inline(parts) {
  const nodes = [];
  let text = "";
  const flush = () => {
    if (text) nodes.push(...marked(text));
    text = "";
  };
  for (const part of parts.flatMap((each) => (each.type === "characterEscape" ? each.parts : [each]))) {
    const { type } = part;
    if (TEXTS.includes(type)) text += part.text;
    else if (type === "lineEnding") text += "\n";
    else if (!UNSEEN.test(type)) {
      flush();
      nodes.push(...spanOf(part));
    }
  }
  flush();
  return nodes;
}

function spanOf({ type, text, parts }) {
  if (type === "emphasis") return [el("em", {}, ...inline(partOf(parts, "emphasisText").parts))];
  if (type === "strong") return [el("strong", {}, ...inline(partOf(parts, "strongText").parts))];
  if (type === "codeText") {
    const code = parts.map((part) => ({ codeTextData: part.text, lineEnding: " " })[part.type] ?? "").join("");
    return [el("code", { class: "code value", dir: "ltr" }, ...directed(code, true).nodes)];
  }
  if (type === "link" || type === "image") return linkOf(type, parts);
  if (type === "autolink") return addressOf(parts[1].text, parts[1].type === "autolinkEmail" ? "mailto:" : "", null);
  return parts.length ? inline(parts) : marked(text);
}

const partOf = (parts, type) => parts.find((part) => part.type === type) ?? { text: "", parts: [] };

function linkOf(type, parts) {
  const deep = (part) => [part, ...part.parts.flatMap(deep)];
  const inside = partOf(parts, "resource").parts.flatMap(deep);
  const plainly = (name) => partOf(inside, name).text.replace(/\\([!-/:-@[-`{-~])/g, "$1");
  const label = inline(partOf(partOf(parts, "label").parts, "labelText").parts);
  const title = plainly("resourceTitleString");
  const address = plainly("resourceDestinationString");
  const named = title ? ` "${title}"` : "";
  if (type === "image") return [...label, ...behind(address, named)];
  return addressOf(address, "", label, named);
}

/** A link with its address: of what is read, nothing says where it leads but this. */
function addressOf(address, scheme, label, named = "") {
  const href = opened(scheme + address);
  if (!href) return [...(label ?? []), ...behind(address, named)];
  const plain = !label?.length || (!named && label.length === 1 && label[0] === href);
  const inner = plain ? marked(href, { strict: true, code: true }) : label;
  const link = el("a", { href, rel: "noreferrer noopener", target: "_blank" }, ...inner);
  return plain && !named ? [link] : [link, ...behind(href, named)];
}

/** The address that a browser would open, if it is one that a link may have. */
function opened(address) {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function behind(address, named) {
  return [" ", el("span", { class: "address", dir: "ltr" }, "(",
    ...marked(`${address}${named}`, { strict: true, code: true }), ")")];
}
