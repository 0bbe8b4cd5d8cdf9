// @ts-check
// Scenes: which part of the table is looked at.  The view closes in on the unit that acts, and goes back when it is done.

/** @import { View } from "../messages.js" */
/** @import { Mapping } from "../common/geometry.js" */
/** @import { Area } from "../common/call-drawing.js" */
import { baseOutline } from "../common/geometry.js";

/** Of the table's width, which is always seen at least: who looks on has to know where on the table this is. */
const NEAREST = 0.45;
/** Around what is looked at, of its size and at least. */
const MARGIN = 0.12;
const MARGIN_MM = 60;
/** What is shown may be so many times larger than it need be before the view closes in further. */
const SLACK = 1.5;
/** The scene of a move stays for so long after the move. */
const LINGERS_MS = 1800;
/** In this time (ms) two thirds of the way to another scene are gone. */
const EASE_MS = 420;
/** Nearer than this part of the width, the view has arrived. */
const ARRIVED = 0.0005;
/** Layers of what belongs to a move. */
const OF_A_MOVE = ["zone", "ghost", "path", "way", "witness", "break", "stop"];

/** The whole table. @param {View} view @returns {Area} */
function wholeOf(view) {
  const { width_mm = 1, depth_mm = 1 } = view.table.table ?? {};
  return { left: 0, low: 0, width: width_mm, depth: depth_mm };
}

/** What a move is about, on the table; null while none is made. @param {View} view @returns {Area | null} */
export function focusOf(view) {
  const unit = view.units[view.move.move?.unit ?? ""];
  const models = (unit?.models ?? []).flatMap((id) => (view.models[id] ? [view.models[id]] : []));
  if (!models.length) return null;
  const shapes = Object.values(view.shapes).filter(({ layer }) => OF_A_MOVE.includes(layer));
  const points = [...models.map(baseOutline), ...shapes.flatMap(({ rings_mm }) => rings_mm)].flat();
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, low] = [Math.min(...xs), Math.min(...ys)];
  return { left, low, width: Math.max(...xs) - left, depth: Math.max(...ys) - low };
}

/** The part of the table that a scene of something shows, of a form. @param {Area} focus @param {Area} whole @param {number} ratio @returns {Area} */
export function sceneOf(focus, whole, ratio) {
  const margin = Math.max(MARGIN_MM, MARGIN * Math.max(focus.width, focus.depth));
  const widest = Math.max(whole.width, whole.depth * ratio);
  const width = Math.min(widest, Math.max(NEAREST * whole.width, focus.width + 2 * margin, (focus.depth + 2 * margin) * ratio));
  const depth = width / ratio;
  // Beside the table there is nothing to be seen, save where there is too little of it.
  const kept = (/** @type {number} */ middle, /** @type {number} */ size, /** @type {number} */ all) =>
    size >= all ? (all - size) / 2 : Math.min(Math.max(0, middle - size / 2), all - size);
  return {
    left: kept(focus.left + focus.width / 2, width, whole.width),
    low: kept(focus.low + focus.depth / 2, depth, whole.depth),
    width,
    depth,
  };
}

/** @param {Area} outer @param {Area} inner */
const holds = (outer, inner) =>
  outer.left <= inner.left && outer.low <= inner.low && outer.left + outer.width >= inner.left + inner.width && outer.low + outer.depth >= inner.low + inner.depth;

/**
 * Builds what chooses scenes, for as long as the page is open.
 * @param {{ follows: boolean, still: boolean }} how  still: without motion
 */
export function scenes({ follows, still }) {
  /** @type {Area | null} what is to be seen; null for the whole table */
  let wanted = null;
  /** @type {Area | null} what is seen */
  let seen = null;
  let left_ms = 0;
  let last_ms = 0;

  return {
    /**
     * Goes on towards what the view asks for.
     * @param {View} view @param {number} ratio  of the place where it is shown @param {number} now_ms
     * @returns {{ area: Area, moves: boolean, isClose: boolean }}
     */
    at(view, ratio, now_ms) {
      const whole = wholeOf(view);
      const focus = follows ? focusOf(view) : null;
      if (focus) {
        left_ms = now_ms;
        const scene = sceneOf(focus, whole, ratio);
        const isKept = wanted && Math.abs(wanted.width / wanted.depth - ratio) < 0.01 && holds(wanted, focus) && wanted.width < SLACK * scene.width;
        if (!isKept) wanted = scene;
      } else if (wanted && now_ms - left_ms > LINGERS_MS) wanted = null;
      const target = wanted ?? formed(whole, ratio);
      const ahead = still || !seen ? 1 : 1 - Math.exp(-Math.min(100, now_ms - last_ms) / EASE_MS);
      last_ms = now_ms;
      seen = seen ? between(seen, target, ahead) : target;
      const far = Math.max(Math.abs(seen.left - target.left), Math.abs(seen.low - target.low), Math.abs(seen.width - target.width));
      const moves = far > ARRIVED * whole.width;
      if (!moves) seen = target;
      return { area: seen, moves: moves || (wanted !== null && !focus), isClose: wanted !== null };
    },
  };
}

/** The least area of a form that holds another. @param {Area} area @param {number} ratio @returns {Area} */
function formed(area, ratio) {
  const width = Math.max(area.width, area.depth * ratio);
  const depth = width / ratio;
  return { left: area.left + (area.width - width) / 2, low: area.low + (area.depth - depth) / 2, width, depth };
}

/** @param {Area} a @param {Area} b @param {number} at @returns {Area} */
function between(a, b, at) {
  const mixed = (/** @type {keyof Area} */ key) => a[key] + at * (b[key] - a[key]);
  return { left: mixed("left"), low: mixed("low"), width: mixed("width"), depth: mixed("depth") };
}

/** Lays an area of the table into a place on the screen. @param {Area} area @param {{ x: number, y: number, w: number, h: number }} place @returns {Mapping} */
export function mappingOf(area, { x, y, w, h }) {
  const scale = Math.min(w / area.width, h / area.depth);
  return { scale, left: x + w / 2 - (area.left + area.width / 2) * scale, top: y + h / 2 + (area.low + area.depth / 2) * scale };
}
