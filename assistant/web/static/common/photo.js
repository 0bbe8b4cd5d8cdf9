// @ts-check
// The table as its camera sees it, from straight above, one picture after another.

const EVERY_MS = 200;
const RETRY_MS = 1500;
/** Pixels across; more than a screen has are not asked for. */
const WIDEST_PX = 2048;

/**
 * Loads pictures for as long as they are wanted.
 * @param {() => boolean} isWanted  asked again and again
 * @param {() => void} changed  called when there is another picture, or none any more
 * @returns {() => ImageBitmap | null}  the latest, while it is wanted
 */
export function tablePhoto(isWanted, changed) {
  /** @type {ImageBitmap | null} */
  let latest = null;

  /** @param {ImageBitmap | null} now */
  function take(now) {
    if (now === latest) return;
    latest?.close();
    latest = now;
    changed();
  }

  async function load() {
    let wait_ms = RETRY_MS;
    if (!isWanted()) take(null);
    else if (!document.hidden) {
      try {
        const answer = await fetch(`/table.jpg?width_px=${Math.min(WIDEST_PX, Math.round(screen.width * devicePixelRatio))}`);
        take(answer.ok ? await createImageBitmap(await answer.blob()) : null);
        if (answer.ok) wait_ms = EVERY_MS;
      } catch {
        // Without a connection the last picture stays, as everything on the page does.
      }
    }
    setTimeout(load, wait_ms);
  }

  void load();
  return () => (isWanted() ? latest : null);
}
