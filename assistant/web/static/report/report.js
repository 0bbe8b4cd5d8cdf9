// @ts-check
// The incident report as a page: what the PDF says, to be read on any screen and printed on one sheet.

/** @import { Drawing, Incident, Section } from "../messages.js" */
import { addressOf } from "../common/address.js";
import { byId, el, svg } from "../common/dom.js";
import { named, read, say } from "../common/language.js";
import { incident } from "../judge/past.js";

/** How wide a drawing is on paper, millimetres: its lines are given as wide as they are there. */
const PAPER_MM = 88;
/** How wide the picture of the part is that matters; the PDF's is as wide. */
const CLOSE_PX = 1200;

async function write() {
  try {
    const told = await incident(location.search);
    byId("sheet").replaceChildren(...report(told));
    document.title = say("Incident report, {game} – overtable", { game: told.title });
    byId("pdf").setAttribute("href", addressOf(`/report.pdf${location.search}`));
  } catch (error) {
    byId("sheet").replaceChildren(el("p", { role: "alert" }, error instanceof Error ? error.message : String(error)));
  }
}

/** @param {Incident} told */
function report(told) {
  const { drawing } = told;
  const outcome = read(told.outcome_said);
  const [figures, ...rest] = told.sections;
  const picture =
    told.picture_ns !== null && el("img", { src: pictureOf(told), alt: say(told.close ? "This part of the table as the camera saw it" : "The table as the camera saw it") });
  return [
    el("header", {}, el("h1", {}, say("Incident report")), el("span", {}, told.title), el("p", {}, read(told.at))),
    el("p", { class: "outcome", ...(told.outcome ? { "data-outcome": told.outcome } : {}) }, outcome[0].toUpperCase() + outcome.slice(1)),
    el("p", { class: "statement" }, named(told.statement)),
    el(
      "div",
      { class: "columns" },
      el(
        "div",
        {},
        drawn(drawing, [0, 0, drawing.width_mm, drawing.depth_mm], false),
        drawing.inset_mm && drawn(drawing, drawing.inset_mm, true),
      ),
      el("div", {}, el("figure", {}, picture, el("figcaption", {}, read(told.picture_said))), figures && section(figures)),
    ),
    ...rest.map(section),
    el("div", { class: "signatures" }, el("span", {}, say("Player")), el("span", {}, say("Player")), el("span", {}, say("Judge, time"))),
    el("p", { class: "foot" }, say("Made by overtable from the recording {recording}; lengths are measured on the table by the camera.", { recording: told.recording })),
  ];
}

/** Where the picture is of what matters, or else of the whole table. @param {Incident} told */
function pictureOf({ at_ns, close, drawing }) {
  if (!close || !drawing.inset_mm) return addressOf(`/past/picture.jpg?at_ns=${at_ns}`);
  const [left, bottom, right, top] = drawing.inset_mm;
  return addressOf(`/past/table.jpg?at_ns=${at_ns}&width_px=${CLOSE_PX}&left_mm=${left}&low_mm=${bottom}&width_mm=${right - left}&depth_mm=${top - bottom}`);
}

/** @param {Section} each */
const section = ({ title, rows }) =>
  el("section", {}, el("h2", {}, read(title)), el("dl", {}, ...rows.flatMap(({ label, text }) => [el("dt", {}, label), el("dd", {}, text)])));

/** @param {Drawing} drawing @param {[number, number, number, number]} part  left, bottom, right, top @param {boolean} inset */
function drawn({ width_mm, strokes, names, inset_mm }, [left, bottom, right, top], inset) {
  const paper = (right - left) / PAPER_MM; // of the table to one of the paper
  const points = (/** @type {[number, number][]} */ ring) => ring.map(([x, y]) => `${x},${top + bottom - y}`).join(" ");
  const shapes = strokes.flatMap(({ rings_mm, closed, fill, line, width_mm: wide, dash_mm }) =>
    rings_mm.map((ring) =>
      svg(closed ? "polygon" : "polyline", {
        points: points(ring),
        fill: (closed && fill) || "none",
        stroke: line,
        "stroke-width": wide * paper,
        "stroke-dasharray": dash_mm.map((mm) => mm * paper).join(" "),
      }),
    ),
  );
  const words = names
    .filter((name) => name.inset === inset)
    .map(({ text, x_mm, y_mm, room_mm }) => {
      const size = (inset ? 2.6 : 2.2) * paper;
      const node = svg("text", { x: x_mm, y: top + bottom - y_mm + size / 3, "font-size": Math.min(size, Math.max(size * 0.6, (1.7 * room_mm) / text.length)) });
      node.textContent = text;
      return node;
    });
  const [l, b, r, t] = inset_mm ?? [0, 0, 0, 0];
  const frame = svg("rect", { x: l, y: top + bottom - t, width: r - l, height: t - b, fill: "none", stroke: "#111", "stroke-width": 0.3 * paper });
  const drawing = svg(
    "svg",
    { viewBox: `${left} ${bottom} ${right - left} ${top - bottom}`, role: "img", "aria-label": inset ? say("What was measured, enlarged") : say("The table, {width} mm wide", { width: Math.round(width_mm) }) },
    ...shapes,
    ...words,
    ...(inset_mm && !inset ? [frame] : []),
  );
  return drawing;
}

byId("print").addEventListener("click", () => print());
write();
