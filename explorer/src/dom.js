// Elements made from data. Text only ever goes into text nodes and attributes, so a name can hold anything.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with properties and children. Keys with a dash or a colon become attributes, `on…` listeners, others
 * properties.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, unknown>} [props] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else if (key.includes("-") || key === "role") element.setAttribute(key, String(value));
    else Reflect.set(element, key, value);
  }
  element.append(...present(children));
  return element;
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function present(children) {
  return /** @type {(Node | string)[]} */ (children.flat().filter((child) => child || child === ""));
}

/** An element of the page by its id. @template {HTMLElement} [Kind=HTMLElement] @param {string} id @returns {Kind} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return /** @type {Kind} */ (element);
}
