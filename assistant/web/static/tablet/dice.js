// @ts-check
// The dice of a move: entered or rolled here, and taken back.

/** @import { ActionView, FromPage } from "../messages.js" */
/** @import { Told } from "./fields.js" */
import { el, icon } from "../common/dom.js";

/**
 * Builds the entry of dice: those that the action needs, or those that the move's own tests take.
 * @param {(message: FromPage) => void} send
 */
export const diceEntry =
  (send) =>
  (/** @type {{ told: Told, tests: number, action: ActionView }} */ { told, tests, action }) => {
    const { unit, model, rolls, intent } = told;
    const needed = Math.max(action.dice, tests);
    if (needed === 0 && rolls.length === 0) return [];
    const enter = (/** @type {number[]} */ now) =>
      send({ type: "declare", unit, model, action: told.action, rolls: now, intent });
    const title = `${action.label}: ${tests > 0 ? "the tests" : needed === 1 ? "the die" : `the ${needed} dice`}`;
    if (rolls.length >= needed) {
      return [
        el(
          "div",
          { class: "heading" },
          el("h3", { class: "grow" }, title),
          ...rolls.map((roll) => el("span", { class: "die" }, String(roll))),
          el("button", { class: "small", "data-key": "again", onclick: () => enter([]) }, "Change"),
        ),
      ];
    }
    const missing = needed - rolls.length;
    const sides = Array.from({ length: action.sides }, (_, side) => side + 1);
    return [
      el("h3", {}, rolls.length ? `${title} – ${rolls.join(", ")} and …` : title),
      ...(tests > 0 ? [el("p", { class: "quiet" }, `${missing} more to roll, here or on the table.`)] : []),
      el(
        "div",
        { class: "pips" },
        ...sides.map((n) =>
          el("button", { "data-key": `die-${n}`, "aria-label": `Rolled a ${n}`, onclick: () => enter([...rolls, n]) }, `${n}`),
        ),
        el(
          "button",
          { class: "roll", "data-key": "roll", onclick: () => enter([...rolls, ...roll(missing, action.sides)]) },
          icon("dice"),
          "Roll",
        ),
      ),
    ];
  };

/** @param {number} count @param {number} sides */
const roll = (count, sides) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
