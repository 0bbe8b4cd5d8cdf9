// @ts-check
// Times as a hall's pages show them.

/** @param {number} seconds  what is over is counted up from nothing */
export function clockOf(seconds) {
  const s = Math.abs(Math.round(seconds));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}
