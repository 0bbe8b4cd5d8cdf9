// @ts-check
// What leads a hand that moves a model on the page, drawn under the finger, and written above it.

/** @import { PaintView, View } from "../messages.js" */
/** @import { Mapping, Point } from "../common/geometry.js" */
/** @import { Lead, Target } from "../common/lead.js" */
import { drawShapes, inPixels } from "../common/draw.js";
import { toScreen } from "../common/geometry.js";
import { FONT } from "../common/labels.js";

/** What is written stands so far above a finger, which covers what is under it. */
const ABOVE_PX = 54;
/** Lines that are followed with a finger. */
const THINNEST_PX = 3;

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {Target} target @param {Lead} lead @param {number} text_px */
export function drawGuide(ctx, mapping, view, target, { outcome, left, shapes }, text_px) {
  const palette = Object.fromEntries(Object.values(shapes).map(({ style }) => [style, wider(view.palette[style], mapping)]));
  drawShapes(ctx, mapping, { ...view, shapes, palette });
  const at = { x: target.x_mm, y: target.y_mm };
  if (left) write(ctx, mapping, at, left, view.palette[`way-${outcome}`]?.stroke ?? "#ffffff", text_px);
}

/** @param {PaintView} paint @param {Mapping} mapping @returns {PaintView} */
const wider = (paint, { scale }) => ({ ...paint, width_mm: Math.max(paint.width_mm, THINNEST_PX / scale) });

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
