// @ts-check
// Keeps the screen from going dark by itself while the page is shown, where the browser can.

/** @param {() => boolean} [wanted]  asked again whenever the function that is returned is called */
export function stayAwake(wanted = () => true) {
  /** @type {WakeLockSentinel | null} */
  let held = null;
  const ask = async () => {
    if (!wanted()) {
      void held?.release();
      held = null;
    } else if (document.visibilityState === "visible" && (held === null || held.released)) {
      held = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null; // it may be refused
      if (!wanted()) void ask();
    }
  };
  document.addEventListener("visibilitychange", ask); // a hidden page loses it
  void ask();
  return ask;
}
