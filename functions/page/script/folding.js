// Long content is folded: its beginning, how long it is, and a button that shows it all.

import { el } from "./elements.js";
import { say } from "./text.js";

/** The beginning of something long, and below it the button; `all` is made only when it is wanted. */
export function folded({ label, all, beginning }) {
  const content = el("div", {}, beginning());
  const button = el("button", { type: "button", class: "plain", "aria-expanded": "false", onclick: turn }, label);
  let open = false;

  function turn() {
    open = !open;
    content.replaceChildren(open ? all() : beginning());
    button.textContent = open ? say("show_less") : label;
    button.setAttribute("aria-expanded", String(open));
  }

  return el("div", { class: "folded" }, content, button);
}
