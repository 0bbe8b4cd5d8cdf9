// @ts-check
// The score: how many points each player has, and what the armies are called, as people at the table say it.

/** @import { FromPage, ScoreView, TurnView, View } from "../messages.js" */
import { block, el, foldout } from "../common/dom.js";
import { say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";

/**
 * Builds the entry; the function returned shows a view in it, while no unit is picked.
 * @param {HTMLElement} place @param {(message: FromPage) => unknown} send
 */
export function scoreEntry(place, send) {
  let open = false;
  const fill = block(place, (/** @type {{ scores: View["scores"], turn: TurnView | null } | null} */ told) => {
    const known = Object.entries(told?.scores ?? {});
    if (!known.length) return [];
    const now = known.map(([player, { points }]) => `${player} ${points}`).join(" : ");
    return [foldout({ key: "score", open, fold: (wide) => (open = wide) }, say("Score, {now}", { now }), ...known.map(([player, score]) => row(player, score)), told?.turn && rounds(told.turn))];
  });

  /** In how many rounds the game is played, which its mission says and nobody else knows. @param {TurnView} turn */
  function rounds(turn) {
    const said = el("input", {
      type: "number", min: "1", max: "20", step: "1", "data-key": "rounds", value: turn.rounds ? String(turn.rounds) : "", placeholder: "?",
      onchange: () => said.reportValidity() && said.value && send({ type: "rounds", rounds: Number(said.value) }),
    });
    return el("label", { class: "score" }, el("span", {}, say("Rounds in this game")), said);
  }

  /** @param {string} player @param {ScoreView} score */
  function row(player, { points, army }) {
    const tell = (/** @type {Partial<ScoreView>} */ changed) => send({ type: "score", player, points, army, ...changed });
    const add = (/** @type {number} */ by, /** @type {string} */ sign) =>
      el("button", { class: "small", "data-key": `${player} ${by}`, "aria-label": `${player} ${sign}`, onclick: () => tell({ points: points + by }) }, sign);
    const called = el("input", {
      "data-key": `${player} army`, "aria-label": say("{player}'s army", { player }), placeholder: say("Army"), maxlength: "80", value: army,
      onchange: () => called.value.trim() !== army && tell({ army: called.value.trim() }),
    });
    return el(
      "div",
      { class: "score", role: "group", "aria-label": say("{player}'s score", { player }) },
      el("strong", {}, player),
      el("output", { "aria-label": say("{player}'s points", { player }) }, String(points)),
      add(-1, "−1"),
      add(1, "+1"),
      add(5, "+5"),
      called,
    );
  }

  return (/** @type {View} */ view) =>
    fill(view.table.table && !onlyLooks(view) && !view.move.move?.unit && !view.restoring.restoring ? { scores: view.scores, turn: view.turn.turn ?? null } : null);
}
