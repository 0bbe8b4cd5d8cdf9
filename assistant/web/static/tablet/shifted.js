// @ts-check
// Terrain that was moved: how far, and whether it is taken as it lies or put back.

/** @import { FromPage, View } from "../messages.js" */
import { block, el, icon } from "../common/dom.js";
import { say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";

/**
 * Builds the cards; the function returned shows a view in them.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => unknown} send
 */
export function shiftedCards(place, send) {
  const fill = block(place, build);
  return (/** @type {View} */ view) => {
    const laying = new Set(view.laying.laying?.steps.map(({ id }) => id));
    const moved = Object.entries(view.shifted).filter(([piece]) => !laying.has(piece));
    fill({ moved, may: !onlyLooks(view) && !view.table.table?.replay });
  };

  /** @param {{ moved: [string, View["shifted"][string]][], may: boolean }} data */
  function build({ moved, may }) {
    return moved.map(([piece, { text }]) =>
      el("div", { class: "shifted", role: "group", "aria-label": piece },
        el("p", { role: "status" }, el("strong", {}, text)),
        may && el("div", { class: "chips" },
          el("button", { class: "primary", "data-key": `take-${piece}`, onclick: () => send({ type: "take-terrain", piece }) }, icon("legal"), say("Take it as it lies")),
          el("button", { "data-key": `lay-only-${piece}`, onclick: () => send({ type: "lay-begin", only: piece }) }, icon("projector"), say("Put it back")))));
  }
}
