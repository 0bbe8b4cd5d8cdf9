// @ts-check
// A table that is being put back: how far it has come, what is still to be done, and the way to end it.

/** @import { FromPage, PlaceView, RestoringView } from "../messages.js" */
import { el, icon } from "../common/dom.js";
import { named, say, sayCount } from "../common/language.js";

/** @typedef {{ restoring: RestoringView, places: Record<string, PlaceView>, frozen: boolean }} PutBack */

/** Signs beside the words. @type {Record<PlaceView["state"], string>} */
const SIGNS = { back: "legal", near: "too-close", off: "illegal", missing: "unobserved" };

/**
 * Builds the card.
 * @param {(message: FromPage) => unknown} send
 */
export function restoringEntry(send) {
  return (/** @type {PutBack | null} */ data) => {
    if (!data) return [];
    const { restoring, places, frozen } = data;
    const { when, count, back, note } = restoring;
    const left = count - back;
    const rows = Object.entries(places)
      .filter(([, { state }]) => state !== "back")
      .map(([model, { state, text }]) =>
        el("li", { "data-state": state }, icon(SIGNS[state]), el("span", { class: "grow" }, el("strong", {}, named(model)), ` ${text || wordsOf(state)}`)),
      );
    return [
      el("h2", {}, say("The table is being put back")),
      el("p", { class: "quiet" }, say("To {when}. Moving models now counts as no move.", { when })),
      el("p", { role: "status" }, el("strong", {}, left ? say("{back} of {count} models are back.", { back, count }) : say("All {count} models are back.", { count }))),
      note && el("p", { class: "warning" }, note),
      rows.length > 0 && el("ul", { class: "restoring" }, ...rows),
      !frozen &&
        el(
          "button",
          { class: left ? "" : "primary", "data-key": "restore-done", onclick: () => send({ type: "restore-done", missing: left }) },
          icon("legal"),
          left ? sayCount(left, "Done: one stays where it is", "Done: {n} stay where they are") : say("Done"),
        ),
    ];
  };
}

/** @param {PlaceView["state"]} state */
const wordsOf = (state) => (state === "missing" ? say("is not seen") : say("let go of it"));
