// @ts-check
// The table in words, for who does not see it: where each unit stands, brought up to date calmly.

/** @import { View } from "../messages.js" */
import { block, el, said } from "../common/dom.js";
import { say, sayCount } from "../common/language.js";
import { shownAs } from "../common/words.js";

const CALM_MS = 1500;

/** Builds the list; the function returned shows a view in it before long. @param {HTMLElement} place */
export function listing(place) {
  const fill = block(place, (/** @type {string[]} */ lines) => lines.map((line) => el("li", {}, line)));
  /** @type {View | null} */
  let due = null;
  let waiting = false;
  return (/** @type {View} */ view) => {
    due = view;
    if (waiting) return;
    waiting = true;
    setTimeout(
      () => {
        waiting = false;
        if (due) fill(Object.keys(due.units).map(lineOf(due)));
      },
      place.childElementCount ? CALM_MS : 0,
    );
  };
}

/** @param {View} view @returns {(id: string) => string} */
const lineOf = (view) => (id) => {
  const { models, player } = view.units[id];
  const length = view.table.table?.unit ?? "in";
  const standing = models.flatMap((model) => (view.models[model] ? [view.models[model]] : []));
  const count = sayCount(models.length, "1 model", "{n} models");
  if (!standing.length) return say("{id} of {player}: {count}, not on the table", { id, player, count });
  const mean = (/** @type {"x_mm" | "y_mm"} */ axis) => standing.reduce((sum, model) => sum + model[axis], 0) / standing.length;
  const place = (/** @type {number} */ mm) => said(Math.round(mm), length, 1);
  const hidden = standing.filter((model) => shownAs(model) !== "seen").length;
  const doubt = hidden ? say(", {hidden} not seen now", { hidden }) : "";
  return say("{id} of {player}: {count}, {left} from the left, {near} from the near edge{doubt}", {
    id,
    player,
    count,
    left: place(mean("x_mm")),
    near: place(mean("y_mm")),
    doubt,
  });
};
