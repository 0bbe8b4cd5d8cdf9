// @ts-check
// How far each model has come of what it may, and what is left: the judge's own number, while it still moves, too.

/** @import { FindingView, View, WayView } from "../messages.js" */
import { block, el, icon } from "../common/dom.js";
import { localised, named, say } from "../common/language.js";
import { come, leastLeft, rest } from "../common/way.js";

const SIGMAS = 2;

/** @typedef {{ ways: View["ways"], outcome: FindingView["outcome"] | null, length: "in" | "cm" }} Come  outcome: the whole move's */

/**
 * Builds the blocks; the function returned shows a view in them.
 * @param {HTMLElement} pinned  which is always in sight: the way of which the least is left
 * @param {HTMLElement} place  all of several ways
 */
export function waysLeft(pinned, place) {
  const least = block(pinned, (/** @type {Come} */ { ways, outcome, length }) => {
    const found = leastLeft(ways);
    return found ? [line(...found, outcome, length)] : [];
  });
  let unfolded = false;
  const fill = block(place, (/** @type {Come} */ { ways, outcome, length }) => {
    const all = Object.entries(ways);
    if (all.length < 2) return [];
    const rows = all.map(([id, way]) => line(id, way, outcome, length));
    const lefts = all.map(([, way]) => rest(way, length));
    const said = lefts.every((left) => left === lefts[0]) ? say("each {left}", { left: lefts[0] }) : say("one by one");
    return [el("details", { open: unfolded, ontoggle: (event) => (unfolded = /** @type {HTMLDetailsElement} */ (event.target).open) }, el("summary", {}, say("Distance left of {count} models, {said}", { count: all.length, said })), ...rows)];
  });
  return (/** @type {View} */ view) => {
    const come = { ways: view.ways, outcome: view.move.move?.outcome ?? null, length: view.table.table?.unit ?? "in" };
    least(come);
    fill(come);
  };
}

/** @param {string} id @param {WayView} way @param {Come["outcome"]} outcome @param {"in" | "cm"} length */
function line(id, way, outcome, length) {
  // A way that is short enough is no good news of a move that is not legal for another reason.
  const tone = way.outcome === "legal" && outcome && outcome !== "legal" ? "note" : way.outcome;
  const doubt = way.sigma_mm ? localised(`± ${(SIGMAS * way.sigma_mm).toFixed(1)} mm`) : "";
  return el(
    "div",
    { class: "way", "data-outcome": tone },
    icon(tone),
    el(
      "span",
      { class: "grow" },
      el("span", { class: "text" }, `${named(id)}: ${come(way, length)}, ${rest(way, length)}`),
      el("small", {}, [doubt, way.moving && say("still moving")].filter(Boolean).join(" · ")),
    ),
  );
}
