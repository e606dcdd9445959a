// Shows a text that is a small image as this image, with what tells it from another one: its size and its fingerprint.

import { el } from "./elements.js";
import { say } from "./text.js";
import { foldedText, note, valueText } from "./value_text.js";

const MOST_BYTES = 200_000;
const BEGINNING_CHARACTERS = 48;
const FINGERPRINT_BYTES = 8;
// Never SVG, which is a document with links and styles of its own.
const IMAGE = /^data:(image\/(?:png|jpeg|gif|webp));base64,((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** The element for a text that is a data URI of an image; null for any other text. Its alternative text is `name`. */
export function imageText(text, name) {
  if (!text.startsWith("data:image/") || text.length > MOST_BYTES * 1.4) return null;
  const [, type, encoded] = IMAGE.exec(text) ?? [];
  const bytes = type && Uint8Array.from(atob(encoded), (unit) => unit.charCodeAt());
  if (!type || bytes.length > MOST_BYTES) return null;
  const size = `${type}, ${say("bytes", { count: bytes.length })}`;
  const about = el("p", {}, note(`(${size})`));
  const image = el("img", { src: text, alt: name || type, onerror: () => node.replaceChildren(valueText(text)) });
  const node = el("div", { class: "image" }, image, about, foldedText(text, text.slice(0, BEGINNING_CHARACTERS)));
  fingerprint(bytes).then((digits) => about.replaceChildren(note(`(${size}, SHA-256 ${digits}\u2026)`)), () => {});
  return node;
}

/** The first digits of the hash of some bytes; a browser computes one only for a page with a secure origin. */
async function fingerprint(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash.slice(0, FINGERPRINT_BYTES)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
