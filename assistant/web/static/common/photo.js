// @ts-check
// The table as its camera sees it, from straight above, one picture after another.

import { addressOf } from "./address.js";

const EVERY_MS = 200;
const RETRY_MS = 1500;
/** Pixels across; more than a screen has are not asked for. */
const WIDEST_PX = 2048;

/** @import { Area, Photo } from "./call-drawing.js" */
/**
 * The latest picture of the whole table, while it is wanted; `part` is the latest of a part of it.
 * @typedef {(() => ImageBitmap | null) & { part: () => Photo | null }} TablePhoto
 */

/**
 * Loads pictures for as long as they are wanted.
 * @param {() => boolean} isWanted  asked again and again
 * @param {() => void} changed  called when there is another picture, or none any more
 * @param {() => Area | null} [partOf]  the part that is looked at; the whole is then not loaded anew meanwhile
 * @returns {TablePhoto}
 */
export function tablePhoto(isWanted, changed, partOf = () => null) {
  /** @type {ImageBitmap | null} */
  let latest = null;
  /** @type {(Photo & { image: ImageBitmap }) | null} */
  let part = null;

  /** @param {ImageBitmap | null} now */
  function take(now) {
    if (now === latest) return;
    latest?.close();
    latest = now;
    changed();
  }

  /** @param {(Photo & { image: ImageBitmap }) | null} now */
  function takePart(now) {
    if (now === part) return;
    part?.image.close();
    part = now;
    changed();
  }

  async function load() {
    let wait_ms = RETRY_MS;
    if (!isWanted()) (take(null), takePart(null));
    else if (!document.hidden) {
      try {
        const area = latest && partOf();
        const place = area ? `&left_mm=${area.left}&low_mm=${area.low}&width_mm=${area.width}&depth_mm=${area.depth}` : "";
        const answer = await fetch(addressOf(`/table.jpg?width_px=${Math.min(WIDEST_PX, Math.round(screen.width * devicePixelRatio))}${place}`));
        const image = answer.ok ? await createImageBitmap(await answer.blob()) : null;
        if (area && image) takePart({ area, image });
        else take(image);
        if (!area) takePart(null);
        if (answer.ok) wait_ms = EVERY_MS;
      } catch {
        // Without a connection the last picture stays, as everything on the page does.
      }
    }
    setTimeout(load, wait_ms);
  }

  void load();
  return Object.assign(() => (isWanted() ? latest : null), { part: () => (isWanted() ? part : null) });
}
