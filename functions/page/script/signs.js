// Which characters of a text a reader could not see, or could take for others. Each is shown by its code point.
//
// Two texts that differ must not read the same. So marked are: characters without a shape or with the shape of a space,
// those that change the order of reading, a letter that is not in its normal form, and letters of one script that look
// like those of another. A value (`strict`) is marked more closely than the prose around it.

const HIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
// Spaces of good typography, and what selects the form of an emoji. They stay as they are in prose.
const PROSE_SPACE = /[\u00a0\u2009\u202f\u3000]/;
const EMOJI = /(?:\p{Extended_Pictographic}|[#*0-9](?=\ufe0f\u20e3))\ufe0f?\p{Emoji_Modifier}?\u20e3?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*/uy;
// The page's own signs for a space, a tab and a line end, and for a text that runs from right to left.
const OWN = { " ": "\u2423", "\t": "\u21e5", "\n": "\u21b5" };
const OWN_SIGN = /[\u2423\u21e5\u21b5\u21e0]/;
// Signs with the shape of one on the keyboard: of - ' ` , / : * ~ | ! < > . and of the letters a, g and i.
// The last ranges are parts of Korean letters, which join to whole ones.
const SHAPES = new RegExp("[\\u01c0-\\u01c3\\u0251\\u0261\\u0269\\u02b9-\\u02bf\\u02c8\\u02cb\\u02d0\\u02d7\\u0589\\u05c3" +
  "\\u2010-\\u2012\\u201a\\u2032-\\u2037\\u2039\\u203a\\u2043\\u2044\\u204e\\u2053\\u2212\\u2215\\u2217\\u2223\\u2236" +
  "\\u223c\\u2571\\u29f5\\u29f8\\ua4f8-\\ua4ff\\ua789\\ua78c\\u1100-\\u11ff\\ua960-\\ua97f\\ud7b0-\\ud7ff]");
const CODE_SHAPES = /[\u2013\u2014\u2018\u2019\u201c\u201d]/;
const WIDE = /[\u3001-\u3037\u3200-\u33ff\uff00-\uffef]/;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\uac00-\ud7a3]/u;
const KNOWN_FORMS = /[\u00a0-\u00ff\u2026\u2122]/;

// Scripts whose letters look like those of another of them, and the letters that do; "" for all letters.
const SCRIPTS = [
  [/\p{Script=Latin}/u, "ABCEGHIJKLMNOPQSTUVWXYZacdeghijklnopqsuvwxy"],
  [/\p{Script=Cyrillic}/u, "АВЕЅІЈКМНОРСТУХҮҺԌԚԜѴасеорхуіјѕһԁԛԝӏүѵ"],
  [/\p{Script=Greek}/u, "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳανορυκγχϲ"],
  [/\p{Script=Armenian}/u, "ՍՏՕԼհոսօցքզյաւգ"],
  [/\p{Script=Cherokee}/u, ""], [/\p{Script=Coptic}/u, ""], [/\p{Script=Lisu}/u, ""], [/\p{Script=Deseret}/u, ""],
];
// Words up to this length are of the script of the text around them, such as "а" in Russian. Of longer words, the Latin
// one is the usual one.
const SHORT_WORD = 3;
const scriptOf = (letter) => SCRIPTS.findIndex(([script]) => script.test(letter));
const looksAlike = (letter, script) => !SCRIPTS[script][1] || SCRIPTS[script][1].includes(letter);

/**
 * The pieces of a text: `{ text }` to show as it is, `{ code, of }` for a character to show by its code point, and
 * `{ own, of }` for white space that is shown by a sign. `strict` is for values; `code` is for those that are shown as
 * code, where a dash or a quote counts.
 */
export function piecesOf(text, { strict = false, code = false } = {}) {
  if (/^[!-Z\\-~]+(?: [!-Z\\-~]+)*$/.test(text)) return [{ text }];
  const pieces = [];
  const around = { text, strict, code, strangers: foreignLetters(text), spaces: strict ? shownSpaces(text) : null,
    wideIsUsual: EAST_ASIAN.test(text), digitsAreUsual: !/[0-9]/.test(text) && /[\u0590-\u{10ffff}]/u.test(text.replace(/\p{N}/gu, "")) };
  let plain = "";
  const add = (piece) => {
    if (plain) pieces.push({ text: plain });
    plain = "";
    pieces.push(piece);
  };
  // A character, with the marks that combine with it.
  for (const { 0: cluster, index } of text.matchAll(/[^]\p{M}*/gu)) {
    const normal = cluster.normalize("NFC") === cluster;
    let at = index;
    let bare = true;
    for (const each of cluster) {
      const first = at === index;
      const combines = /\p{M}/u.test(each);
      if (around.spaces?.has(at)) add({ own: OWN[each], of: each });
      else if ((combines && bare) || (!normal && (!first || each.normalize("NFC") !== each))
        || isStrange(each, at, around)) add({ code: codeOf(each), of: each });
      else {
        plain += each;
        bare = false;
      }
      at += each.length;
    }
  }
  if (plain) pieces.push({ text: plain });
  return pieces;
}

/** The code point of a character, such as `U+200B`. */
export function codeOf(character) {
  return `U+${character.codePointAt().toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A text as JSON text in which every character that would be marked is written as an escape. */
export function escaped(text) {
  const escape = (of) => of.split("").map((unit) => `\\u${unit.charCodeAt().toString(16).padStart(4, "0")}`).join("");
  const pieces = piecesOf(text, { strict: true });
  return `"${pieces.map(({ text: plain, own, of }) => {
    const usual = JSON.stringify(plain ?? of).slice(1, -1);
    return plain || own || /^\\[bfnrt]$/.test(usual) ? usual : escape(of);
  }).join("")}"`;
}

/** Whether a reader could miss this character, or take it for another one. */
function isStrange(each, at, { text, strict, code, strangers, wideIsUsual, digitsAreUsual }) {
  if (each === " " || each === "\n") return false;
  if (HIDDEN.test(each) && (strict || !(PROSE_SPACE.test(each) || isInEmoji(text, at)))) return true;
  if (strangers.has(at) || (each === "[" && /^\[U\+[0-9A-Fa-f]/.test(text.slice(at, at + 4)))) return true;
  if (!strict || each < "\u0080") return false;
  if (SHAPES.test(each) || OWN_SIGN.test(each) || (code && CODE_SHAPES.test(each))) return true;
  if (/\p{Nd}/u.test(each) && !digitsAreUsual) return true;
  return isOtherForm(each, wideIsUsual);
}

/** The places of white space that is not seen: at an end, doubled, a tab, a line end. Indentation is seen. */
function shownSpaces(text) {
  const places = new Set();
  const margin = text.includes("\n") ? /^[ ]+(?=[^ \n])/ : /^(?=\n)/;
  let start = 0;
  for (const line of text.split("\n")) {
    const indented = margin.exec(line)?.[0].length ?? 0;
    for (const { 0: run, index } of line.matchAll(/ *\t[ \t]*|^ +| +$| {2,}/g)) {
      if (run[run.length - 1] === " " && index === 0 && run.length === indented) continue;
      for (let at = index; at < index + run.length; at += 1) places.add(start + at);
    }
    start += line.length + 1;
    if (start <= text.length) places.add(start - 1);
  }
  return places;
}

/** Whether the character at this place is a joiner or a selector inside an emoji that begins before it. */
function isInEmoji(text, at) {
  for (let from = Math.max(0, at - 32); from < at; from += 1) {
    EMOJI.lastIndex = from;
    if (EMOJI.test(text) && EMOJI.lastIndex > at) return true;
  }
  return false;
}

/** Whether a character is another form of common ones, such as a wide letter or a ligature. */
function isOtherForm(each, wideIsUsual) {
  if (each.normalize("NFKC") === each || KNOWN_FORMS.test(each)) return false;
  return !(wideIsUsual && WIDE.test(each));
}

/**
 * The places of letters that look like those of another script: all that are not Latin in a word that mixes scripts,
 * and all of a word that could be of another script. Which of two scripts is the other one, the rest of the text says.
 */
function foreignLetters(text) {
  const places = new Set();
  if (/^[\x00-\u024f]*$/.test(text)) return places;
  const words = [...text.matchAll(/[\p{L}\p{M}]+/gu)].map((word) => lettersOf(word));
  const sure = new Set(words.flat().filter(({ script, like }) => script >= 0 && !like).map(({ script }) => script));
  for (const letters of words) {
    const scripts = new Set(letters.map(({ script }) => script).filter((script) => script >= 0));
    const [own] = scripts;
    const alike = letters.every(({ script, like }) => script < 0 || like);
    const usual = letters.length > SHORT_WORD ? 0 : sure.size === 1 ? [...sure][0] : 0;
    const strange = own !== usual;
    for (const { script, at } of letters) {
      if (script < 0) continue;
      if (scripts.size > 1 ? script !== 0 : alike && strange) places.add(at);
    }
  }
  return places;
}

function lettersOf({ 0: word, index }) {
  let at = index;
  return [...word].map((letter) => {
    const script = scriptOf(letter);
    const found = { at, script, like: script >= 0 && looksAlike(letter, script) };
    at += letter.length;
    return found;
  });
}
