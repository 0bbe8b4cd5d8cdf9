// @ts-check
// The legend: what is drawn on the table now, each with a sample of it; nothing that is not there is explained.

/** @import { PaintView, View } from "../messages.js" */
import { block, byId, el, icon, svg } from "../common/dom.js";
import { say } from "../common/language.js";

const SAMPLE_PX = [44, 24];
/** How long a line is drawn, millimetres to pixels. */
const SCALE = 0.7;

/** What is drawn in a style, by the style's name or what it begins with; the first that fits. @type {[string, string][]} */
const WORDS = [
  ["zone", say("Where the middle of the picked model’s base may end")],
  ["band", say("How far another action leads, with the dice that it takes")],
  ["threat", say("What a unit may come to threaten with its next move")],
  ["engagement", say("Within engagement range of an enemy")],
  ["coherency", say("Models near enough to each other for coherency")],
  ["halo", say("The base must reach in here to be in coherency")],
  ["break", say("Out of coherency")],
  ["named", say("Whom the move names")],
  ["deployment", say("Deployment zone of a player, in the player’s colour")],
  ["objective-range", say("Range of an objective")],
  ["objective", say("Objective")],
  ["laying-next", say("To be laid now")],
  ["laying-to-come", say("To be laid later")],
  ["laying-done", say("Lies where it belongs")],
  ["ghost", say("Where a model stood before it moved")],
  ["path-unseen", say("Part of a path that the camera did not see")],
  ["path-last", say("Path of the move that was accepted last")],
  ["path-legal", say("Path of a move that is legal")],
  ["path-illegal", say("Path of a move that is not legal")],
  ["path-too-close", say("Path of a move that is too close to call")],
  ["path-unobserved", say("Path of a move that is not decided")],
  ["path", say("Path of a model that moved")],
  ["restore-way", say("Which way a model has to go back")],
  ["restore-back", say("A model that is back in its place")],
  ["restore", say("Where a model is to be put back")],
  ["stop", say("Where the move ends instead")],
  ["way-legal", say("A model that moved: how far it came, and what is left")],
  ["way-illegal", say("A model whose move is not legal: how far it came")],
  ["way-too-close", say("A model whose length of way is too close to call")],
  ["way-unobserved", say("A model that moved at least so far")],
  ["tape", say("What somebody measures, edge to edge")],
  ["witness-legal", say("What the referee measured: legal")],
  ["witness-illegal", say("What the referee measured: not legal")],
  ["witness-too-close", say("What the referee measured: too close to call")],
  ["witness-unobserved", say("What the referee measured: not decided, as the path was not seen")],
  ["witness-note", say("What the referee measured: worth knowing")],
];

/** Builds the button and what it opens; the function returned shows a view in it. */
export function legend() {
  /** @type {View | null} */
  let view = null;
  const list = el("ul", { class: "legend" });
  const dialog = el(
    "dialog",
    { class: "dialog", "aria-labelledby": "legend-title" },
    el("h2", { id: "legend-title" }, say("What is drawn")),
    list,
    el("p", {}, el("a", { href: "/help/guide/playing", target: "_blank" }, say("How to play with it: the guide"))),
    el("button", { class: "primary", onclick: () => dialog.close() }, say("Done")),
  );
  document.body.append(dialog);
  const fill = block(list, (/** @type {Entry[]} */ entries) => entries.map(row));
  byId("explain").append(
    el("button", { "data-key": "legend", onclick: () => (refresh(), dialog.showModal()) }, icon("note"), el("span", {}, say("Legend"))),
  );

  function refresh() {
    if (view) fill(entriesOf(view));
  }

  return (/** @type {View} */ now) => {
    view = now;
    if (dialog.open) refresh();
  };
}

/** @typedef {{ paint: PaintView, closed: boolean, round: boolean, words: string }} Entry */

/** What is drawn in a view, and what it means. @param {View} view @returns {Entry[]} */
export function entriesOf({ units, models, shapes, palette }) {
  const sides = new Map(Object.values(units).map(({ side, player }) => [`side-${side % 4}`, player]));
  const players = [...sides].map(([style, player]) => ({ style, closed: true, round: true, words: say("A model of {player}; the wedge is its front", { player }) }));
  const unseen = Object.values(models).some(({ state }) => state !== "seen");
  const dashed = unseen ? [{ style: "unseen", closed: true, round: true, words: say("Dashed: the camera does not see it now") }] : [];
  const styles = new Map(Object.values(shapes).map(({ style, closed }) => [style, closed]));
  const drawn = [...styles].flatMap(([style, closed]) => {
    const known = WORDS.find(([name]) => style === name || style.startsWith(`${name}-`));
    return known ? [{ style, closed, round: false, words: known[1] }] : [];
  });
  const order = (/** @type {{ words: string }} */ { words }) => WORDS.findIndex(([, each]) => each === words);
  drawn.sort((a, b) => order(a) - order(b));
  return [...players, ...dashed, ...drawn].map(({ style, ...entry }) => ({
    ...entry,
    paint: palette[style] ?? { stroke: "#b9b6ae", fill: "", width_mm: 2, dash_mm: [5, 4], hatch: "" },
  }));
}

/** @param {Entry} entry */
const row = ({ paint, closed, round, words }) => el("li", {}, sample(paint, closed, round), el("span", {}, words));

/** A piece of what is drawn. @param {PaintView} paint @param {boolean} closed @param {boolean} round */
function sample({ stroke, fill, width_mm, dash_mm }, closed, round) {
  const [w, h] = SAMPLE_PX;
  const look = {
    stroke,
    fill: closed && fill ? fill : "none",
    "stroke-width": Math.max(1.5, SCALE * width_mm),
    "stroke-dasharray": dash_mm.map((mm) => SCALE * mm).join(" "),
  };
  const mark = round
    ? svg("circle", { cx: w / 2, cy: h / 2, r: h / 2 - 3, ...look })
    : closed
      ? svg("rect", { x: 3, y: 3, width: w - 6, height: h - 6, rx: 4, ...look })
      : svg("line", { x1: 3, y1: h / 2, x2: w - 3, y2: h / 2, ...look });
  return svg("svg", { viewBox: `0 0 ${w} ${h}`, width: w, height: h, "aria-hidden": "true" }, mark);
}
