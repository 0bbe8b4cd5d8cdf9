// @ts-check
// The scene that a demo's script plays: its caption, the ruling, and the way to take over.

/** @import { FromPage, SceneView, View } from "../messages.js" */
import { block, el, icon } from "./dom.js";
import { say } from "./language.js";
import { OUTCOMES } from "./words.js";
import { AT_THE_TABLE } from "./you.js";

/**
 * Builds the strip above a page's content; the function returned shows a view in it.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => void} send
 */
export function sceneStrip(place, send) {
  const fill = block(place, (/** @type {SceneView | null} */ scene) => {
    if (!scene) return [];
    return [
      scene.playing && el("span", { class: "chip" }, say("Demo {number} of {count}", { number: scene.number, count: scene.count })),
      el("span", { class: "grow" }, el("strong", {}, scene.caption), el("small", {}, scene.ruling)),
      scene.outcome &&
        el("span", { class: "ruling", "data-outcome": scene.outcome }, icon(scene.outcome), OUTCOMES[scene.outcome]),
      scene.playing &&
        el(
          "button",
          { class: "small", "data-key": "take-over", "data-for": AT_THE_TABLE, onclick: () => send({ type: "take-over" }) },
          say("Take over"),
        ),
    ];
  });
  /** @param {View} view */
  return (view) => {
    const scene = view.scene.scene ?? null;
    place.hidden = scene === null;
    fill(scene);
  };
}
