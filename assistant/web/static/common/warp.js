// @ts-check
// Where a calibrated projector's light for a place on the table comes from.  Everything here is in the canvas's own
// pixels, counted from the corner of the first: half a pixel more than where the calibration counts from.

/** @import { WarpView } from "../messages.js" */
/** @import { Mapping, Point } from "./geometry.js" */

/** @typedef {[number, number]} Pair */
/**
 * @typedef {object} Warp
 * @property {(x_mm: number, y_mm: number) => Pair} pixel
 * @property {(x_mm: number, y_mm: number) => [number, number, number, number]} slope  how x, y of the pixel go with x, and with y
 * @property {(x_mm: number, y_mm: number) => number} scale  pixels a millimetre
 */

/** A drawn edge is nowhere farther than this from where a straight edge on the table is lit. */
const WITHIN_MM = 0.04;
/** Longer pieces are always divided: a bend may hide from a look at the middle. */
const LONGEST_MM = 120;
const DEEPEST = 12;
/** A line's width follows the scale in steps of this share. */
const WIDTH_STEP = 0.02;

/** @param {WarpView} view @returns {Warp} */
export function warpOf({ homography: h, centre_px: [cx, cy], radius_px: unit, distortion: [k1, k2, p1, p2] }) {
  /** @type {Warp["pixel"]} */
  const pixel = (x, y) => {
    const depth = h[6] * x + h[7] * y + h[8];
    const a = ((h[0] * x + h[1] * y + h[2]) / depth - cx) / unit;
    const b = ((h[3] * x + h[4] * y + h[5]) / depth - cy) / unit;
    const r2 = a * a + b * b;
    const swell = 1 + r2 * (k1 + r2 * k2);
    return [
      cx + unit * (a * swell + 2 * p1 * a * b + p2 * (r2 + 2 * a * a)) + 0.5,
      cy + unit * (b * swell + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b) + 0.5,
    ];
  };
  return warpThrough(pixel);
}

/** A warp of which only is known where it lights each place. @param {Warp["pixel"]} pixel @returns {Warp} */
export function warpThrough(pixel) {
  /** @type {Warp["slope"]} */
  const slope = (x, y) => {
    const [left, right, near, far] = [pixel(x - 0.5, y), pixel(x + 0.5, y), pixel(x, y - 0.5), pixel(x, y + 0.5)];
    return [right[0] - left[0], right[1] - left[1], far[0] - near[0], far[1] - near[1]];
  };
  return {
    pixel,
    slope,
    scale: (x, y) => {
      const [a, b, c, d] = slope(x, y);
      return Math.sqrt(Math.abs(a * d - b * c));
    },
  };
}

/**
 * A place to lay out text on the table before it is warped: flat, with about as many pixels a millimetre.
 * @param {Warp} warp @param {{ width_mm: number, depth_mm: number }} table
 * @returns {Mapping}
 */
export function flatOf(warp, { width_mm, depth_mm }) {
  const scale = warp.scale(width_mm / 2, depth_mm / 2) / devicePixelRatio;
  return { scale, left: 0, top: depth_mm * scale, warp, room: { x: 0, y: 0, w: width_mm * scale, h: depth_mm * scale } };
}

/**
 * Lets text that is laid out flat at a point be drawn so that it lies flat there on the table.
 * @param {CanvasRenderingContext2D} ctx @param {Warp} warp @param {Mapping} flat @param {Point} at  in the flat's pixels
 */
export function layFlat(ctx, warp, { scale, left, top }, at) {
  const [x, y] = [(at.x - left) / scale, (top - at.y) / scale];
  const [a, b, c, d] = warp.slope(x, y).map((v) => v / scale);
  const [px, py] = warp.pixel(x, y);
  ctx.setTransform(a, b, -c, -d, px - a * at.x + c * at.y, py - b * at.x + d * at.y);
}

/**
 * The pieces of a line on the table that are straight for the projector, too.
 * @param {Warp} warp @param {Pair[]} points  millimetres @param {boolean} closed
 * @returns {{ mm: Pair, px: Pair }[]}  a closed line ends where it began
 */
export function warped(warp, points, closed) {
  if (points.length === 0) return [];
  const at = (/** @type {Pair} */ mm) => ({ mm, px: warp.pixel(...mm) });
  const ends = closed ? [...points, points[0]] : points;
  const line = [at(ends[0])];
  for (const end of ends.slice(1)) divide(warp, line, at(end), 0);
  return line;
}

/** @param {Warp} warp @param {{ mm: Pair, px: Pair }[]} line @param {{ mm: Pair, px: Pair }} end @param {number} depth */
function divide(warp, line, end, depth) {
  const start = line[line.length - 1];
  const length = Math.hypot(end.mm[0] - start.mm[0], end.mm[1] - start.mm[1]);
  /** @type {Pair} */
  const mm = [(start.mm[0] + end.mm[0]) / 2, (start.mm[1] + end.mm[1]) / 2];
  const middle = { mm, px: warp.pixel(...mm) };
  const [dx, dy] = [end.px[0] - start.px[0], end.px[1] - start.px[1]];
  const off = Math.abs(dx * (middle.px[1] - start.px[1]) - dy * (middle.px[0] - start.px[0])) / Math.max(1e-9, Math.hypot(dx, dy));
  if (depth < DEEPEST && (length > LONGEST_MM || off > WITHIN_MM * warp.scale(...mm))) {
    divide(warp, line, middle, depth + 1);
    divide(warp, line, end, depth + 1);
  } else {
    line.push(end);
  }
}

/**
 * Fills rings on the table.
 * @param {CanvasRenderingContext2D} ctx @param {Warp} warp @param {Pair[][]} rings
 */
export function fillWarped(ctx, warp, rings) {
  const path = new Path2D();
  for (const ring of rings) {
    warped(warp, ring, true).forEach(({ px }, i) => (i ? path.lineTo(...px) : path.moveTo(...px)));
    path.closePath();
  }
  ctx.fill(path, "evenodd");
}

/**
 * Draws a line on the table as wide there everywhere, though the projector's scale changes along it.
 * @param {CanvasRenderingContext2D} ctx @param {Warp} warp
 * @param {Pair[]} points @param {boolean} closed @param {number} width_mm @param {number[]} [dash_mm]
 */
export function strokeWarped(ctx, warp, points, closed, width_mm, dash_mm = []) {
  const line = warped(warp, points, closed);
  let from = 0;
  let gone_mm = 0;
  while (from < line.length - 1) {
    const scale = warp.scale(...line[from].mm);
    const path = new Path2D();
    path.moveTo(...line[from].px);
    let to = from;
    let length_mm = 0;
    do {
      const [a, b] = [line[to].mm, line[to + 1].mm];
      length_mm += Math.hypot(b[0] - a[0], b[1] - a[1]);
      path.lineTo(...line[++to].px);
    } while (to < line.length - 1 && Math.abs(warp.scale(...line[to].mm) / scale - 1) < WIDTH_STEP);
    if (closed && from === 0 && to === line.length - 1) path.closePath();
    ctx.lineWidth = width_mm * scale;
    ctx.setLineDash(dash_mm.map((mm) => mm * scale));
    ctx.lineDashOffset = gone_mm * scale;
    ctx.stroke(path);
    gone_mm += length_mm;
    from = to;
  }
  ctx.setLineDash([]);
  ctx.lineDashOffset = 0;
}
