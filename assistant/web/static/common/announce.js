// @ts-check
// What is read out to who does not see the page: one sentence after another, none twice in a row.

import { byId } from "./dom.js";

const CALM_MS = 350; // a verdict that changes while a model moves is said once it stays
const KEPT = 6;
/** @type {number | undefined} */
let waiting;
let last = "";

/**
 * Says a sentence, unless a newer one comes at once; after nothing, the same may be said again.
 * @param {string} text @param {() => void} [said]  called when it is
 */
export function announce(text, said = () => {}) {
  clearTimeout(waiting);
  if (!text) last = "";
  if (!text) return;
  waiting = setTimeout(() => {
    if (text === last) return;
    last = text;
    said();
    const log = byId("said");
    const line = document.createElement("p");
    line.textContent = text;
    log.append(line);
    while (log.childElementCount > KEPT) log.firstElementChild?.remove();
  }, CALM_MS);
}
