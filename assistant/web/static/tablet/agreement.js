// @ts-check
// Measuring where the rulebook does not say that players may: asked once, then remembered.

import { el } from "../common/dom.js";

/** @param {() => void} changed  called once the players have agreed */
export function agreement(changed) {
  let given = false;
  return {
    given: () => given,
    /**
     * The question, and its two answers.
     * @param {string} note @param {string} yes @param {() => void} leave
     */
    ask: (note, yes, leave) => [
      el("p", { class: "warning" }, note),
      el(
        "div",
        { class: "buttons" },
        el("button", { class: "small", "data-key": "disagree", onclick: leave }, "Leave it"),
        el("button", { class: "small", "data-key": "agree", onclick: () => ((given = true), changed()) }, yes),
      ),
    ],
  };
}
