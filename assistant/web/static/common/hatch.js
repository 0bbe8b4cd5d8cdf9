// @ts-check
// Lines across an area, for who cannot go by colours.

/** @import { PaintView } from "../messages.js" */

const APART_PX = 9;
const WIDE_PX = 1.2;

/**
 * Fills a path with the hatch of a paint, if it has one; the path's units are those of the canvas's transform now.
 * @param {CanvasRenderingContext2D} ctx @param {Path2D} path @param {PaintView} paint
 * @param {number} size  how many pixels a unit is
 * @param {CanvasFillRule} [rule]
 */
export function hatched(ctx, path, paint, size, rule = "evenodd") {
  if (!paint.hatch) return;
  ctx.save();
  ctx.clip(path, rule);
  ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0); // lines as wide and as far apart at every zoom
  ctx.strokeStyle = paint.stroke;
  ctx.globalAlpha *= 0.55;
  ctx.lineWidth = WIDE_PX;
  ctx.setLineDash([]);
  const [w, h] = [ctx.canvas.width / devicePixelRatio, ctx.canvas.height / devicePixelRatio];
  const apart = Math.max(4, Math.min(APART_PX, 40 * size));
  ctx.beginPath();
  for (let at = -h; at < w + h; at += apart) {
    if (paint.hatch !== "falling") (ctx.moveTo(at, h), ctx.lineTo(at + h, 0));
    if (paint.hatch !== "rising") (ctx.moveTo(at, 0), ctx.lineTo(at + h, h));
  }
  ctx.stroke();
  ctx.restore();
}
