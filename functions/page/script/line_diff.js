// The difference of two texts, by lines: the longest common sequence of lines stays, everything else is removed or added.

/** So many lines of each text may differ; the work grows with the product of the two. */
export const MOST_LINES = 600;
const AROUND = 3;

/** The lines of both texts, each `{ kind, sign, text }` as of a unified diff; null if more lines differ than can be compared. */
export function lineDiff(before, after) {
  const [old, recent] = [before.split("\n"), after.split("\n")];
  const same = (text) => ({ kind: "same", sign: " ", text });
  let start = 0;
  while (start < old.length && start < recent.length && old[start] === recent[start]) start += 1;
  let end = 0;
  const left = Math.min(old.length, recent.length) - start;
  while (end < left && old[old.length - 1 - end] === recent[recent.length - 1 - end]) end += 1;
  const between = compared(old.slice(start, old.length - end), recent.slice(start, recent.length - end));
  return between && [...old.slice(0, start).map(same), ...between, ...old.slice(old.length - end).map(same)];
}

function compared(old, recent) {
  if (old.length > MOST_LINES || recent.length > MOST_LINES) return null;
  const wide = recent.length + 1;
  // How many lines are common from these two places on.
  const common = new Uint16Array((old.length + 1) * wide);
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = recent.length - 1; column >= 0; column -= 1) {
      const at = row * wide + column;
      common[at] = old[row] === recent[column] ? common[at + wide + 1] + 1 : Math.max(common[at + wide], common[at + 1]);
    }
  }
  const lines = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < recent.length) {
    const at = row * wide + column;
    if (row < old.length && column < recent.length && old[row] === recent[column]) {
      lines.push({ kind: "same", sign: " ", text: old[row] });
      [row, column] = [row + 1, column + 1];
    } else if (column === recent.length || (row < old.length && common[at + wide] >= common[at + 1])) {
      lines.push({ kind: "removed", sign: "-", text: old[row++] });
    } else {
      lines.push({ kind: "added", sign: "+", text: recent[column++] });
    }
  }
  return lines;
}

/** The lines with a few around each change; `{ kind: "gap", count }` stands for the others. */
export function changesOf(lines) {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== "same"));
  const shown = [];
  lines.forEach((line, index) => {
    const last = shown[shown.length - 1];
    if (near[index]) shown.push(line);
    else if (last?.kind === "gap") last.count += 1;
    else shown.push({ kind: "gap", count: 1 });
  });
  return shown;
}
