// @ts-check
// Two places of the camera's picture, pixel by pixel: where it is sharpest, and where it is least sharp.

/** @import { OpticsView } from "../messages.js" */
import { el } from "../common/dom.js";
import { say } from "../common/language.js";

const EVERY_MS = 500;

/**
 * @param {HTMLElement} place
 * @returns {(optics: OpticsView) => void}
 */
export function sharpPlaces(place) {
  /** @type {Record<string, { x_px: number, y_px: number } | null>} */
  const spots = { sharpest: null, softest: null };
  const views = ["sharpest", "softest"].map((kind) => {
    const image = el("img", { alt: kind === "sharpest" ? say("The sharpest place, enlarged") : say("The least sharp place, enlarged"), width: "240", height: "160" });
    const figure = el("figure", { class: kind, hidden: true }, image, el("figcaption", {}));
    const load = () => {
      const spot = spots[kind];
      if (!spot || !place.isConnected || !place.checkVisibility() || document.hidden) return void setTimeout(load, EVERY_MS);
      const next = new Image();
      next.onload = () => {
        image.src = next.src;
        setTimeout(load, EVERY_MS);
      };
      next.onerror = () => void setTimeout(load, 3 * EVERY_MS);
      next.src = `/crop.jpg?x=${Math.round(spot.x_px)}&y=${Math.round(spot.y_px)}&t=${Date.now()}`;
    };
    load();
    return { kind, figure };
  });
  place.append(...views.map(({ figure }) => figure));
  return ({ sharpest, softest, width_px: width, height_px: height }) => {
    Object.assign(spots, { sharpest, softest: softest ?? (width ? { x_px: width / 2, y_px: height / 2 } : null) });
    for (const { kind, figure } of views) {
      const spot = kind === "sharpest" ? sharpest : softest;
      const caption = figure.querySelector("figcaption");
      figure.hidden = !spots[kind];
      if (caption) caption.textContent = spot ? `${kind === "sharpest" ? say("Sharpest") : say("Least sharp")}: ${spot.blur_px.toFixed(1)} px` : say("The middle");
    }
  };
}
