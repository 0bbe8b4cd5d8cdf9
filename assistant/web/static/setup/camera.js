// @ts-check
// The camera's step of the set-up: the live picture, how sharp and how well lit it is, and holding both.

/** @import { FromPage, OpticsView, View } from "../messages.js" */
import { block, el, icon } from "../common/dom.js";
import { localised, say } from "../common/language.js";
import { noticeList } from "../common/notices.js";
import { livePicture } from "../common/picture.js";
import { sharpPlaces } from "./sharp.js";

/** @typedef {(message: FromPage) => void} Send */

const ASK_MS = 2500;
const OUTCOMES = { todo: "unobserved", good: "legal", weak: "too-close", bad: "illegal" };
const NAMES = { focus: say("Sharpness"), light: say("Light"), noise: say("Noise"), flicker: say("Flicker"), shake: say("Shake") };
const WORDS = { good: say("Good"), weak: say("Could be better"), bad: say("Bad") };
/** Blur at the end of the gauge, px. */
const WORST_PX = 4;

/**
 * Fills a place with the step, and returns what shows a view in it.  While it is to be seen the camera is looked at.
 * @param {HTMLElement} place @param {Send} send
 * @returns {(view: View) => void}
 */
export function cameraStep(place, send) {
  const picture = el("img", { alt: say("Live picture of the table"), hidden: true });
  const waiting = el("p", { class: "quiet" }, say("Waiting for the first picture …"));
  const marks = el("div", { class: "marks" });
  const crops = el("div", { class: "crops" });
  const figures = el("div", { class: "optics" });
  const notices = el("div", { class: "notices", "aria-live": "polite" });
  const controls = el("div", { class: "controls" });
  place.replaceChildren(
    el("div", { class: "camera-step" },
      el("div", { class: "camera-seen" }, el("div", { class: "picture" }, el("div", { class: "sights" }, picture, marks), waiting), crops),
      el("div", { class: "camera-told" }, notices, figures, controls),
    ),
  );
  livePicture(picture, waiting);
  const sharp = sharpPlaces(crops);
  const telling = block(figures, gauges);
  const noticing = block(notices, noticeList);
  const handling = block(controls, (/** @type {OpticsView} */ optics) => holding(optics, send));
  const marking = block(marks, (/** @type {{ optics: OpticsView, hindrances: View["hindrances"] }} */ seen) => [...spots(seen.optics), ...hindered(seen.hindrances)]);
  let heard = false;
  const ask = () => void (heard && place.isConnected && place.checkVisibility() && !document.hidden && send({ type: "optics-look" }));
  setInterval(ask, ASK_MS);
  return (view) => {
    const optics = view.optics.optics;
    if (heard !== Boolean(optics)) {
      heard = Boolean(optics);
      ask();
    }
    noticing(Object.values(view.notices));
    figures.hidden = controls.hidden = crops.hidden = !optics;
    if (!optics) return;
    telling(optics);
    handling(optics);
    marking({ optics, hindrances: view.hindrances });
    sharp(optics);
  };
}

/** Where the picture is sharpest and least sharp. @param {OpticsView} optics */
function spots({ sharpest, softest, width_px, height_px }) {
  if (!width_px) return [];
  /** @param {{ x_px: number, y_px: number } | null} spot @param {string} kind */
  const mark = (spot, kind) => {
    if (!spot) return null;
    const shown = el("span", { class: `mark ${kind}` });
    shown.style.left = `${(100 * spot.x_px) / width_px}%`;
    shown.style.top = `${(100 * spot.y_px) / height_px}%`;
    return shown;
  };
  return [mark(sharpest, "sharpest"), softest && softest.blur_px !== sharpest?.blur_px ? mark(softest, "softest") : null];
}

/** Which bases are not found, and why, each at its place. @param {View["hindrances"]} hindrances */
function hindered(hindrances) {
  return Object.entries(hindrances).map(([model, { short, x_share, y_share }]) => {
    if (x_share === null || y_share === null) return null;
    const shown = el("span", { class: "mark hindered", title: `${model}: ${short}` }, el("small", {}, short));
    shown.style.left = `${100 * x_share}%`;
    shown.style.top = `${100 * y_share}%`;
    return shown;
  });
}

/** @param {OpticsView} optics */
function gauges(optics) {
  const { blur_px: blur, best_px: best, good_px: good, white } = optics;
  return [
    el("p", { class: "standing", "data-outcome": OUTCOMES[optics.state], role: "status" }, icon(OUTCOMES[optics.state]), el("span", {}, optics.text)),
    blur !== null && el("div", { class: "figure" },
      el("div", { class: "figure-head" }, el("strong", {}, say("Blur")), el("span", { class: "reading" }, localised(`${blur.toFixed(1)} px`)), el("small", {}, best === null ? "" : say("best so far {best} px", { best: best.toFixed(1) }))),
      scale([[blur / WORST_PX, "now"], [(best ?? blur) / WORST_PX, "best"]], [[0, good / WORST_PX]], say("Blur {blur} of {worst} px; good below {good} px", { blur: blur.toFixed(1), worst: WORST_PX, good })),
    ),
    white !== null && el("div", { class: "figure" },
      el("div", { class: "figure-head" }, el("strong", {}, say("White")), el("span", { class: "reading" }, say("{white} of 255", { white })), el("small", {}, say("{share} % burnt out", { share: Math.round(100 * (optics.burnt ?? 0)) }))),
      scale([[white / 255, "now"]], [[110 / 255, 250 / 255]], say("White at {white} of 255; good from 110 to 250", { white })),
    ),
    el("ul", { class: "remarks" }, ...optics.remarks.map(remark)),
  ];
}

/** A line with pointers; where it is good is drawn as a band. @param {[number, string][]} pointers @param {[number, number][]} bands @param {string} label */
function scale(pointers, bands, label) {
  const at = (/** @type {number} */ share) => `${100 * Math.min(1, Math.max(0, share))}%`;
  return el("div", { class: "scale", role: "img", "aria-label": label },
    ...bands.map(([from, to]) => {
      const band = el("span", { class: "band" });
      band.style.left = at(from);
      band.style.width = at(to - from);
      return band;
    }),
    ...pointers.map(([share, kind]) => {
      const pointer = el("span", { class: `pointer ${kind}` });
      pointer.style.left = at(share);
      return pointer;
    }),
  );
}

/** @param {OpticsView["remarks"][number]} said */
function remark({ about, grade, text, advice }) {
  return el("li", { "data-outcome": OUTCOMES[grade], "data-about": about },
    icon(OUTCOMES[grade]),
    el("div", { class: "grow" }, el("strong", {}, `${NAMES[about]}: ${WORDS[grade].toLowerCase()}`), el("small", {}, sentence(text)), advice && el("p", {}, sentence(advice))),
  );
}

/** @param {OpticsView} optics @param {Send} send */
function holding({ can_focus, can_expose, focus, exposure, locked, note }, send) {
  /** @param {"focus" | "exposure"} what @param {number} now @param {number[]} steps */
  const turning = (what, now, steps) => el("div", { class: "turning", role: "group", "aria-label": what === "focus" ? say("Focus") : say("Exposure") },
    el("span", { class: "grow" }, el("strong", {}, what === "focus" ? say("Focus") : say("Exposure")), ` ${Math.round(now)}`),
    ...steps.map((by) => el("button", { "data-key": `${what}${by}`, "aria-label": say(by < 0 ? "{what} down by {n}" : "{what} up by {n}", { what: what === "focus" ? say("Focus") : say("Exposure"), n: Math.abs(by) }), onclick: () => send({ type: "optics-turn", what, by }) }, by < 0 ? `− ${-by}` : `+ ${by}`)),
  );
  const coarse = Math.max(2, Math.round((exposure ?? 0) / 4));
  return [
    can_focus && turning("focus", focus ?? 0, [-10, -1, 1, 10]),
    can_expose && turning("exposure", exposure ?? 0, [-coarse, -1, 1, coarse]),
    !can_focus && !can_expose && el("p", { class: "quiet" }, say("This camera lets no program set its focus or exposure here. Turn its lens by hand, and switch its automatics off in its maker’s program.")),
    el("div", { class: "buttons" },
      (can_focus || can_expose) && (locked
        ? el("button", { "data-key": "free", onclick: () => send({ type: "optics-free" }) }, say("Let the camera decide"))
        : null),
      (can_focus || can_expose) && el("button", { class: locked ? "" : "primary", "data-key": "lock", onclick: () => send({ type: "optics-lock" }) }, locked ? say("Keep it so") : say("Lock focus and exposure")),
      el("button", { "data-key": "again", onclick: () => send({ type: "optics-again" }) }, say("Reset best")),
    ),
    note && el("p", { class: "note", role: "status" }, icon("note"), el("span", {}, note)),
  ];
}

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
