// @ts-check
// The steps to a lens: with which board, what is missing, which views there are, and what they come to.

/** @import { FromPage, LensFoundView, LensView } from "../messages.js" */
import { el, icon } from "../common/dom.js";
import { localised, read, say } from "../common/language.js";
import { boardChoice } from "./boards.js";

/** @typedef {{ send: (message: FromPage) => void, pick: (number: number | null) => void }} Page */

/** What to do now, and why no view is taken yet. @param {{ step: LensView["step"], ask: string, note: string, taken: boolean, working: boolean }} now */
export function instruction({ step, ask, note, taken, working }) {
  if (step === "taking") {
    return [el("p", { class: "ask" }, read(ask) || say(working ? "Calculating …" : "Hold the board up to the camera.")), el("p", { class: "why", "data-taken": String(taken) }, note || " ")];
  }
  if (step === "enough") return [el("p", { class: "ask" }, say("That is enough: put the board down, and look at the figures."))];
  return [];
}

/** @param {{ lens: LensView | null, picked: number | null, replay: boolean }} data @param {Page} page */
export function work({ lens, picked, replay }, page) {
  if (replay) return [el("p", { class: "quiet" }, say("This is a recording: its lens cannot be calibrated."))];
  if (!lens) return [el("p", { class: "quiet" }, say("The lens cannot be calibrated here."))];
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
    el("h2", {}, say("Calibrate the lens")),
    el("p", {}, say("Hold a flat board up to the camera, here and there, near and far, tilted this way and that. The page says how; views are taken by themselves.")),
    virtual && el("p", { class: "quiet" }, say("This table is rendered: a helper holds the board for you.")),
    board.element,
    el("button", { class: "primary", "data-key": "begin", onclick: begin }, say("Begin")),
    ...left.map((board) => el("button", { "data-key": `left-${board}`, onclick: () => send({ type: "lens-begin", board }) }, say("Continue with {board}", { board: nameBoard(board) }))),
  ];
}

/** @param {LensView} lens @param {number | null} picked @param {Page} page */
function underWay(lens, picked, page) {
  const { found, step, kept } = lens;
  const done = step === "enough";
  const result = [
    lens.trouble && el("p", { class: "warning" }, sentence(read(lens.trouble))),
    found ? figures(found) : !lens.trouble && el("p", { class: "quiet" }, say("The lens is worked out from the eighth view on.")),
    found && el("div", { class: "buttons" },
      el("button", { class: done ? "primary" : "", "data-key": "keep", onclick: () => page.send({ type: "lens-keep" }) }, say(done ? "Keep this lens" : "Keep it as it is")),
      done && el("button", { "data-key": "more", onclick: () => page.send({ type: "lens-more" }) }, say("Take more views")),
    ),
  ];
  const needs = el("ul", { class: "needs" }, ...lens.needs.map(need));
  return [
    el("div", { class: "heading" }, el("div", { class: "grow" }, el("h2", {}, say(kept ? "Kept" : done ? "The lens" : "Views of the board")), el("small", {}, nameBoard(lens.board))), el("button", { class: "small", "data-key": "leave", onclick: () => page.send({ type: "lens-leave" }) }, say(kept ? "Done" : "Leave"))),
    ...(kept ? [el("p", { class: "kept" }, icon("legal"), el("span", {}, read(kept))), found && figures(found)] : done ? result : [needs]),
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
    el("span", { class: "count" }, say("{done} of {all}", { done: Math.min(have, least), all: least })),
  );
}

/** @param {LensView} lens @param {number | null} picked @param {Page} page */
function shots({ shots: taken }, picked, { send, pick }) {
  if (!taken.length) return null;
  const chips = taken.map(({ number, counts }) => el("button", { "data-key": `view-${number}`, class: counts ? "" : "odd", "aria-pressed": String(number === picked), "aria-label": say(counts ? "View {number}" : "View {number}, left out", { number }), onclick: () => pick(number) }, String(number)));
  return el("div", { class: "views" },
    el("h3", {}, say("Views")),
    el("div", { class: "chips" }, ...chips),
    el("div", { class: "buttons" },
      el("button", { class: "small", "data-key": "drop", onclick: () => send({ type: "lens-drop", number: picked }) }, picked === null ? say("Discard last") : say("Discard view {number}", { number: picked })),
      el("button", { class: "small", "data-key": "again", onclick: () => send({ type: "lens-again" }) }, say("Start over")),
    ),
  );
}

const VERDICTS = { good: say("Good"), usable: say("Usable"), poor: say("Poor") };
const OUTCOMES = { good: "legal", usable: "too-close", poor: "illegal" };

/** @param {LensFoundView} found */
function figures(found) {
  const reasons = found.verdict === "good" ? found.reasons.slice(0, 1) : found.reasons;
  /** @type {[string, string][]} */
  const rows = [
    [say("Focal length"), localised(`${found.focal_px.toFixed(1)} ± ${(2 * found.focal_sigma_px).toFixed(1)} px`)],
    [say("Principal point"), localised(`${found.middle_px.map((px) => px.toFixed(1)).join("; ")} ± ${(2 * found.middle_sigma_px).toFixed(1)} px`)],
    [say("Hold-out error"), localised(`${found.held_out_px.toFixed(2)} px`)],
    [say("On the table"), say("{typical} mm, at worst {worst} mm", { typical: found.typical_mm.toFixed(2), worst: found.worst_mm.toFixed(2) })],
  ];
  return el("div", { class: "result" },
    el("div", { class: "verdict", "data-outcome": OUTCOMES[found.verdict] }, icon(OUTCOMES[found.verdict]), el("div", {}, el("strong", {}, VERDICTS[found.verdict]), el("small", {}, say("from {views} views", { views: found.views })))),
    ...reasons.map((reason) => el("p", {}, sentence(read(reason)))),
    ...found.dropped.map((reason) => el("p", { class: "warning" }, say("Left out: {reason}.", { reason: read(reason) }))),
    el("dl", { class: "figures" }, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
  );
}

/** A board as it is chosen from the list, or as commands name it. @param {string} board */
const nameBoard = (board) => (board === "printed" ? say("the board that overtable prints") : board);

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
