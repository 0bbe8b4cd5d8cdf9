// @ts-check
// Laying the table: which piece comes next and where, a tick for each that lies, and the light shows the rest.

/** @import { FromPage, LayingView, View } from "../messages.js" */
import { block, el, icon, svg } from "../common/dom.js";
import { say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";

/**
 * Builds the card; the function returned shows a view in it.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => unknown} send
 */
export function layingCard(place, send) {
  const fill = block(place, build);
  return (/** @type {View} */ view) => {
    const now = view.laying.laying ?? null;
    const begun = Boolean(view.turn.turn || view.move.move?.unit || view.restoring.restoring);
    const any = Object.keys(view.terrain).length > 0 || Object.values(view.shapes).some(({ layer }) => layer === "objective");
    fill({ now, offered: !now && !begun && any && !view.table.table?.replay, may: !onlyLooks(view) });
  };

  /** @param {{ now: LayingView | null, offered: boolean, may: boolean }} data */
  function build({ now, offered, may }) {
    if (!now) {
      return offered && may
        ? [el("button", { "data-key": "lay-begin", onclick: () => send({ type: "lay-begin" }) }, icon("projector"), say("Lay the table step by step"))]
        : [];
    }
    const left = now.steps.filter(({ lies }) => !lies).length;
    const said = left ? say("{n} of {count} lie.", { n: now.steps.length - left, count: now.steps.length }) : say("All {count} lie where they belong.", { count: now.steps.length });
    return [
      el("div", { class: "heading" },
        el("h2", { class: "grow" }, say("Lay the table")),
        may && el("button", { class: left ? "small" : "small primary", "data-key": "lay-end", onclick: () => send({ type: "lay-end" }) }, say("Done"))),
      el("p", { role: "status" }, el("strong", {}, said), left ? say(" Put the next piece on its outline; lines go on beyond its corners.") : ""),
      ...now.steps.filter(({ id }) => may && id === now.following).map(({ id, number }) =>
        el("button", { class: "primary", "data-key": "lay-next", onclick: () => send({ type: "lay-tick", step: id, lies: true }) },
          icon("legal"), say("{number} {id} lies", { number, id }))),
      ...now.steps.filter(({ id, learns }) => may && learns && id === now.following).map(({ id }) =>
        el("button", { class: "small", "data-key": `learn-${id}`, onclick: () => send({ type: "lay-learn", step: id }) },
          say("{id} lies right: learn where its mark is on it", { id }))),
      el("ol", { class: "laying" }, ...now.steps.map((step) => row(step, step.id === now.following, may))),
    ];
  }

  /** @param {LayingView["steps"][number]} step @param {boolean} next @param {boolean} may */
  function row({ id, number, outlines_mm, lies, note }, next, may) {
    return el("li", { "data-lies": String(lies), "data-next": String(next) },
      el("button", {
        class: "row",
        "data-key": `lay-${id}`,
        "aria-pressed": String(lies),
        "aria-label": say("{number}: {id} lies", { number, id }),
        disabled: !may,
        onclick: () => send({ type: "lay-tick", step: id, lies: !lies }),
      },
      el("span", { class: "number" }, String(number)),
      sketch(outlines_mm),
      el("strong", { class: "grow" }, id),
      lies ? icon("legal") : note || next ? el("small", {}, note || say("next")) : null));
  }
}

/** A small picture of a piece, as it lies on the table. @param {LayingView["steps"][number]["outlines_mm"]} outlines */
function sketch(outlines) {
  const [xs, ys] = [0, 1].map((axis) => outlines[0].map((point) => point[axis]));
  const [left, low] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - low];
  const side = Math.max(wide, high, 1);
  const [x, y] = [-(side - wide) / 2 - side * 0.05, -(side - high) / 2 - side * 0.05];
  const rings = outlines.map((ring) => svg("polygon", { points: ring.map(([px, py]) => `${px - left},${low + high - py}`).join(" ") }));
  return svg("svg", { class: "sketch", viewBox: `${x} ${y} ${side * 1.1} ${side * 1.1}`, "aria-hidden": "true" }, ...rings);
}
