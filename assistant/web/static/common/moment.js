// @ts-check
// A moment of a game as a picture to send around: the table with who stands where, and whose game it is and when.

/** @import { View } from "../messages.js" */
import { OVER, UNDER, drawGround, drawModels, drawShapes, drawTerrain, inPixels } from "./draw.js";
import { fit } from "./geometry.js";
import { FONT, drawLabels, drawTerrainNames, shapeLabels, unitLabels } from "./labels.js";

/**
 * A moment, and how to come to others around it.
 * @typedef {object} Moment
 * @property {View} view
 * @property {number | null} at_ns  since the game's beginning; null where nothing is recorded
 * @property {string} title  of the game
 * @property {string} when
 * @property {string} said  what happens, in a sentence; may be empty
 * @property {string} about  the recording and what vouches for it
 * @property {CanvasImageSource | null} photo  the camera's picture of the table from straight above
 */

/** Of the height, what is written below. */
const WORDS = 0.13;
const MARGIN = 0.018;
const WIDEST = 16 / 9;

/** The size of a picture of a moment, so wide that little beside the table is empty; even, as films ask for. @param {Moment} moment @param {number} width */
export function sizeOf({ view: { table: { table } } }, width) {
  const ratio = Math.min(WIDEST, Math.max(1, (table.width_mm / table.depth_mm) * (1 - WORDS)));
  return [width, 2 * Math.round(width / ratio / 2)];
}

/** @param {CanvasRenderingContext2D} ctx @param {Moment} moment */
export function drawMoment(ctx, { view, title, when, said, about, photo }) {
  const [width, height] = [ctx.canvas.width / devicePixelRatio, ctx.canvas.height / devicePixelRatio];
  const table = view.table.table;
  const [stage, margin] = [height * (1 - WORDS), MARGIN * height];
  const mapping = fit(table, width, stage, margin);
  inPixels(ctx);
  ctx.fillStyle = "#14171a";
  ctx.fillRect(0, 0, width, height);
  drawGround(ctx, mapping, table, photo);
  drawTerrain(ctx, mapping, view, photo !== null);
  const text_px = 0.024 * height;
  const names = drawTerrainNames(ctx, mapping, view, text_px);
  drawShapes(ctx, mapping, view, UNDER);
  drawModels(ctx, mapping, view, undefined, photo !== null);
  drawShapes(ctx, mapping, view, OVER);
  drawLabels(ctx, mapping, view, [...shapeLabels(mapping, view), ...unitLabels(mapping, view)], text_px, { names });
  inPixels(ctx);
  const [line, left] = [height * WORDS, 2 * margin];
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.fillStyle = "#e8b65a";
  ctx.font = `650 ${0.3 * line}px ${FONT}`;
  ctx.fillText(when, width - left, stage + 0.22 * line);
  const room = width - 3 * left - ctx.measureText(when).width;
  ctx.textAlign = "left";
  ctx.fillStyle = "#f2efe9";
  ctx.font = `700 ${0.3 * line}px ${FONT}`;
  ctx.fillText(cut(ctx, title, room), left, stage + 0.22 * line);
  ctx.font = `${0.22 * line}px ${FONT}`;
  ctx.fillText(cut(ctx, said, width - 2 * left), left, stage + 0.53 * line);
  ctx.fillStyle = "#aeb4b3";
  ctx.font = `${0.16 * line}px ${FONT}`;
  ctx.fillText(cut(ctx, about, width - 2 * left), left, stage + 0.79 * line);
}

/** A text as far as it fits. @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} room_px */
function cut(ctx, text, room_px) {
  if (ctx.measureText(text).width <= room_px) return text;
  let kept = text;
  while (kept && ctx.measureText(`${kept}…`).width > room_px) kept = kept.slice(0, -1);
  return `${kept}…`;
}
