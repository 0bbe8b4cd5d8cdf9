// @ts-check
// How far a model has come of what it may, and how far things are apart, in words: the judge's own numbers.

/** @import { TapeView, View, WayView } from "../messages.js" */
import { said } from "./dom.js";
import { say } from "./language.js";

/** @typedef {"in" | "cm"} Length */

/** As many standard deviations are said. */
const SIGMAS = 2;
const TENTH_MM = { in: 2.54, cm: 1 };

/** What is left of a way, millimetres; negative where it is too long. @param {WayView} way */
const left = ({ limit_mm, measured_mm }) => limit_mm - measured_mm;

/** The model that has the least left, and its way; null while none has moved. @param {View["ways"]} ways @returns {[string, WayView] | null} */
export function leastLeft(ways) {
  const all = Object.entries(ways);
  return all.length ? all.reduce((a, b) => (left(b[1]) < left(a[1]) ? b : a)) : null;
}

/** As in "4.3" of 6"". @param {WayView} way @param {Length} length */
export const come = (way, length) => say("{measured} of {limit}", { measured: tenths(way.measured_mm, way, length), limit: said(way.limit_mm, length) });

/** As in "1.7" left", unless the figures do not decide it. @param {WayView} way @param {Length} length */
export function rest(way, length) {
  if (way.outcome === "too-close") return say("too close to call");
  if (way.outcome === "unobserved") return say("at least");
  return left(way) >= 0 ? say("{length} left", { length: tenths(left(way), way, length) }) : say("{length} too far", { length: tenths(-left(way), way, length) });
}

/** A length in tenths, or more finely where little is left. @param {number} mm @param {WayView} way @param {Length} unit */
function tenths(mm, way, unit) {
  const tenth = TENTH_MM[unit];
  return said(Math.abs(left(way)) < 2.5 ? mm : Math.round(mm / tenth) * tenth, unit);
}

/** A tape's length in words. @param {TapeView} tape @param {Length} unit */
export function lengthOf({ mm, sigma_mm, horizontal }, unit) {
  if (mm === null) return say("Not known now");
  const doubt = sigma_mm > 0 ? ` ± ${said(Math.max(SIGMAS * sigma_mm, unit === "cm" ? 0.1 : 0.254), unit)}` : "";
  const deep = mm < -SIGMAS * sigma_mm && mm < -0.1 ? say(", overlapping by {length}", { length: said(-mm, unit) }) : "";
  return `${said(Math.max(0, mm), unit)}${doubt}${horizontal ? say(" horizontal") : ""}${deep}`;
}
