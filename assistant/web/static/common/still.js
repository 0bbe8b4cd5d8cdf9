// @ts-check
// What stands still is not drawn anew: a picture that is painted again without need flickers, and costs a machine its rest.

/** What moves by less than this (mm) lies where it is drawn: light is known no better, and a tenth of it is a camera's unrest. */
const STILL_MM = 0.5;

/**
 * Returns what says whether anything is to be drawn that was not drawn last; it then counts as drawn.
 * @returns {(now: { placed: unknown, exact: unknown }) => boolean}  numbers in `placed` are millimetres
 */
export function still() {
  /** @type {{ placed: unknown, exact: unknown } | null} */
  let drawn = null;
  return (now) => {
    if (drawn && alike(drawn.exact, now.exact, 0) && alike(drawn.placed, now.placed, STILL_MM)) return false;
    drawn = now;
    return true;
  };
}

/** Whether two values are the same but for numbers that differ by no more than some. @param {any} a @param {any} b @param {number} by @returns {boolean} */
export function alike(a, b, by) {
  if (a === b) return true;
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= by;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && alike(a[key], b[key], by));
}
