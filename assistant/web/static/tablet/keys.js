// @ts-check
// The tablet page by keys alone: each does what a press of a button of the page does.

/** @import { View } from "../messages.js" */
import { el } from "../common/dom.js";
import { say } from "../common/language.js";
import { toast } from "../common/toast.js";

/** What keys do, as it is told. */
const TOLD = [
  ["[ and ]", say("previous unit, next unit")],
  ["{ and }", say("previous model, next model of the unit")],
  ["1 to 9", say("choose the action with that number; while dice are asked for, enter one")],
  ["R", say("roll the dice that are asked for")],
  ["F", say("show the next finding on the table")],
  [say("Enter"), say("accept the move")],
  [say("Escape"), say("close what is open; put down a unit of which nothing has moved")],
  [say("Backspace, Ctrl+Z"), say("undo the last decision")],
  ["N", say("the next step of the turn")],
  ["M", say("measure; in it, Escape lets go and ends it")],
  ["T", say("show or hide the threat of the picked unit")],
  [say("Arrows, Q and E"), say("push and turn the picked model, on a virtual table")],
  ["+, − and 0", say("zoom in, zoom out, the whole table")],
  ["?", say("these keys")],
];

/**
 * What keys may do that no button does.
 * @typedef {object} Deeds
 * @property {() => View | null} view
 * @property {(model: string) => void} pick
 * @property {(factor: number) => void} zoom  about the middle; 0 shows the whole table
 */

/** Listens to keys wherever nothing is being typed. @param {Deeds} deeds */
export function keys({ view, pick, zoom }) {
  const help = el(
    "dialog",
    { class: "dialog", "aria-labelledby": "keys-title" },
    el("h2", { id: "keys-title" }, say("Keys")),
    el("dl", { class: "keys" }, ...TOLD.flatMap(([key, does]) => [el("dt", {}, key), el("dd", {}, does)])),
    el("button", { class: "primary", onclick: () => help.close() }, say("Done")),
  );
  document.body.append(help);

  /** Picks the unit, or the model of the unit, that follows the picked one. @param {number} step @param {boolean} within */
  function cycle(step, within) {
    const now = view();
    const move = now?.move.move;
    if (!now || !move) return;
    const unit = move.unit ? now.units[move.unit] : undefined;
    const models = within && unit ? unit.models : Object.values(now.units).map((each) => each.models[0]);
    const at = within && unit ? models.indexOf(move.model ?? "") : Object.keys(now.units).indexOf(move.unit ?? "");
    const next = models[at < 0 ? (step > 0 ? 0 : models.length - 1) : (at + step + models.length) % models.length];
    if (next !== undefined) pick(next);
  }

  /** Chooses an action, or enters a die where one is asked for. @param {number} number */
  function choose(number) {
    if (document.querySelector("#dice .pips")) return press(`#dice [data-key="die-${number}"]`);
    const action = document.querySelectorAll("#actions .action")[number - 1];
    if (!(action instanceof HTMLButtonElement)) return;
    if (action.disabled) toast(action.getAttribute("aria-description") || say("This action is not allowed now."));
    else action.click();
  }

  /** Shows the finding after the one that is shown. */
  function nextFinding() {
    const buttons = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll("#findings .finding [aria-pressed]")]);
    const at = buttons.findIndex((button) => button.getAttribute("aria-pressed") === "true");
    (buttons[at + 1] ?? buttons[at])?.click(); // after the last, none is shown
  }

  /** @type {Record<string, () => void>} */
  const does = {
    "[": () => cycle(-1, false),
    "]": () => cycle(1, false),
    "{": () => cycle(-1, true),
    "}": () => cycle(1, true),
    Enter: () => press('[data-key="accept"], [data-key="accept-anyway"]'),
    Escape: () => press(OPEN, () => press('[data-key="withdraw"][data-begun="false"]')),
    Backspace: () => press('[data-key="undo"]'),
    f: nextFinding,
    n: () => press('[data-key="go-on"]'),
    r: () => press('#dice [data-key="roll"]'),
    "+": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: () => zoom(0),
    "?": () => help.showModal(),
  };
  addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (document.querySelector("dialog[open]")) return;
    if (typing(target)) {
      if (key === "Escape" && target instanceof Element && target.closest(".agree")) does.Escape();
      return;
    }
    const deed = /^[1-9]$/.test(key) ? () => choose(Number(key)) : Object.hasOwn(does, key) ? does[key] : undefined;
    const undo = key === "z" && (ctrlKey || metaKey) ? does.Backspace : undefined;
    if (undo === undefined && (ctrlKey || metaKey || altKey)) return;
    if (key === "Enter" && target instanceof Element && target.closest("button, summary, a")) return;
    const wanted = undo ?? deed;
    if (!wanted) return;
    event.preventDefault();
    wanted();
  });
}

/** What closes what is open, the innermost first. */
const OPEN = '#findings [aria-pressed="true"], [data-key="overrule"][aria-expanded="true"], [data-key="keep-asking"]';

/** Presses a button if it is there and may be pressed. @param {string} selector @param {() => void} [otherwise] */
function press(selector, otherwise = () => {}) {
  const button = document.querySelector(selector);
  if (!(button instanceof HTMLButtonElement)) otherwise();
  else if (!button.disabled) button.click();
}

/** @param {EventTarget | null} target */
const typing = (target) => target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
