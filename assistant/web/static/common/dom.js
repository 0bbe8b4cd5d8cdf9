// @ts-check
// Making elements, and remaking only those whose content has changed.

import { localised } from "./language.js";
import { onceLetGo } from "./press.js";

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Makes an element; properties starting with `on` are listeners, the rest are attributes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | ((event: Event) => void)>} [properties]
 * @param {...Child} children
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of a drawing. @param {string} name @param {Record<string, string | number>} attributes @param {...SVGElement} children */
export function svg(name, attributes, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** An icon from icons.svg. @param {string} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `/static/common/icons.svg#${name}`);
  svg.append(use);
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

/**
 * A part that unfolds.  What is drawn anew before the browser tells of a toggle must know of it: the press itself tells.
 * @param {{ key: string, open: boolean, fold: (open: boolean) => void }} how
 * @param {string} title
 * @param {...Child} children
 */
export function foldout({ key, open, fold }, title, ...children) {
  const made = el("details", { open }, el("summary", { "data-key": key, onclick: () => fold(!made.open) }, title), ...children);
  return made;
}

/** @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page has no element #${id}`);
  return element;
}

/**
 * A part of the page that is rebuilt only when what it shows has changed and no control in it is pressed, so that a
 * button is not replaced under a finger; keyboard focus stays where it was (on the element with the same data-key).
 * @template Data
 * @param {HTMLElement} place
 * @param {(data: Data) => Child[]} build
 */
export function block(place, build) {
  let shown = "";
  /** @param {Data} data */
  const show = (data) => {
    const focused = place.contains(document.activeElement) && document.activeElement?.getAttribute("data-key");
    place.replaceChildren(...build(data).filter((child) => child !== null && child !== undefined && child !== false));
    if (focused) /** @type {HTMLElement | null} */ (place.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
  };
  return (/** @type {Data} */ data) => {
    const now = JSON.stringify(data);
    if (now === shown) return;
    shown = now;
    onceLetGo(place, () => show(data));
  };
}

/**
 * Puts elements in order without touching those that stand right: one that is moved would lose the focus.  Others go.
 * @param {HTMLElement} place @param {HTMLElement[]} elements
 */
export function arrange(place, elements) {
  const wanted = new Set(elements);
  for (const child of [...place.children]) if (!wanted.has(/** @type {HTMLElement} */ (child))) child.remove();
  elements.forEach((element, at) => {
    const there = place.children[at] ?? null;
    if (there === element) return;
    if (there?.nextElementSibling === element) place.append(there); // it goes further down, and those after it stand right
    else place.insertBefore(element, there);
  });
}

/**
 * A paragraph that is there while it says something; the function puts in another text, and touches nothing for the same.
 * @param {Record<string, string>} [properties]
 */
export function line(properties = {}) {
  const element = el("p", { ...properties, hidden: true });
  let said = "";
  return {
    element,
    tell(/** @type {string} */ text) {
      if (text === said) return;
      said = text;
      element.textContent = text;
      element.hidden = !text;
    },
  };
}

/** A length as players say it. @param {number} mm @param {"in" | "cm"} unit @param {number} [decimals] */
export function said(mm, unit, decimals = 2) {
  const figure = Number((unit === "cm" ? mm / 10 : mm / 25.4).toFixed(decimals));
  return unit === "cm" ? `${localised(figure)} cm` : `${localised(figure)}"`;
}
