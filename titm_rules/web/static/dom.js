// Elements made from JavaScript; texts are always texts, never HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    const isState = name.startsWith("aria-") && typeof value === "boolean"; // for these no is a value too
    if (value === null || value === undefined || (value === false && !isState)) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true && !isState ? "" : String(value));
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Make an element of HTML with attributes, listeners (`onclick`) and children. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an element of SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export const byId = (id) => document.getElementById(id);

/** Put children into an element in place of what was there; what was unfolded stays so. */
export function put(element, ...children) {
  const open = new Set([...element.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  for (const one of element.querySelectorAll("details > summary")) if (open.has(one.textContent)) one.parentElement.open = true;
}

/** Draw anew and leave the focus where it was: on what bears the same name in the same part of the page. */
export function keepFocus(draw) {
  const { activeElement: old } = document, part = old?.closest("[id]:not(input, button, select)");
  const name = part && nameOf(old), caret = old?.selectionStart;
  draw();
  if (!part || old.isConnected || old === document.body) return;
  const found = [...byId(part.id)?.querySelectorAll(old.localName) ?? []].find((one) => nameOf(one) === name);
  found?.focus({ preventScroll: true });
  if (found && typeof caret === "number") found.setSelectionRange?.(caret, caret);
}

const nameOf = (element) => element.id || element.getAttribute("aria-label") || element.getAttribute("name") || element.textContent;

/** Write a name of the rules as words. */
export const words = (name) => String(name).replace(/[_-]+/g, " ");

/** Begin a text with a capital letter. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Write what stands between backticks as code. */
export const coded = (text) => text.split("`").map((part, index) => (index % 2 ? h("code", null, part) : part));

export function button(text, onclick, attributes) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

/** Let the browser save a text or a blob as a file. */
export function save(name, content, type = "text/plain") {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
