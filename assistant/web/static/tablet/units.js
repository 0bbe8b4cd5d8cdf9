// @ts-check
// The units to pick from, and the one that is picked.

/** @import { FromPage, PaintView, View } from "../messages.js" */
import { el } from "../common/dom.js";
import { named, say, sayCount } from "../common/language.js";
import { shownAs, statusWords, unitWords } from "../common/words.js";

/** Builds the list of units. @param {(message: FromPage) => unknown} send */
export function unitEntry(send) {
  return unitList;

  /** @param {{ units: View["units"], palette: View["palette"], frozen: boolean, hint: string, player: string | null, done: string[] } | null} data  player: whose turn it is */
  function unitList(data) {
    if (!data) return [];
    const first = (/** @type {string} */ player) => Number(player !== data.player);
    const players = [...new Set(Object.values(data.units).map((unit) => unit.player))].sort((a, b) => first(a) - first(b));
    const acted = (/** @type {string} */ id) => Number(data.done.includes(id));
    return [
      el("p", { class: "quiet" }, data.hint),
      ...players.flatMap((player) => [
        el("h2", {}, player === data.player ? say("{player}, whose turn it is", { player }) : player),
        ...Object.entries(data.units)
          .filter(([, unit]) => unit.player === player)
          .sort(([a], [b]) => acted(a) - acted(b))
          .map(([id, unit]) =>
            el(
              "button",
              { class: "row", "data-key": id, disabled: data.frozen, onclick: () => send({ type: "declare", unit: id }) },
              dot(data.palette[`side-${unit.side % 4}`] ?? null),
              el("span", { class: "grow" }, el("strong", {}, unitWords(id, unit)), el("small", {}, about(unit, data.done.includes(id), usual(data.units, player)))),
              el("span", { class: "count" }, sayCount(unit.models.length, "1 model", "{n} models")),
            ),
          ),
      ]),
    ];
  }
}

/** @param {{ id: string, unit: View["units"][string], model: string | null, paint: PaintView | null, states: string[] } | null} data */
export function pickedUnit(data) {
  if (!data) return [];
  const { unit } = data;
  return [
    el(
      "div",
      { class: "heading" },
      dot(data.paint),
      el("h2", { class: "grow" }, unitWords(data.id, unit)),
      el("span", { class: "quiet" }, [data.model && named(data.model), unit.player, ...unit.status.map(statusWords)].filter(Boolean).join(" · ")),
    ),
    unit.off.length > 0 && el("p", { class: "note" }, say("Not on the table: {off}.", { off: unit.off.map(named).join(", ") })),
    ...data.states.map((text) => el("p", { class: "warning" }, text)),
  ];
}

/** How the models of a unit's side are painted. @param {View} view @param {string} unit */
export const paintOf = (view, unit) => view.palette[`side-${view.units[unit].side % 4}`] ?? null;

/**
 * What is worth knowing of a unit in a list; what it may do only where that is not what most may.
 * @param {View["units"][string]} unit @param {boolean} done @param {string} most  what most of its player's units may do
 */
function about(unit, done, most) {
  const known = [done && say("has acted"), ...unit.status.map(statusWords), ...unit.keywords].filter(Boolean).join(", ");
  const may = unit.may.join(", ");
  return may && may !== most ? say("{known} – may: {may}", { known, may }) : known;
}

/** What most units of a player may do. @param {View["units"]} units @param {string} player */
function usual(units, player) {
  const all = Object.values(units).filter((unit) => unit.player === player).map((unit) => unit.may.join(", "));
  const often = (/** @type {string} */ may) => all.filter((each) => each === may).length;
  const most = all.reduce((a, b) => (often(b) > often(a) ? b : a), "");
  return often(most) > 1 ? most : "";
}

/** What the camera cannot vouch for. @param {View} view @param {string} unit */
export function states(view, unit) {
  const says = {
    seen: "",
    held: say("is hidden; this is its last known place"),
    lifted: say("is lifted"),
    lost: say("has been hidden for long; its place is not certain"),
    unseen: say("has not been seen by the camera yet"),
  };
  const models = view.units[unit].models.filter((id) => view.models[id]);
  const unseen = models.filter((id) => shownAs(view.models[id]) === "unseen" && !view.hindrances[id]);
  const together = unseen.length > 1 ? unseen : [];
  return [
    ...(together.length ? [say("{count} models have not been seen by the camera yet", { count: together.length })] : []),
    ...models
      .filter((id) => says[shownAs(view.models[id])] && !together.includes(id))
      .map((id) => `${named(id)} ${says[shownAs(view.models[id])]}${whyOf(view, id)}`),
  ];
}

/** Why the camera does not find a model, as far as it can tell. @param {View} view @param {string} id */
const whyOf = ({ hindrances }, id) => (hindrances[id] ? ` (${hindrances[id].short})` : "");

/** A spot in a player's colour. @param {PaintView | null} paint */
function dot(paint) {
  const spot = el("span", { class: "dot", "aria-hidden": "true", "data-hatch": paint?.hatch ?? "" });
  if (paint) {
    spot.style.backgroundColor = paint.fill;
    spot.style.color = paint.stroke;
  }
  return spot;
}
