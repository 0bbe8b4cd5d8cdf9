// @ts-check
// How far each model has come of what it may, and what is left: the judge's own number, while it still moves, too.

/** @import { View, WayView } from "../messages.js" */
import { block, el, icon, said } from "../common/dom.js";

const TENTH_MM = { in: 2.54, cm: 1 };
const SIGMAS = 2;

/** @typedef {{ ways: View["ways"], length: "in" | "cm" }} Come */

/**
 * Builds the blocks; the function returned shows a view in them.
 * @param {HTMLElement} pinned  which is always in sight: the way of which the least is left
 * @param {HTMLElement} place  all of several ways
 */
export function waysLeft(pinned, place) {
  const least = block(pinned, (/** @type {Come} */ { ways, length }) =>
    nearest(ways).map(([id, way]) => line(id, way, length)),
  );
  const fill = block(place, (/** @type {Come} */ { ways, length }) => {
    const all = Object.entries(ways);
    return all.length > 1 ? [el("h3", {}, "Distance left"), ...all.map(([id, way]) => line(id, way, length))] : [];
  });
  return (/** @type {View} */ view) => {
    const come = { ways: view.ways, length: view.table.table?.unit ?? "in" };
    least(come);
    fill(come);
  };
}

/** The way that is nearest to its limit, or past it by most. @param {View["ways"]} ways */
function nearest(ways) {
  const all = Object.entries(ways);
  return all.length ? [all.reduce((a, b) => (left(b[1]) < left(a[1]) ? b : a))] : [];
}

/** @param {string} id @param {WayView} way @param {"in" | "cm"} length */
function line(id, way, length) {
  const over = left(way);
  const come = `${tenths(way.measured_mm, way, length)} of ${said(way.limit_mm, length)}`;
  const rest =
    way.outcome === "too-close"
      ? "too close to call"
      : way.outcome === "unobserved"
        ? "at least"
        : over >= 0
          ? `${tenths(over, way, length)} left`
          : `${tenths(-over, way, length)} too far`;
  const doubt = way.sigma_mm ? `± ${(SIGMAS * way.sigma_mm).toFixed(1)} mm` : "";
  return el(
    "div",
    { class: "way", "data-outcome": way.outcome },
    icon(way.outcome),
    el("span", { class: "grow" }, el("span", { class: "text" }, `${id}: ${come}, ${rest}`), el("small", {}, [doubt, way.moving && "still moving"].filter(Boolean).join(" · "))),
  );
}

/** What is left of a way, millimetres; negative where it is too long. @param {WayView} way */
const left = ({ limit_mm, measured_mm }) => limit_mm - measured_mm;

/** A length in tenths, or more finely where little is left. @param {number} mm @param {WayView} way @param {"in" | "cm"} unit */
function tenths(mm, way, unit) {
  const tenth = TENTH_MM[unit];
  return said(Math.abs(left(way)) < 2.5 ? mm : Math.round(mm / tenth) * tenth, unit);
}
