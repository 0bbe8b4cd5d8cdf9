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
      if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
      own.setTransform(1, 0, 0, 1, 0, 0);
      own.clearRect(0, 0, width, height);
      paint(own);
      made = now;
    }
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(canvas, 0, 0);
  };
}

/**
 * Returns what draws a view's table on an empty canvas: all but labels, and what belongs to a hand on the page.  That
 * returns where the names of terrain stand.
 * It is for one canvas; a mapping that is warped cannot be drawn so.
 */
export function tableDrawing() {
  const ground = kept();
  const figures = kept();
  const resting = kept();
  /** @type {import("./boxes.js").Box[]} */
  let names = [];
  return (
    /** @type {CanvasRenderingContext2D} */ ctx,
    /** @type {Mapping} */ mapping,
    /** @type {View} */ view,
    /** @type {number} */ text_px,
    /** @type {ShapeView | null} */ lookedAt = null,
    /** @type {ImageBitmap | null} */ photo = null,
  ) => {
    const table = view.table.table;
    if (!table) return [];
    const { scale, left, top } = mapping;
    const { unit = null, model = null } = view.move.move ?? {};
    const models = Object.entries(view.models);
    const still = models.filter(([, { moving }]) => !moving);
    const ofGround = [scale, left, top, table, view.terrain, view.palette, text_px, photo, view.laying.laying];
    const ofFigures = [scale, left, top, view.palette, view.units, photo !== null, ...still.map(([, resting]) => resting)];
    // At a touch only shapes change, and who is picked: a picked model is drawn over itself, unpicked.
    // Not all shapes: some go along with a model that moves.
    const below = Object.values(view.shapes).filter(({ layer }) => UNDER.includes(layer));
    resting(ctx, [...ofGround, ...ofFigures, unit, model, lookedAt, ...below], (picture) => {
      ground(picture, ofGround, (lowest) => {
        drawGround(lowest, mapping, table, photo);
        drawTerrain(lowest, mapping, view, photo !== null);
        names = view.laying.laying ? [] : drawTerrainNames(lowest, mapping, view, text_px);
      });
      picture.globalAlpha = lookedAt ? DIMMED : 1;
      drawShapes(picture, mapping, view, UNDER);
      picture.globalAlpha = 1;
      figures(picture, ofFigures, (over) => drawModels(over, mapping, { ...view, move: {} }, still, photo !== null));
      const picked = still.filter(([, each]) => each.unit === unit);
      drawModels(picture, mapping, view, picked, photo !== null);
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
    return names;
  };
}
