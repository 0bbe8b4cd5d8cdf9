// @ts-check
// The dice of a move: entered or rolled here, and taken back.

/** @import { ActionView, FromPage } from "../messages.js" */
/** @import { Told } from "./fields.js" */
import { el, icon } from "../common/dom.js";
import { say, sayCount } from "../common/language.js";

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
    const title = `${action.label}: ${tests > 0 ? say("the tests") : sayCount(needed, "the die", "the {n} dice")}`;
    if (rolls.length >= needed) {
      return [
        el(
          "div",
          { class: "heading" },
          el("h3", { class: "grow" }, title),
          ...rolls.map((roll) => el("span", { class: "die" }, String(roll))),
          el("button", { class: "small", "data-key": "again", onclick: () => enter([]) }, say("Change")),
        ),
      ];
    }
    const missing = needed - rolls.length;
    const sides = Array.from({ length: action.sides }, (_, side) => side + 1);
    return [
      el("h3", {}, rolls.length ? say("{title} – {rolls} and …", { title, rolls: rolls.join(", ") }) : title),
      ...(tests > 0 ? [el("p", { class: "quiet" }, say("{missing} more to roll, here or on the table.", { missing }))] : []),
      el(
        "div",
        { class: "pips" },
        ...sides.map((n) =>
          el("button", { "data-key": `die-${n}`, "aria-label": say("Rolled a {n}", { n }), onclick: () => enter([...rolls, n]) }, `${n}`),
        ),
        el(
          "button",
          { class: "roll", "data-key": "roll", onclick: () => enter([...rolls, ...roll(missing, action.sides)]) },
          icon("dice"),
          say("Roll"),
        ),
      ),
    ];
  };

/** @param {number} count @param {number} sides */
const roll = (count, sides) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
