// As much of a document as the page's modules use, so that fields and forms are tested without a browser. It checks no
// input and lays nothing out: what a browser decides, such as whether a text is an e-mail address, is set by a test.
// Whether the page works in a browser is seen by the tests in Chromium.

class TinyElement {
  constructor(name) {
    this.tagName = name.toUpperCase();
    this.attributes = new Map();
    this.children = [];
    this.listeners = [];
    this.value = "";
    this.validity = { badInput: false, typeMismatch: false };
    this.classList = { toggle: (name, on) => this.setAttribute("class", on ? name : "") };
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }

  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }

  append(...children) {
    this.children.push(...children);
  }

  prepend(...children) {
    this.children.unshift(...children);
  }

  replaceChildren(...children) {
    this.children = children;
  }

  remove() {
    for (const element of [document.page, ...within(document.page)]) {
      element.children = element.children.filter((child) => child !== this);
    }
  }

  get textContent() {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  set textContent(text) {
    this.children = [text];
  }

  addEventListener(kind, heard) {
    this.listeners.push({ kind, heard });
  }

  scrollIntoView() {
    document.scrolledTo = this;
  }

  focus() {
    document.focused = this;
  }

  querySelector(name) {
    return within(this).find((element) => element.tagName === name.toUpperCase()) ?? null;
  }
}

/** An element's descendants, in the order of the document. */
export function within(element) {
  return element.children.flatMap((child) => (typeof child === "string" ? [] : [child, ...within(child)]));
}

/** The controls within these nodes, in the order of the document; as in `el`, a node may be nothing. */
export function controls(...nodes) {
  const all = nodes.filter(Boolean).flatMap((node) => [node, ...within(node)]);
  return all.filter(({ tagName }) => tagName === "INPUT" || tagName === "TEXTAREA");
}

/** Do as a person who types: set the control's value and let those hear of it that listen to the control itself. */
export function type(control, text) {
  control.value = text;
  for (const { kind, heard } of control.listeners) if (kind === "input") heard();
}

/** Let the elements within a node hear of an input in one of them, as an event that bubbles. */
export function hear(node) {
  for (const { listeners, tagName } of within(node)) {
    if (tagName !== "INPUT") for (const { kind, heard } of listeners) if (kind === "input") heard();
  }
}

/** Press a button. */
export function press(button) {
  for (const { kind, heard } of button.listeners) if (kind === "click") heard({ preventDefault() {}, currentTarget: button });
}

/** Make a new document that holds `main`, the element of the page, and return that. */
export function freshDocument() {
  const page = new TinyElement("main");
  page.setAttribute("id", "page");
  const heard = new Set();
  globalThis.Node = TinyElement;
  globalThis.scrollTo = () => {};
  globalThis.document = {
    title: "",
    focused: null,
    page,
    visibilityState: "visible",
    addEventListener: (_, listener) => heard.add(listener),
    removeEventListener: (_, listener) => heard.delete(listener),
    createElement: (name) => new TinyElement(name),
    getElementById: (id) => [page, ...within(page)].find((element) => element.getAttribute("id") === id) ?? null,
    querySelectorAll: () => within(page).filter((element) => element.tagName === "BUTTON"),
    /** Do as a browser whose tab is hidden, or seen again. */
    turn(visibility) {
      document.visibilityState = visibility;
      for (const listener of heard) listener();
    },
  };
  return page;
}
