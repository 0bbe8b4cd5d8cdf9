// @ts-check
// What leads a hand while it moves a model on the page: the way that it takes, in the colour of its legality, what is
// left of it at the finger, and the base at the furthest legal place in that direction.
//
// It is worked out here, within the frame in which the finger moves, of the zone that the referee drew; the referee's own
// number replaces it as soon as the camera has seen the model move.

/** @import { ModelView, PaintView, View } from "../messages.js" */
/** @import { Mapping, Point } from "../common/geometry.js" */
/** @import { Target } from "./hand.js" */
import { inMillimetres, inPixels } from "../common/draw.js";
import { basePath, inside, radians, toScreen } from "../common/geometry.js";
import { FONT } from "../common/labels.js";
import { rest } from "../common/way.js";

/** A way is kept in legs that are no shorter, so that a trembling finger does not lengthen it. */
const LEG_MM = 4;
/** What is written stands so far above a finger, which covers what is under it. */
const ABOVE_PX = 54;
/** A place is no further inside a zone than this when it counts as on its edge. */
const EDGE_MM = 0.05;
/** What the page measures by itself, it does not decide by less than this. */
const COARSE_MM = 1.5;

/** @typedef {[number, number][][]} Rings */

/** The zone that is drawn, as its rings; empty where none is. @param {View} view @returns {Rings} */
export const zoneOf = ({ shapes }) => Object.values(shapes).flatMap((shape) => (shape.style === "zone" ? shape.rings_mm : []));

/** Whether a place is in a zone, by the even-odd rule over all its rings. @param {Rings} zone @param {Point} at */
export const isIn = (zone, at) => zone.filter((ring) => inside(ring, at)).length % 2 === 1;

/**
 * The last place in a zone on the straight line from one point to another; null where none of it is.
 * @param {Rings} zone @param {Point} from @param {Point} to @returns {Point | null}
 */
export function furthest(zone, from, to) {
  if (isIn(zone, to)) return to;
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(dx, dy);
  if (long === 0) return null;
  /** @type {number[]} where the line crosses an edge, as shares of it */
  const crossings = [];
  for (const ring of zone) {
    for (let i = 0; i < ring.length; i++) {
      const [ax, ay] = ring[i];
      const [bx, by] = ring[(i + 1) % ring.length];
      const across = dx * (by - ay) - dy * (bx - ax);
      if (across === 0) continue;
      const along = ((ax - from.x) * (by - ay) - (ay - from.y) * (bx - ax)) / across;
      const edge = ((ax - from.x) * dy - (ay - from.y) * dx) / across;
      if (along >= 0 && along <= 1 && edge >= 0 && edge <= 1) crossings.push(along);
    }
  }
  for (const share of crossings.sort((a, b) => b - a)) {
    const before = Math.max(0, share - EDGE_MM / long);
    const at = { x: from.x + before * dx, y: from.y + before * dy };
    if (isIn(zone, at)) return at;
  }
  return null;
}

/** Builds what leads the hand; it remembers the way of the model that is held. */
export function handGuide() {
  /** @type {{ model: string, way: Point[], before_mm: number } | null} */
  let held = null;

  return {
    /** Takes in where the hand wants the model to go; null once it lets go. @param {View} view @param {Target | null} target */
    follow(view, target) {
      if (!target || !view.models[target.model]) return void (held = null);
      const at = { x: target.x_mm, y: target.y_mm };
      if (held?.model !== target.model) {
        const { x_mm, y_mm } = view.models[target.model];
        const known = view.ways[target.model];
        held = { model: target.model, way: [{ x: x_mm, y: y_mm }], before_mm: known && !known.moving ? known.measured_mm : 0 };
      }
      const last = held.way[held.way.length - 1];
      if (Math.hypot(at.x - last.x, at.y - last.y) >= LEG_MM) held.way.push(at);
    },

    /** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {Target} target @param {number} text_px */
    draw(ctx, mapping, view, target, text_px) {
      if (!held) return;
      const model = view.models[target.model];
      const at = { x: target.x_mm, y: target.y_mm };
      const move = view.move.move;
      const zone = move?.model === target.model ? zoneOf(view) : [];
      const legal = zone.length ? isIn(zone, at) : null;
      const start = held.way[0];
      const left = leftOf(view, held, at);
      const outcome = legal === false || (left && left.mm < -COARSE_MM) ? "illegal" : legal ? "legal" : "note";
      drawWay(ctx, mapping, [...held.way, at], view.palette[`path-${outcome}`] ?? view.palette.path);
      const stop = legal === false ? furthest(zone, start, at) : null;
      if (stop) drawStop(ctx, mapping, model, stop, target.facing_deg, view.palette.stop);
      if (left) write(ctx, mapping, at, left.text, view.palette[`way-${outcome}`]?.stroke ?? "#ffffff", text_px);
    },
  };
}

/**
 * What is left of the way that a hand has taken, in words; null where no length is limited.
 * @param {View} view @param {{ model: string, way: Point[], before_mm: number }} held @param {Point} at
 */
function leftOf(view, held, at) {
  const limit_mm = view.ways[held.model]?.limit_mm ?? view.move.move?.limit_mm ?? null;
  if (limit_mm === null) return null;
  let gone_mm = held.before_mm;
  [...held.way.slice(1), at].forEach(({ x, y }, i) => (gone_mm += Math.hypot(x - held.way[i].x, y - held.way[i].y)));
  const way = { outcome: /** @type {const} */ ("note"), measured_mm: gone_mm, limit_mm, sigma_mm: null, moving: true };
  return { mm: limit_mm - gone_mm, text: rest(way, view.table.table?.unit ?? "in") };
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {Point[]} way @param {PaintView} paint */
function drawWay(ctx, mapping, way, paint) {
  inMillimetres(ctx, mapping);
  ctx.lineJoin = ctx.lineCap = "round";
  ctx.setLineDash(paint.dash_mm);
  ctx.beginPath();
  way.forEach(({ x, y }, i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
  ctx.strokeStyle = paint.stroke;
  ctx.lineWidth = Math.max(paint.width_mm, 3 / mapping.scale);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** The base where the hand may put it at most. @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {ModelView} model @param {Point} at @param {number} facing_deg @param {PaintView} paint */
function drawStop(ctx, mapping, model, at, facing_deg, paint) {
  inMillimetres(ctx, mapping);
  ctx.translate(at.x, at.y);
  ctx.rotate(radians(facing_deg));
  const path = basePath(model.base);
  ctx.fillStyle = paint.fill;
  ctx.fill(path);
  ctx.strokeStyle = paint.stroke;
  ctx.lineWidth = 2.5 / mapping.scale;
  ctx.stroke(path);
}

/** Writes above a finger. @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {Point} at @param {string} text @param {string} colour @param {number} size */
function write(ctx, mapping, at, text, colour, size) {
  const { x, y } = toScreen(mapping, at.x, at.y);
  inPixels(ctx);
  ctx.font = `700 ${Math.round(size * 1.35)}px ${FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const half = ctx.measureText(text).width / 2 + 10;
  const width = ctx.canvas.width / devicePixelRatio;
  const middle = Math.min(Math.max(x, half), width - half);
  const height = y - ABOVE_PX < size * 2 ? y + ABOVE_PX : y - ABOVE_PX;
  ctx.fillStyle = "#14171ae0";
  ctx.beginPath();
  ctx.roundRect(middle - half, height - size, 2 * half, 2 * size, size);
  ctx.fill();
  ctx.fillStyle = colour;
  ctx.fillText(text, middle, height);
}
