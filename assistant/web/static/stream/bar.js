// @ts-check
// The bar: who plays with what, the score, the round, the turn and the clock.

/** @import { View } from "../messages.js" */
import { block, el } from "../common/dom.js";
import { say } from "../common/language.js";
import { roundOf } from "../common/words.js";

/**
 * What the bar says; null while nobody plays.
 * @param {View} view
 */
export function barOf(view) {
  const players = Object.entries(view.scores).sort(([, a], [, b]) => a.side - b.side);
  if (!players.length) return null;
  const [turn, clock] = [view.turn.turn, view.clock.clock];
  const isScored = players.some(([, { points }]) => points !== 0);
  return {
    players: players.map(([player, { side, points, army }]) => ({
      player,
      army,
      paint: view.palette[`side-${side % 4}`]?.stroke ?? "",
      points: isScored ? points : null,
      time: turn && clock ? clockOf(clock.turns_s[player] ?? 0) : "",
      acts: turn?.player === player,
    })),
    round: turn ? roundOf(turn) : "",
    step: turn?.step ?? "",
    played: clock ? clockOf(clock.played_s) : "",
  };
}

/** @param {number} all_s */
export function clockOf(all_s) {
  const [hours, minutes] = [Math.floor(all_s / 3600), Math.floor(all_s / 60) % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(all_s % 60)}`;
}

/** @typedef {NonNullable<ReturnType<typeof barOf>>} Told */

/**
 * Builds the bar; the function returned shows a view in it.
 * @param {HTMLElement} place
 */
export function scoreBar(place) {
  const fill = block(place, (/** @type {Told} */ told) => {
    const half = Math.ceil(told.players.length / 2);
    return [
      ...told.players.slice(0, half).map((each) => player(each, "left")),
      el(
        "div",
        { class: "middle" },
        el("strong", {}, told.round || told.played),
        el("small", {}, told.round ? [told.step, told.played].filter(Boolean).join(" · ") : say("played")),
      ),
      ...told.players.slice(half).map((each) => player(each, "right")),
    ];
  });
  return (/** @type {View} */ view) => {
    const told = barOf(view);
    if (told) fill(told);
    place.dataset.shown = String(told !== null);
  };
}

/** @param {Told["players"][number]} told @param {"left" | "right"} side */
function player({ player: name, army, paint, points, time, acts }, side) {
  const colour = el("div", { class: "side" });
  colour.style.background = paint;
  const below = [time, army].filter(Boolean).join(" · ");
  return el(
    "div",
    { class: "player", "data-side": side, "data-acts": String(acts) },
    colour,
    el("div", { class: "who" }, el("strong", {}, name), below && el("small", {}, below)),
    points !== null && el("output", {}, String(points)),
  );
}
