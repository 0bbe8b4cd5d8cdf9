// @ts-check
// An enrolment under way: which step is next, and what was measured.

/** @import { EnrollingView, EnrolledView, FromPage, RingView, TagView } from "../messages.js" */
import { el, icon, svg } from "../common/dom.js";
import { localised, named, say } from "../common/language.js";

/** @typedef {{ virtual: boolean, send: (message: FromPage) => void, leave: () => void, next: () => void }} Page */

/** A base in words. @param {EnrolledView["base"]} base */
export function baseName({ round_mm, oval_mm, rect_mm }) {
  if (round_mm !== null) return say("round {size} mm", { size: round_mm });
  const sides = oval_mm ?? rect_mm;
  if (!sides) return say("its own outline");
  const [long, wide] = sides;
  return say(oval_mm ? "oval {long} × {wide} mm" : "rectangle {long} × {wide} mm", { long, wide });
}

/** A model's marker in words; null where it has none. @param {EnrolledView} known */
export const markerName = ({ tag, ring }) => (ring ? say("ring {number}", { number: ring.ring }) : tag ? say("tag {number}", { number: tag.tag }) : null);

/** How surely a marker's place is known: two standard deviations, as everywhere on the pages. @param {TagView | RingView} marker */
export const sureness = (marker) => localised(`± ${(2 * marker.sigma_mm).toFixed(1)} mm`);

/** @type {Record<EnrollingView["way"], EnrollingView["step"][]>} */
const STEPS = { sheet: ["sheet", "model", "hand", "measured"], turn: ["front", "turning", "measured"], halo: ["show", "measured"], rim: ["show", "measured"] };

/** @param {EnrollingView} now @returns {Record<EnrollingView["step"], string>} */
const words = ({ model, base, way, ring }) => ({
  sheet: say("Lay the sheet for {base} flat, where the camera sees all of it.", { base: baseName(base) }),
  model: say("Set {model} inside the outline, its front on the arrow.", { model: named(model) }),
  hand: say("Leave it, and take your hand away."),
  front: say("Point the front of {model} to the far edge of the table, and leave it for a second.", { model: named(model) }),
  turning: say("Turn it on the spot, once round, with its tag in view; then leave it."),
  show: say(
    way === "halo"
      ? "Lay the halo of {model} where the camera sees it, with or without the model; take other rings away that are nobody’s yet."
      : "Lay the rim of {model} where the camera sees it, with or without the model; take other rings away that are nobody’s yet.",
    { model: named(model) },
  ),
  measured: say(ring ? "Read." : "Measured."),
});

/** @param {EnrollingView} now @param {Page} page */
export function work(now, { virtual, send, leave, next }) {
  const { kept, step } = now;
  const found = now.found ?? now.ring;
  return [
    el("div", { class: "heading" }, el("h2", { class: "grow" }, named(now.model)), el("button", { class: "small", "data-key": "leave", onclick: leave }, say("All models"))),
    kept ? null : steps(now),
    !kept && now.note && el("p", { class: "warning" }, capital(now.note)),
    step === "front" && el("button", { class: "primary", "data-key": "front", onclick: () => send({ type: "enrol-turn" }) }, say("It points there")),
    step === "turning" && el("p", { class: "progress" }, el("progress", { max: "360", value: String(now.turned_deg) }), ` ${say("{turned}° of 360° seen", { turned: now.turned_deg })}`),
    virtual && !found && el("p", { class: "quiet" }, say("This table is rendered: a helper does it for you.")),
    now.found && measured(now, now.found),
    now.ring && shown(now.ring),
    found && !kept && now.advice && el("p", { class: "note" }, icon("note"), el("span", {}, now.advice)),
    kept && el("p", { class: "kept" }, icon("legal"), say("{model} is enrolled.", { model: named(now.model) })),
    el("div", { class: "buttons" },
      found && !kept && el("button", { class: "primary", "data-key": "keep", onclick: () => send({ type: "enrol-keep" }) }, say("Keep")),
      kept && el("button", { class: "primary", "data-key": "next", onclick: next }, say("Next model")),
      found && el("button", { "data-key": "again", onclick: () => send({ type: "enrol-again" }) }, say(now.ring ? "Read again" : "Measure again")),
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
        step === "measured" && now.places > 1 ? say("Measured at {places} places.", { places: now.places }) : words(now)[step],
      ),
    ),
  );
}

/** @param {EnrollingView} now @param {TagView} found */
function measured(now, found) {
  /** @type {[string, string][]} */
  const rows = [
    [say("Tag"), String(found.tag)],
    [say("From the centre"), `${along(found)}, ${sureness(found)}`],
    [say("Turned"), localised(`${Math.round(found.facing_deg) || 0}° ± ${(2 * found.sigma_deg).toFixed(1)}°`)],
    [say("Height"), localised(`${found.height_mm.toFixed(1)} ± ${(2 * found.height_sigma_mm).toFixed(1)} mm`)],
  ];
  return el("div", { class: "found" }, drawn(now.base, found), el("dl", {}, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

/** @param {RingView} ring */
function shown(ring) {
  /** @type {[string, string][]} */
  const rows = [
    [say("Ring"), say(ring.kind === "halo" ? "{number}, a halo" : "{number}, a rim", { number: ring.ring })],
    [say("From the centre"), sureness(ring)],
    [say("Turned"), localised(`± ${(2 * ring.sigma_deg).toFixed(1)}°`)],
  ];
  return el("dl", {}, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** Where a tag is, from the centre of its base. @param {TagView} found */
function along({ x_mm, y_mm }) {
  const [length, aside] = [x_mm, y_mm].map((mm) => Math.abs(mm).toFixed(1));
  const ahead = say(x_mm < 0 ? "{length} mm to the rear" : "{length} mm to the front", { length });
  return `${ahead}, ${say(y_mm < 0 ? "{length} mm to the right" : "{length} mm to the left", { length: aside })}`;
}

/** The base from above, its front up, with the tag on it. @param {EnrolledView["base"]} base @param {TagView} found */
function drawn(base, { x_mm, y_mm, facing_deg, size_mm }) {
  const { shape, reach, front } = outline(base);
  const size = Math.max(reach, Math.hypot(x_mm, y_mm) + size_mm * 0.9) + 6;
  const half = size_mm / 2;
  // The model's x is up, its y to the left.
  return svg("svg", { viewBox: `${-size} ${-size} ${2 * size} ${2 * size}`, class: "base", role: "img", "aria-label": say("The base from above, with its tag") },
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
