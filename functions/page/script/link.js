// The answer token of the link that was opened. It leaves the address bar and the history of the browser at once: what
// stands there is seen by others, is synchronised to other devices, and is read by extensions.

const KEY = "askback:token";

/** The token in a link's fragment, without characters that a mail program added, such as a bracket or a full stop. */
export function tokenIn(fragment) {
  return /[\w-]+\.[\w-]+\.[\w-]+/.exec(fragment)?.[0];
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
