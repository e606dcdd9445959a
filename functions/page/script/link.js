// The answer token of the link that was opened. It leaves the address bar and the history of the browser at once: what
// stands there is seen by others, is synchronised to other devices, and is read by extensions.

const KEY = "askback:token";

// A token begins with `{"` in base64url and ends with a signature of 32 bytes. So its first and its last character are
// known, also where a chat put `_` or `-` around the link, which can be characters of a token too.
const TOKEN = /eyJ[\w-]*\.[\w-]+\.[\w-]{43}/;

// White space, a line end with the `=` that quoted-printable text has before it, and characters that are not seen.
const ADDED = /=?[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]+/g;

const MOST_ENCODINGS = 3;

/** The token in a link's fragment, without what mail and chat programs do to a link: encode it, break it, wrap it. */
export function tokenIn(fragment) {
  let text = fragment;
  for (let count = 0; count < MOST_ENCODINGS; count += 1) {
    try {
      text = decodeURIComponent(text);
    } catch {
      break; // A percent sign that is no encoding.
    }
  }
  return TOKEN.exec(text.replace(ADDED, ""))?.[0];
}

/** The token of this tab: from the link, or after a reload from the tab's own storage. */
export function takeToken() {
  const token = tokenIn(location.hash);
  try {
    if (!token) return location.hash ? undefined : sessionStorage.getItem(KEY) ?? undefined;
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, "", location.pathname + location.search);
  } catch {
    // Storage may be switched off. Then the token stays in the address, or a reload would lose the question.
  }
  return token;
}
