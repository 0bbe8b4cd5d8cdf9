// @ts-check
// The steps to a lens: with which board, what is missing, which views there are, and what they come to.

/** @import { FromPage, LensFoundView, LensView } from "../messages.js" */
import { el, icon } from "../common/dom.js";
import { boardChoice } from "./boards.js";

/** @typedef {{ send: (message: FromPage) => void, pick: (number: number | null) => void }} Page */

/** What to do now, and why no view is taken yet. @param {{ step: LensView["step"], ask: string, note: string, working: boolean }} now */
export function instruction({ step, ask, note, working }) {
  if (step === "taking") {
    return [el("p", { class: "ask" }, ask || (working ? "Calculating …" : "Hold the board up to the camera.")), el("p", { class: "why", "data-taken": String(note.endsWith("taken.")) }, note || " ")];
  }
  if (step === "enough") return [el("p", { class: "ask" }, "That is enough: put the board down, and look at the figures.")];
  return [];
}

/** @param {{ lens: LensView | null, picked: number | null, replay: boolean }} data @param {Page} page */
export function work({ lens, picked, replay }, page) {
  if (replay) return [el("p", { class: "quiet" }, "This is a recording: its lens cannot be calibrated.")];
  if (!lens) return [el("p", { class: "quiet" }, "The lens cannot be calibrated here.")];
  return lens.step === "begin" ? beginning(lens, page) : underWay(lens, picked, page);
}

/** @param {LensView} lens @param {Page} page */
function beginning({ left, virtual }, { send }) {
  const board = boardChoice(begin);
  function begin() {
    const spec = board.spec();
    if (spec) send({ type: "lens-begin", board: spec });
  }
  return [
    el("h2", {}, "Calibrate the lens"),
    el("p", {}, "Hold a flat board up to the camera, here and there, near and far, tilted this way and that. The page says how; views are taken by themselves."),
    virtual && el("p", { class: "quiet" }, "This table is rendered: a helper holds the board for you."),
    board.element,
    el("button", { class: "primary", "data-key": "begin", onclick: begin }, "Begin"),
    ...left.map((board) => el("button", { "data-key": `left-${board}`, onclick: () => send({ type: "lens-begin", board }) }, `Continue with ${board}`)),
  ];
}

/** @param {LensView} lens @param {number | null} picked @param {Page} page */
function underWay(lens, picked, page) {
  const { found, step, kept } = lens;
  const done = step === "enough";
  const result = [
    lens.trouble && el("p", { class: "warning" }, sentence(lens.trouble)),
    found ? figures(found) : !lens.trouble && el("p", { class: "quiet" }, "The lens is worked out from the eighth view on."),
    found && el("div", { class: "buttons" },
      el("button", { class: done ? "primary" : "", "data-key": "keep", onclick: () => page.send({ type: "lens-keep" }) }, done ? "Keep this lens" : "Keep it as it is"),
      done && el("button", { "data-key": "more", onclick: () => page.send({ type: "lens-more" }) }, "Take more views"),
    ),
  ];
  const needs = el("ul", { class: "needs" }, ...lens.needs.map(need));
  return [
    el("div", { class: "heading" }, el("div", { class: "grow" }, el("h2", {}, kept ? "Kept" : done ? "The lens" : "Views of the board"), el("small", {}, lens.board === "printed" ? "the board that overtable prints" : lens.board)), el("button", { class: "small", "data-key": "leave", onclick: () => page.send({ type: "lens-leave" }) }, kept ? "Done" : "Leave")),
    ...(kept ? [el("p", { class: "kept" }, icon("legal"), el("span", {}, kept)), found && figures(found)] : done ? result : [needs]),
    !kept && shots(lens, picked, page),
    ...(kept || done ? [] : result),
  ];
}

/** @param {LensView["needs"][number]} needed */
function need({ label, have, need: least }) {
  const done = have >= least;
  return el("li", { "data-done": String(done) },
    el("span", { class: "tick" }, done ? icon("legal") : null),
    el("span", { class: "grow" }, label),
    el("span", { class: "count" }, `${Math.min(have, least)} of ${least}`),
  );
}

/** @param {LensView} lens @param {number | null} picked @param {Page} page */
function shots({ shots: taken }, picked, { send, pick }) {
  if (!taken.length) return null;
  const chips = taken.map(({ number, counts }) => el("button", { "data-key": `view-${number}`, class: counts ? "" : "odd", "aria-pressed": String(number === picked), "aria-label": `View ${number}${counts ? "" : ", left out"}`, onclick: () => pick(number) }, String(number)));
  return el("div", { class: "views" },
    el("h3", {}, "Views"),
    el("div", { class: "chips" }, ...chips),
    el("div", { class: "buttons" },
      el("button", { class: "small", "data-key": "drop", onclick: () => send({ type: "lens-drop", number: picked }) }, picked === null ? "Discard last" : `Discard view ${picked}`),
      el("button", { class: "small", "data-key": "again", onclick: () => send({ type: "lens-again" }) }, "Start over"),
    ),
  );
}

const VERDICTS = { good: "Good", usable: "Usable", poor: "Poor" };
const OUTCOMES = { good: "legal", usable: "too-close", poor: "illegal" };

/** @param {LensFoundView} found */
function figures(found) {
  const reasons = found.verdict === "good" ? found.reasons.slice(0, 1) : found.reasons;
  /** @type {[string, string][]} */
  const rows = [
    ["Focal length", `${found.focal_px.toFixed(1)} ± ${(2 * found.focal_sigma_px).toFixed(1)} px`],
    ["Principal point", `${found.middle_px.map((px) => px.toFixed(1)).join(", ")} ± ${(2 * found.middle_sigma_px).toFixed(1)} px`],
    ["Hold-out error", `${found.held_out_px.toFixed(2)} px`],
    ["On the table", `${found.typical_mm.toFixed(2)} mm, at worst ${found.worst_mm.toFixed(2)} mm`],
  ];
  return el("div", { class: "result" },
    el("div", { class: "verdict", "data-outcome": OUTCOMES[found.verdict] }, icon(OUTCOMES[found.verdict]), el("div", {}, el("strong", {}, VERDICTS[found.verdict]), el("small", {}, `from ${found.views} views`))),
    ...reasons.map((reason) => el("p", {}, sentence(reason))),
    ...found.dropped.map((reason) => el("p", { class: "warning" }, `Left out: ${reason}.`)),
    el("dl", { class: "figures" }, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
  );
}

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
