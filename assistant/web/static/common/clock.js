// @ts-check
// Times as a clock shows them.

/** A time since the beginning, as a clock. @param {number} at_ns @param {boolean} [tenths] */
export function clock(at_ns, tenths = true) {
  const all = Math.floor(at_ns / 1e8);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const text = `${Math.floor(all / 36000)}:${two(Math.floor(all / 600) % 60)}:${two(Math.floor(all / 10) % 60)}`;
  return tenths ? `${text}.${all % 10}` : text;
}

/** Seconds as a clock; of what is over, those since then. @param {number} seconds */
export const clockOf = (seconds) => clock(Math.abs(Math.round(seconds)) * 1e9, false);
