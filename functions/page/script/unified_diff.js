// Reads a text as a unified diff. It is one only if every line has its place: a text that is nearly one stays a text.

const BEFORE_FILE = /^(?:diff --git |index |(?:new|deleted) file mode |(?:old|new) mode |(?:dis)?similarity index |(?:rename|copy) (?:from|to) )/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@(?: .*)?$/;
const NO_LINE_END = /^\\ ./;
const KINDS = { " ": "same", "-": "removed", "+": "added" };

/**
 * The lines of a unified diff, or null for any other text. Each is `{ kind, sign, text }`: `head` for the lines about a
 * file or a hunk, and `same`, `removed` or `added` for a line of the file, without its sign.
 */
export function unifiedDiff(text) {
  if (!text.includes("\n@@ -")) return null;
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  const read = [];
  let at = 0;
  const head = () => read.push({ kind: "head", sign: "", text: lines[at++] });
  const starts = (start) => at < lines.length && lines[at].startsWith(start);

  /** Read a hunk of as many lines as its head says. */
  function hunk() {
    const [, before = "1", after = "1"] = HUNK.exec(lines[at]);
    const left = { removed: Number(before), added: Number(after) };
    head();
    while (left.removed > 0 || left.added > 0) {
      const kind = at < lines.length && KINDS[lines[at][0]];
      if (!kind) return false;
      if (kind !== "added") left.removed -= 1;
      if (kind !== "removed") left.added -= 1;
      read.push({ kind, sign: lines[at][0], text: lines[at].slice(1) });
      at += 1;
      while (at < lines.length && NO_LINE_END.test(lines[at])) head();
    }
    return left.removed === 0 && left.added === 0;
  }

  while (at < lines.length) {
    while (at < lines.length && BEFORE_FILE.test(lines[at])) head();
    if (!starts("--- ")) return null;
    head();
    if (!starts("+++ ")) return null;
    head();
    let hunks = 0;
    for (; at < lines.length && HUNK.test(lines[at]); hunks += 1) if (!hunk()) return null;
    if (!hunks) return null;
  }
  return read;
}
