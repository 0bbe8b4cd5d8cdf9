// @ts-check
// Draws the table, and keeps pictures of what stays as it is: while a few models move, only those are drawn anew.

/** @import { Mapping } from "./geometry.js" */
/** @import { ShapeView, View } from "../messages.js" */
import { OVER, UNDER, drawGround, drawModels, drawShapes, drawTerrain } from "./draw.js";
import { drawTerrainNames } from "./labels.js";

/** How much of the other shapes is left while one is looked at. */
const DIMMED = 0.3;

/**
 * Makes a picture that is kept.  The function returned puts it on a canvas of any size, where nothing is drawn yet, and
 * paints it anew only if it is to be made of other things than the last time, or of another size.
 */
function kept() {
  const canvas = document.createElement("canvas");
  const own = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {unknown[]} */
  let made = [];
  return (
    /** @type {CanvasRenderingContext2D} */ ctx,
    /** @type {unknown[]} */ of,
    /** @type {(ctx: CanvasRenderingContext2D) => void} */ paint,
  ) => {
    const { width, height } = ctx.canvas;
    const now = [width, height, devicePixelRatio, ...of];
    if (now.length !== made.length || now.some((thing, at) => thing !== made[at])) {
      [canvas.width, canvas.height] = [width, height]; // which clears it
      paint(own);
      made = now;
    }
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(canvas, 0, 0);
  };
}

/**
 * Returns what draws a view's table on an empty canvas: all but labels, and what belongs to a hand on the page.
 * It is for one canvas; a mapping that is warped cannot be drawn so.
 */
export function tableDrawing() {
  const ground = kept();
  const resting = kept();
  return (
    /** @type {CanvasRenderingContext2D} */ ctx,
    /** @type {Mapping} */ mapping,
    /** @type {View} */ view,
    /** @type {number} */ text_px,
    /** @type {ShapeView | null} */ lookedAt = null,
    /** @type {ImageBitmap | null} */ photo = null,
  ) => {
    const table = view.table.table;
    if (!table) return;
    const { scale, left, top } = mapping;
    const { unit = null, model = null } = view.move.move ?? {};
    const models = Object.entries(view.models);
    const still = models.filter(([, { moving }]) => !moving);
    // Not all shapes: some go along with a model that moves.
    const below = Object.values(view.shapes).filter(({ layer }) => UNDER.includes(layer));
    const under = [scale, left, top, table, view.terrain, view.palette, text_px, lookedAt, photo, ...below];
    const of = [...under, view.units, unit, model, ...still.map(([, resting]) => resting)];
    resting(ctx, of, (picture) => {
      ground(picture, under, (lowest) => {
        drawGround(lowest, mapping, table, photo);
        drawTerrain(lowest, mapping, view, photo !== null);
        if (!view.laying.laying) drawTerrainNames(lowest, mapping, view, text_px);
        lowest.globalAlpha = lookedAt ? DIMMED : 1;
        drawShapes(lowest, mapping, view, UNDER);
        lowest.globalAlpha = 1;
      });
      drawModels(picture, mapping, view, still, photo !== null);
    });
    drawModels(
      ctx,
      mapping,
      view,
      models.filter(([, { moving }]) => moving),
      photo !== null,
    );
    ctx.globalAlpha = lookedAt ? DIMMED : 1;
    drawShapes(ctx, mapping, view, OVER);
    ctx.globalAlpha = 1;
    if (lookedAt) drawShapes(ctx, mapping, { ...view, shapes: { lookedAt } });
  };
}
