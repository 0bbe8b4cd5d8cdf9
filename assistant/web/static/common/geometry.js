// @ts-check
// Between millimetres on the table (y away from the near edge) and CSS pixels on the screen (y down).

/** @import { BaseSpec, ModelView, TableView, View } from "../messages.js" */
/** @import { Box } from "./boxes.js" */
/** @import { Reader } from "./reading.js" */
/** @import { Warp } from "./warp.js" */

/** @typedef {{ x: number, y: number }} Point  in pixels or millimetres, as the name around it says */
/**
 * Pixels a millimetre; where (0, 0) lies in pixels.  With a warp, everything is laid out so, and then drawn through it.
 * The room is where words may stand, on the whole canvas unless it is said; without a reader they are upright there.
 * @typedef {{ scale: number, left: number, top: number, warp?: Warp, room?: Box, reader?: Reader }} Mapping
 */

/**
 * Fits the table whole and centred into a space.
 * @param {TableView} table
 * @param {number} width @param {number} height  of the space, pixels
 * @param {number} [margin]  kept free on every side, pixels
 * @returns {Mapping}
 */
export function fit(table, width, height, margin = 0) {
  const scale = Math.max(0.01, Math.min((width - 2 * margin) / table.width_mm, (height - 2 * margin) / table.depth_mm));
  return { scale, left: (width - table.width_mm * scale) / 2, top: (height + table.depth_mm * scale) / 2 };
}

/** @param {Mapping} mapping @param {number} x_mm @param {number} y_mm @returns {Point} */
export const toScreen = ({ scale, left, top }, x_mm, y_mm) => ({ x: left + x_mm * scale, y: top - y_mm * scale });

/** @param {Mapping} mapping @param {Point} at @returns {Point} */
export const toTable = ({ scale, left, top }, at) => ({ x: (at.x - left) / scale, y: (top - at.y) / scale });

/**
 * Zooms about a point of the screen and moves by a distance on it.
 * @param {Mapping} mapping @param {Point} centre @param {number} factor @param {Point} by
 * @returns {Mapping}
 */
export function zoomed({ scale, left, top }, centre, factor, by) {
  return {
    scale: scale * factor,
    left: centre.x + (left - centre.x) * factor + by.x,
    top: centre.y + (top - centre.y) * factor + by.y,
  };
}

/** @param {number} degrees */
export const radians = (degrees) => (degrees * Math.PI) / 180;

/**
 * The outline of a base in the model's own frame, millimetres.
 * @param {BaseSpec} base
 * @returns {Path2D}
 */
export function basePath(base) {
  const path = new Path2D();
  if (base.round_mm !== null) {
    path.arc(0, 0, base.round_mm / 2, 0, 2 * Math.PI);
  } else if (base.oval_mm !== null) {
    path.ellipse(0, 0, base.oval_mm[0] / 2, base.oval_mm[1] / 2, 0, 0, 2 * Math.PI);
  } else if (base.rect_mm !== null) {
    const [length, width] = base.rect_mm;
    path.rect(-length / 2, -width / 2, length, width);
  } else {
    for (const [x, y] of base.outline_mm ?? []) path.lineTo(x, y);
    path.closePath();
  }
  return path;
}

/**
 * The same as a polygon, at a place on the table.
 * @param {ModelView} model
 * @returns {[number, number][]}
 */
export const baseOutline = (model) => inTable(model, ownOutline(model.base));

/**
 * A ring of a model's own frame where that model stands on the table.
 * @param {ModelView} model @param {[number, number][]} ring
 * @returns {[number, number][]}
 */
export function inTable({ x_mm, y_mm, facing_deg }, ring) {
  const [cos, sin] = [Math.cos(radians(facing_deg)), Math.sin(radians(facing_deg))];
  return ring.map(([x, y]) => [x_mm + cos * x - sin * y, y_mm + sin * x + cos * y]);
}

/** @param {BaseSpec} base @returns {[number, number][]} */
function ownOutline({ round_mm, oval_mm, rect_mm, outline_mm }) {
  if (rect_mm !== null) {
    const [x, y] = [rect_mm[0] / 2, rect_mm[1] / 2];
    return [[-x, -y], [x, -y], [x, y], [-x, y]];
  }
  if (round_mm === null && oval_mm === null) return outline_mm ?? [];
  const [length, width] = oval_mm ?? [round_mm ?? 0, round_mm ?? 0];
  const turns = Array.from({ length: 96 }, (_, i) => (i * Math.PI) / 48);
  return turns.map((turn) => [(length / 2) * Math.cos(turn), (width / 2) * Math.sin(turn)]);
}

/**
 * How far a base reaches from its centre, at most, and to its front.
 * @param {BaseSpec} base
 * @returns {{ furthest: number, front: number }}  millimetres
 */
export function reach(base) {
  if (base.round_mm !== null) return { furthest: base.round_mm / 2, front: base.round_mm / 2 };
  if (base.oval_mm !== null) return { furthest: Math.max(...base.oval_mm) / 2, front: base.oval_mm[0] / 2 };
  if (base.rect_mm !== null) return { furthest: Math.hypot(...base.rect_mm) / 2, front: base.rect_mm[0] / 2 };
  const points = base.outline_mm ?? [];
  return { furthest: Math.max(...points.map((p) => Math.hypot(...p))), front: Math.max(...points.map(([x]) => x)) };
}

/**
 * The model under a point, or the one whose base's edge is nearest to it within some slack; null when there is none.
 * Of those that a point lies in, it is the one whose middle it is nearest to, each by its own size.
 * @param {View} view
 * @param {Point} at  millimetres
 * @param {number} slack_mm
 */
export function modelAt(view, at, slack_mm) {
  /** @type {string | null} */
  let best = null;
  let least = Infinity;
  for (const [id, model] of Object.entries(view.models)) {
    const { furthest } = reach(model.base);
    const distance = Math.hypot(model.x_mm - at.x, model.y_mm - at.y);
    if (distance > furthest + slack_mm) continue;
    const outline = baseOutline(model);
    const off = inside(outline, at) ? 0 : Math.min(...outline.map((from, i) => distanceToLine(at, from, outline[(i + 1) % outline.length])));
    const far = off > 0 ? 1 + off : distance / furthest; // less than 1
    if (off <= slack_mm && far < least) {
      best = id;
      least = far;
    }
  }
  return best;
}

/** @param {Point} at @param {[number, number]} from @param {[number, number]} to */
function distanceToLine(at, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((at.x - ax) * dx + (at.y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(ax + along * dx - at.x, ay + along * dy - at.y);
}

/**
 * Whether a point lies in a ring, by the even-odd rule.
 * @param {[number, number][]} ring @param {Point} at
 */
export function inside(ring, { x, y }) {
  let crossings = 0;
  ring.forEach(([ax, ay], i) => {
    const [bx, by] = ring[(i + 1) % ring.length];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) crossings++;
  });
  return crossings % 2 === 1;
}

/**
 * Where the handle lies that turns a model: in front of it, as far as a finger needs.
 * @param {Mapping} mapping
 * @param {ModelView} model
 * @returns {Point}  pixels
 */
export function turnHandle(mapping, model) {
  const facing = radians(model.facing_deg);
  const away = reach(model.base).front + 30 / mapping.scale;
  return toScreen(mapping, model.x_mm + away * Math.cos(facing), model.y_mm + away * Math.sin(facing));
}
