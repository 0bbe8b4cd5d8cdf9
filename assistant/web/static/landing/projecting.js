// @ts-check
// The projector on the start page: its calibration, how good it is, moving the light by hand, and how it is set.

/** @import { FromPage, LightErrorView, ProjectorView, TableView, View } from "../messages.js" */
import { block, byId, el } from "../common/dom.js";
import { say } from "../common/language.js";
import { lightingControls } from "../common/lighting.js";
import { nudgeOf } from "../common/nudge.js";

/** @type {[string, string, FromPage][]} */
const NUDGES = [
  ["↑", say("Away by 1 mm"), { type: "nudge-light", y_mm: 1 }],
  ["↓", say("Nearer by 1 mm"), { type: "nudge-light", y_mm: -1 }],
  ["←", say("Left by 1 mm"), { type: "nudge-light", x_mm: -1 }],
  ["→", say("Right by 1 mm"), { type: "nudge-light", x_mm: 1 }],
  ["↺", say("Turn left"), { type: "nudge-light", turn_deg: 0.02 }],
  ["↻", say("Turn right"), { type: "nudge-light", turn_deg: -0.02 }],
  ["+", say("Larger"), { type: "nudge-light", scale: 1.0005 }],
  ["−", say("Smaller"), { type: "nudge-light", scale: 1 / 1.0005 }],
];
/** Two standard deviations below this are not worth a word. */
const DOUBTFUL_MM = 0.5;
const STEPS = { page: 0, dark: 1, first: 2, second: 3, measured: 4 };

/**
 * Builds the card; the function returned shows a view in it.
 * @param {(message: FromPage) => void} send
 */
export function projectorCard(send) {
  const fill = block(byId("lamp"), (/** @type {{ now: ProjectorView, table: TableView }} */ { now, table }) => [
    ...(now.step === null ? idle(now, table, send) : now.step === "measured" ? measured(now, table, send) : underWay(now, send)),
  ]);
  const set = lightingControls(byId("lighting"), send);
  /** @param {View} view */
  return (view) => {
    const now = view.projector.projector;
    const table = view.table.table;
    byId("light-card").hidden = !now || !table || table.replay;
    // The pattern's tags are for the projector page; here they would only cost time.
    if (now && table) fill({ now: { ...now, pattern: null }, table });
    set(view);
  };
}

/** @param {string} text @param {FromPage} order @param {(message: FromPage) => void} send @param {string} [look] */
const button = (text, order, send, look = "") => el("button", { class: look, "data-key": order.type, onclick: () => send(order) }, text);

/** @param {ProjectorView} now @param {TableView} table @param {(message: FromPage) => void} send */
function idle(now, table, send) {
  return [
    now.note && el("p", { class: "quiet" }, now.note),
    now.error && el("p", {}, figures(now.error, table)),
    el("div", { class: "buttons" }, button(now.error ? say("Calibrate again") : say("Calibrate the projector"), { type: "projector-begin" }, send, now.error ? "" : "primary")),
    now.nudge && nudges(now, send),
  ];
}

/** @param {ProjectorView} now @param {(message: FromPage) => void} send */
function underWay(now, send) {
  return [
    el("p", { role: "status" }, now.note),
    el("p", { class: "progress" }, el("progress", { max: "4", value: String(STEPS[now.step ?? "page"]), "aria-label": say("Progress") })),
    el("p", { class: "quiet" }, say("Keep hands and shadows off the table. It takes a few seconds.")),
    el("div", { class: "buttons" }, button(say("Cancel"), { type: "projector-stop" }, send)),
  ];
}

/** @param {ProjectorView} now @param {TableView} table @param {(message: FromPage) => void} send */
function measured(now, table, send) {
  return [
    el("p", { role: "status" }, now.note),
    now.error && el("p", {}, figures(now.error, table)),
    el("p", { class: "quiet" }, say("The table’s edges and a frame round each fixed tag are lit now: look whether they lie where they belong.")),
    el(
      "div",
      { class: "buttons" },
      button(say("Keep it"), { type: "projector-keep" }, send, "primary"),
      button(say("Measure again"), { type: "projector-begin" }, send),
      button(say("Cancel"), { type: "projector-stop" }, send),
    ),
  ];
}

/** @param {LightErrorView} error @param {TableView} table */
function figures({ mean_mm, worst_mm, worst_at_mm, tags, camera_sigma_mm, doubt_mm, doubt_at_mm }, table) {
  const far = 2 * doubt_mm > Math.max(worst_mm, DOUBTFUL_MM);
  const sentences = [
    say("Light lands within {mean} mm of where it belongs on average, {worst} mm at the worst ({place}), at {tags} tags of light that the fit had not seen.", {
      mean: mean_mm.toFixed(2),
      worst: worst_mm.toFixed(2),
      place: where(worst_at_mm, table),
      tags,
    }),
    say("The camera’s own place adds {length} mm.", { length: camera_sigma_mm.toFixed(2) }),
    far && say("Away from those tags it may be off by {length} mm ({place}).", { length: (2 * doubt_mm).toFixed(1), place: where(doubt_at_mm, table) }),
  ];
  return sentences.filter(Boolean).join(" ");
}

/** The parts of a table, from its near edge on, each from the left. */
const PARTS = [
  [say("near left"), say("near middle"), say("near right")],
  [say("left"), say("in the middle"), say("right")],
  [say("far left"), say("far middle"), say("far right")],
];

/** Where on the table, as one stands at its near edge. @param {[number, number]} at @param {TableView} table */
function where([x, y], { width_mm, depth_mm }) {
  const part = (/** @type {number} */ share) => Math.min(2, Math.max(0, Math.floor(3 * share)));
  return PARTS[part(y / depth_mm)][part(x / width_mm)];
}

/** @param {ProjectorView} now @param {(message: FromPage) => void} send */
function nudges({ nudge }, send) {
  return el(
    "div",
    { class: "nudges" },
    el("p", { class: "quiet" }, nudgeOf(nudge) || say("If the light is off everywhere by the same, move it; on the projector page, arrows do (Shift: finer).")),
    el(
      "div",
      { class: "pad" },
      ...NUDGES.map(([sign, label, order]) => el("button", { class: "small", "aria-label": label, title: label, "data-key": label, onclick: () => send(order) }, sign)),
      el("button", { class: "small", "data-key": "nudge-back", disabled: !nudge?.can_undo, onclick: () => send({ type: "nudge-back" }) }, say("Undo")),
      el("button", { class: "small", "data-key": "nudge-none", disabled: !nudgeOf(nudge), onclick: () => send({ type: "nudge-back", all: true }) }, say("None")),
    ),
  );
}
