// @ts-check
// How far each model has come of what it may, and what is left: the judge's own number, while it still moves, too.

/** @import { View, WayView } from "../messages.js" */
import { block, el, icon } from "../common/dom.js";
import { come, leastLeft, rest, ruledRest } from "../common/way.js";

const SIGMAS = 2;

/**
 * Builds the block; the function returned shows a view in it.
 * @param {HTMLElement} place
 */
export function waysLeft(place) {
  const fill = block(place, (/** @type {{ ways: View["ways"], length: "in" | "cm" }} */ { ways, length }) => {
    const all = Object.entries(ways);
    const found = leastLeft(ways);
    if (!found) return [];
    const [model, least] = found;
    return [
      el(
        "div",
        { class: "heading" },
        el("h3", { class: "grow" }, "Distance left"),
        all.length > 1 && el("span", { class: "quiet" }, `least: ${rest(least, length)} (${model})`),
      ),
      ...all.map(([id, way]) => line(id, way, length)),
    ];
  });
  return (/** @type {View} */ view) => fill({ ways: view.ways, length: view.table.table?.unit ?? "in" });
}

/** @param {string} id @param {WayView} way @param {"in" | "cm"} length */
function line(id, way, length) {
  const doubt = way.sigma_mm ? `± ${(SIGMAS * way.sigma_mm).toFixed(1)} mm` : "";
  return el(
    "div",
    { class: "way", "data-outcome": way.outcome },
    icon(way.outcome),
    el("span", { class: "grow" }, el("span", { class: "text" }, `${id}: ${come(way, length)}, ${ruledRest(way, length)}`), el("small", {}, [doubt, way.moving && "still moving"].filter(Boolean).join(" · "))),
  );
}
