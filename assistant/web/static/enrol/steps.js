// @ts-check
// An enrolment under way: which step is next, and what was measured.

/** @import { EnrollingView, EnrolledView, FromPage, RingView, TagView } from "../messages.js" */
import { el, icon, svg } from "../common/dom.js";

/** @typedef {{ virtual: boolean, send: (message: FromPage) => void, leave: () => void, next: () => void }} Page */

/** A base in words. @param {EnrolledView["base"]} base */
export function baseName({ round_mm, oval_mm, rect_mm }) {
  if (round_mm !== null) return `round ${round_mm} mm`;
  const sides = oval_mm ?? rect_mm;
  return sides ? `${oval_mm ? "oval" : "rectangle"} ${sides[0]} × ${sides[1]} mm` : "its own outline";
}

/** How surely a marker's place is known: two standard deviations, as everywhere on the pages. @param {TagView | RingView} marker */
export const sureness = (marker) => `± ${(2 * marker.sigma_mm).toFixed(1)} mm`;

/** @type {Record<EnrollingView["way"], EnrollingView["step"][]>} */
const STEPS = { sheet: ["sheet", "model", "hand", "measured"], turn: ["front", "turning", "measured"], halo: ["show", "measured"], rim: ["show", "measured"] };

/** @param {EnrollingView} now @returns {Record<EnrollingView["step"], string>} */
const words = ({ model, base, way, ring }) => ({
  sheet: `Lay the sheet for ${baseName(base)} flat, where the camera sees all of it.`,
  model: `Set ${model} inside the outline, its front on the arrow.`,
  hand: "Leave it, and take your hand away.",
  front: `Point the front of ${model} to the far edge of the table, and leave it for a second.`,
  turning: "Turn it on the spot, once round, with its tag in view; then leave it.",
  show: `Lay the ${way} of ${model} where the camera sees it, with or without the model; take other rings away that are nobody’s yet.`,
  measured: ring ? "Read." : "Measured.",
});

/** @param {EnrollingView} now @param {Page} page */
export function work(now, { virtual, send, leave, next }) {
  const { kept, step } = now;
  const found = now.found ?? now.ring;
  return [
    el("div", { class: "heading" }, el("h2", { class: "grow" }, now.model), el("button", { class: "small", "data-key": "leave", onclick: leave }, "All models")),
    kept ? null : steps(now),
    !kept && now.note && el("p", { class: "warning" }, capital(now.note)),
    step === "front" && el("button", { class: "primary", "data-key": "front", onclick: () => send({ type: "enrol-turn" }) }, "It points there"),
    step === "turning" && el("p", { class: "progress" }, el("progress", { max: "360", value: String(now.turned_deg) }), ` ${now.turned_deg}° of 360° seen`),
    virtual && !found && el("p", { class: "quiet" }, "This table is rendered: a helper does it for you."),
    now.found && measured(now, now.found),
    now.ring && shown(now.ring),
    found && !kept && now.advice && el("p", { class: "note" }, icon("note"), el("span", {}, now.advice)),
    kept && el("p", { class: "kept" }, icon("legal"), `${now.model} is enrolled.`),
    el("div", { class: "buttons" },
      found && !kept && el("button", { class: "primary", "data-key": "keep", onclick: () => send({ type: "enrol-keep" }) }, "Keep"),
      kept && el("button", { class: "primary", "data-key": "next", onclick: next }, "Next model"),
      found && el("button", { "data-key": "again", onclick: () => send({ type: "enrol-again" }) }, now.ring ? "Read again" : "Measure again"),
    ),
  ];
}

/** @param {EnrollingView} now */
function steps(now) {
  const all = STEPS[now.way];
  const at = all.indexOf(now.step);
  return el("ol", { class: "steps" },
    ...all.map((step, i) =>
      el("li", { "data-step": step, ...(i === at ? { "aria-current": "step" } : {}), class: i < at ? "past" : "" },
        step === "measured" && now.places > 1 ? `Measured at ${now.places} places.` : words(now)[step],
      ),
    ),
  );
}

/** @param {EnrollingView} now @param {TagView} found */
function measured(now, found) {
  /** @type {[string, string][]} */
  const rows = [
    ["Tag", String(found.tag)],
    ["From the centre", `${toward(found.x_mm, "front", "rear")}, ${toward(found.y_mm, "left", "right")}, ${sureness(found)}`],
    ["Turned", `${Math.round(found.facing_deg) || 0}° ± ${(2 * found.sigma_deg).toFixed(1)}°`],
    ["Height", `${found.height_mm.toFixed(1)} ± ${(2 * found.height_sigma_mm).toFixed(1)} mm`],
  ];
  return el("div", { class: "found" }, drawn(now.base, found), el("dl", {}, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

/** @param {RingView} ring */
function shown(ring) {
  /** @type {[string, string][]} */
  const rows = [
    ["Ring", `${ring.ring}, a ${ring.kind}`],
    ["From the centre", sureness(ring)],
    ["Turned", `± ${(2 * ring.sigma_deg).toFixed(1)}°`],
  ];
  return el("dl", {}, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** @param {number} mm @param {string} plus @param {string} minus */
const toward = (mm, plus, minus) => `${Math.abs(mm).toFixed(1)} mm to the ${mm < 0 ? minus : plus}`;

/** The base from above, its front up, with the tag on it. @param {EnrolledView["base"]} base @param {TagView} found */
function drawn(base, { x_mm, y_mm, facing_deg, size_mm }) {
  const { shape, reach, front } = outline(base);
  const size = Math.max(reach, Math.hypot(x_mm, y_mm) + size_mm * 0.9) + 6;
  const half = size_mm / 2;
  // The model's x is up, its y to the left.
  return svg("svg", { viewBox: `${-size} ${-size} ${2 * size} ${2 * size}`, class: "base", role: "img", "aria-label": "The base from above, with its tag" },
    svg("g", { transform: "rotate(-90) scale(1 -1)" },
      shape,
      svg("path", { class: "front", d: `M${front + 1} -3 l5 3 l-5 3z` }),
      svg("g", { transform: `translate(${x_mm} ${y_mm}) rotate(${facing_deg})` },
        svg("rect", { class: "tag", x: -half, y: -half, width: size_mm, height: size_mm }),
        svg("path", { class: "up", d: `M${-half / 2} ${half / 4} L0 ${half * 0.7} L${half / 2} ${half / 4}` }),
      ),
    ),
  );
}

/** @param {EnrolledView["base"]} base  */
function outline({ round_mm, oval_mm, rect_mm, outline_mm }) {
  const sides = rect_mm ?? oval_mm ?? (round_mm === null ? null : [round_mm, round_mm]);
  if (sides) {
    const [x, y] = [sides[0] / 2, sides[1] / 2];
    const shape = rect_mm ? svg("rect", { class: "edge", x: -x, y: -y, width: 2 * x, height: 2 * y }) : svg("ellipse", { class: "edge", rx: x, ry: y });
    return { shape, reach: Math.max(x, y), front: x };
  }
  const points = outline_mm ?? [];
  const reach = Math.max(...points.map(([x, y]) => Math.hypot(x, y)), 1);
  return { shape: svg("polygon", { class: "edge", points: points.join(" ") }), reach, front: Math.max(...points.map(([x]) => x), 1) };
}

/** @param {string} text @param {string} stop */
export const capital = (text, stop = ".") => text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : stop);
