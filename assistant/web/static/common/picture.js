// @ts-check
// What the camera sees, live.

import { addressOf } from "./address.js";

const EVERY_MS = 300;
const RETRY_MS = 1500;

/**
 * Loads one picture after another, so that a slow network only makes them fewer.
 * @param {HTMLImageElement} shown
 * @param {HTMLElement} instead  stands there before the first
 */
export function livePicture(shown, instead) {
  const next = new Image();
  next.onload = () => {
    shown.src = next.src;
    shown.hidden = false;
    instead.hidden = true;
    setTimeout(() => livePicture(shown, instead), document.hidden ? RETRY_MS : EVERY_MS);
  };
  next.onerror = () => setTimeout(() => livePicture(shown, instead), RETRY_MS);
  next.src = addressOf(`/picture.jpg?${Date.now()}`);
}
