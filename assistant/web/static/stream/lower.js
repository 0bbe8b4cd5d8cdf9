// @ts-check
// The lower third: who does what, and what the referee says of it.

/** @import { FindingView, View, WayView } from "../messages.js" */
import { block, el, icon, said } from "../common/dom.js";
import { say } from "../common/language.js";
import { acting } from "../common/reading.js";
import { come, leastLeft, rest } from "../common/way.js";
import { OUTCOMES, unitWords } from "../common/words.js";

/** Lengths that are nearer than this are one. */
const SAME_MM = 0.1;

/**
 * What there is to say; null while nobody does anything.
 * @param {View} view
 */
export function toldOf(view) {
  const [move, player] = [view.move.move, acting(view)];
  if (!player || !move.unit) return null;
  const action = move.action ? view.actions[move.action] : undefined;
  const decided = move.moved.length ? move.outcome : null;
  const length = view.table.table.unit;
  const way = leastLeft(view.ways)?.[1];
  const why = Object.values(view.findings).find((finding) => finding.outcome === decided && decided !== "legal");
  return {
    player,
    paint: view.palette[`side-${(Object.values(view.units).find((unit) => unit.player === player)?.side ?? 0) % 4}`]?.stroke ?? "",
    unit: unitWords(move.unit, view.units[move.unit]),
    // How far the model has come is said beside it.
    action: (way && why && isOf(way, why) ? undefined : why?.text) ?? action?.label ?? "",
    left: way ? [rest(way, length), come(way, length)] : action?.limit_mm ? [said(action.limit_mm, length), say("may move")] : null,
    outcome: decided ?? null,
  };
}

/** Whether a finding says how long a way is. @param {WayView} way @param {FindingView} finding */
const isOf = (way, { measured_mm, limit_mm }) => limit_mm === way.limit_mm && Math.abs((measured_mm ?? Infinity) - way.measured_mm) < SAME_MM;

/**
 * Builds the lower third; the function returned shows a view in it.  It leaves with what it said last, and each of its
 * parts is drawn anew by itself: while a figure runs, the verdict beside it stands still.
 * @param {HTMLElement} place
 */
export function lowerThird(place) {
  const side = el("div", { class: "side" });
  const [what, left, verdict] = ["what", "left", "said"].map((name) => el("div", { class: name }));
  place.replaceChildren(side, what, left, verdict);
  const fillWhat = block(what, (/** @type {string[]} */ [unit, about]) => [el("strong", {}, unit), el("small", {}, about)]);
  const fillLeft = block(left, (/** @type {string[]} */ [rest, of]) => [el("strong", {}, rest), el("small", {}, of)]);
  const fillVerdict = block(verdict, (/** @type {keyof typeof OUTCOMES} */ outcome) => [icon(outcome), el("span", {}, OUTCOMES[outcome])]);
  /** @param {NonNullable<ReturnType<typeof toldOf>>} told */
  const fill = (told) => {
    side.style.background = told.paint;
    fillWhat([told.unit, told.action || told.player]);
    left.hidden = !told.left;
    if (told.left) fillLeft(told.left);
    verdict.hidden = !told.outcome;
    if (!told.outcome) return;
    verdict.dataset.outcome = told.outcome;
    fillVerdict(told.outcome);
  };
  /** @param {View} view */
  return (view) => {
    const told = toldOf(view);
    if (told) fill(told);
    place.dataset.shown = String(told !== null);
  };
}
