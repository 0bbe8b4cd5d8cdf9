// @ts-check
// A sentence that goes away by itself.

/** @import { FromPage } from "../messages.js" */
import { byId } from "./dom.js";
import { say } from "./language.js";

const SHOWN_MS = 7000;
/** @type {number | undefined} */
let lowered;

/** Shows a sentence for a while, instead of the one before. @param {string} text */
export function toast(text) {
  const place = byId("toast");
  place.textContent = text.charAt(0).toUpperCase() + text.slice(1);
  place.hidden = false;
  place.onclick = () => (place.hidden = true); // whoever it is in the way of puts it away
  clearTimeout(lowered);
  lowered = setTimeout(() => (place.hidden = true), SHOWN_MS);
}

/**
 * Sends, and says so where there is no connection to send by; what it makes returns whether the message was sent.
 * @param {(message: FromPage) => boolean} send
 * @returns {(message: FromPage) => boolean}
 */
export const orSay = (send) => (message) => send(message) || (toast(say("There is no connection to the table right now.")), false);
