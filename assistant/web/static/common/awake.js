// @ts-check
// Keeps the screen from going dark by itself while the page is shown, where the browser can.

export function stayAwake() {
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {}); // it may be refused
  };
  document.addEventListener("visibilitychange", ask); // a hidden page loses it
  ask();
}
