// @ts-check
// Whose turn it is, and what takes it on or back.

/** @import { FromPage, TurnView } from "../messages.js" */
import { el, icon } from "../common/dom.js";
import { say, sayCount } from "../common/language.js";
import { GAME_OVER } from "../common/sharing.js";
import { roundOf } from "../common/words.js";

/**
 * Builds the bar of the turn.
 * @param {(message: FromPage) => unknown} send
 */
export function turnEntry(send) {
  return turnBar;

  /** @param {{ turn: TurnView | null, can_undo: boolean, contenders: string[], counts: boolean, frozen: boolean, decided: number } | null} data  it counts by itself where nobody is to go first */
  function turnBar(data) {
    if (!data || (data.frozen && !data.turn)) return [];
    const { turn, can_undo, contenders, counts, frozen, decided } = data;
    return [
      el(
        "div",
        { class: "heading" },
        turn
          ? el("span", { class: "grow" }, el("strong", {}, say("{player}, turn {number}", { player: turn.player, number: turn.number })), el("small", {}, `${roundOf(turn)} · ${turn.step}`))
          : el("span", { class: "grow quiet" }, say("No turns yet.")),
        !frozen &&
          el(
            "button",
            { class: "small", "data-key": "undo", disabled: !can_undo, onclick: () => send({ type: "undo", decided }) },
            icon("back"),
            say("Undo"),
          ),
        !frozen &&
          counts &&
          el(
            "button",
            { class: "small", "data-key": "go-on", onclick: () => send({ type: "go-on", decided }) },
            turn ? (turn.following ? say("Next: {following}", { following: turn.following }) : say("Next")) : say("Track turns"),
          ),
      ),
      ...(turn?.last
        ? [
            el("p", { class: "quiet" }, turn.rounds === null ? "" : sayCount(turn.rounds, "This is the last turn of 1 round.", "This is the last turn of {n} rounds.")),
            el("button", { class: "primary", "data-key": "game-over", onclick: () => document.dispatchEvent(new Event(GAME_OVER)) }, say("The game is over")),
          ]
        : []),
      ...(frozen || !contenders.length
        ? []
        : [
            el("p", { class: "quiet" }, turn ? say("Who goes first in the next turn?") : say("To track turns: who goes first?")),
            el("div", { class: "chips" }, ...contenders.map((player) => priority(player, decided))),
          ]),
    ];
  }

  /** Begins the turn in which a player goes first. @param {string} player @param {number} decided */
  function priority(player, decided) {
    const goOn = () => send({ type: "go-on", player, decided });
    return el("button", { class: "small", "data-key": `first-${player}`, onclick: goOn }, say("{player} has priority", { player }));
  }
}
