// @ts-check
// A better lens that the tags on the table tell of: offered between moves, and taken or not.

/** @import { FromPage, View } from "../messages.js" */
import { block, el, icon } from "../common/dom.js";
import { say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";

/**
 * Builds the card; the function returned shows a view in it.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => unknown} send
 */
export function refinementCard(place, send) {
  const fill = block(place, build);
  return (/** @type {View} */ view) => fill({ refinement: view.refinement.lens, may: !onlyLooks(view) });

  /** @param {{ refinement: View["refinement"][string] | undefined, may: boolean }} data */
  function build({ refinement, may }) {
    if (!refinement) return [];
    const { text, offered } = refinement;
    return [
      el("div", { class: "shifted", role: "group", "aria-label": say("A better lens") },
        el("p", { role: "status" }, offered && el("strong", {}, say("The table can be measured better. ")), text),
        offered && may && el("div", { class: "chips" },
          el("button", { "data-key": "use-lens", onclick: () => send({ type: "refinement-use" }) }, icon("legal"), say("Use it")),
          el("button", { "data-key": "decline-lens", onclick: () => send({ type: "refinement-decline" }) }, say("Not now")))),
    ];
  }
}
