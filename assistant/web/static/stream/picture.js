// @ts-check
// Draws the table for viewers: over the picture of its camera, or by itself from above.

/** @import { LookoutView, ModelView, PaintView, ShapeView, View } from "../messages.js" */
/** @import { Mapping } from "../common/geometry.js" */
import { OVER, UNDER, drawGround, drawModels, drawShapes, drawTerrain } from "../common/draw.js";
import { baseOutline, fit } from "../common/geometry.js";
import { drawLabels, drawTerrainNames, shapeLabels, unitLabels } from "../common/labels.js";
import { readFrom } from "../common/reading.js";
import { flatOf } from "../common/warp.js";
import { shownAs } from "../common/words.js";
import { uprightEdge, warpOver } from "./lookout.js";

/** Of a picture 1080 pixels high. */
const TEXT_PX = 21;
const MARGIN_PX = 40;
const LOWER_PX = 150;
/** On either side of a line. */
const HALO_MM = 2;
const RING_MM = 3;
const WIDER = 1.3;
/** A line's colour may be as bright as what it lies on: all are drawn on a darker and wider one. */
const HALO = "#000000b8";

/**
 * The table from above, with room for what is said below it.
 * @param {CanvasRenderingContext2D} ctx @param {View} view @param {{ scale: number, lower: boolean, ground: boolean }} options
 * @param {ImageBitmap | null} photo
 */
export function drawTable(ctx, view, { scale, lower, ground }, photo) {
  const { clientWidth: width, clientHeight: height } = ctx.canvas;
  const unit = Math.min(height, (width * 9) / 16) / 1080;
  const band = lower ? LOWER_PX * unit * scale : 0;
  const mapping = fit(view.table.table, width, height - band, MARGIN_PX * unit);
  const bold = { ...view, palette: widened(view.palette, WIDER) };
  if (ground) {
    drawGround(ctx, mapping, view.table.table, photo);
    drawTerrain(ctx, mapping, view, photo !== null);
    drawTerrainNames(ctx, mapping, view, 0.8 * TEXT_PX * unit * scale);
  }
  if (!ground || photo) drawShapes(ctx, mapping, { ...view, palette: haloed(bold.palette) });
  drawShapes(ctx, mapping, bold, UNDER);
  drawModels(ctx, mapping, view, undefined, photo !== null);
  drawShapes(ctx, mapping, bold, OVER);
  name(ctx, mapping, view, TEXT_PX * unit * scale);
}

/**
 * What is drawn over the camera's own picture, which the page is as large as.
 * @param {CanvasRenderingContext2D} ctx @param {View} view @param {LookoutView} lookout @param {{ scale: number }} options
 */
export function drawOver(ctx, view, lookout, { scale }) {
  const { width, height } = ctx.canvas;
  const table = view.table.table;
  const warp = warpOver(lookout, width, height);
  const flat = flatOf(warp, table);
  const palette = { ...widened(view.palette, WIDER), ...rings(view) };
  /** @param {Mapping} mapping @param {View["shapes"]} shapes */
  const draw = (mapping, shapes) => {
    drawShapes(ctx, mapping, { ...view, shapes, palette: haloed(palette) });
    drawShapes(ctx, mapping, { ...view, shapes, palette });
  };
  draw(flat, view.shapes);
  // A base on a roof is nearer to the camera, so its ring is elsewhere in the picture.
  for (const [z_mm, models] of byHeight(view)) draw(flatOf(warpOver(lookout, width, height, z_mm), table), ringShapes(models, view));
  const size = (TEXT_PX * scale * Math.min(height, (width * 9) / 16)) / 1080 / devicePixelRatio;
  name(ctx, readFrom(flat, table, uprightEdge(warp, table)), view, size);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {number} size */
function name(ctx, mapping, view, size) {
  drawLabels(ctx, mapping, view, [...shapeLabels(mapping, view), ...unitLabels(mapping, view)], size);
}

/** @param {View["palette"]} palette @param {number} times @returns {View["palette"]} */
const widened = (palette, times) => changed(palette, (paint) => ({ ...paint, width_mm: times * paint.width_mm }));

/** @param {View["palette"]} palette @returns {View["palette"]} */
const haloed = (palette) => changed(palette, ({ width_mm }) => ({ stroke: HALO, fill: "", width_mm: width_mm + 2 * HALO_MM, dash_mm: [], hatch: "" }));

/** @param {View["palette"]} palette @param {(paint: PaintView) => PaintView} change @returns {View["palette"]} */
const changed = (palette, change) => Object.fromEntries(Object.entries(palette).map(([style, paint]) => [style, change(paint)]));


/** The paint of each side's rings. @param {View} view @returns {View["palette"]} */
function rings(view) {
  const sides = Object.entries(view.palette).filter(([style]) => style.startsWith("side-"));
  return Object.fromEntries(
    sides.flatMap(([style, { stroke }]) => [
      [`ring ${style}`, { stroke, fill: "", width_mm: RING_MM, dash_mm: [], hatch: "" }],
      [`ring ${style} unseen`, { stroke, fill: "", width_mm: RING_MM, dash_mm: [7, 6], hatch: "" }],
    ]),
  );
}

/** @param {[string, ModelView][]} models @param {View} view @returns {Record<string, ShapeView>} */
function ringShapes(models, view) {
  return Object.fromEntries(
    models.map(([id, model]) => {
      const style = `ring side-${(view.units[model.unit]?.side ?? 0) % 4}${shownAs(model) === "seen" ? "" : " unseen"}`;
      return [`ring ${id}`, { layer: "named", rings_mm: [baseOutline(model)], closed: true, style, label: "", on: null }];
    }),
  );
}

/** @param {View} view @returns {Map<number, [string, ModelView][]>} */
function byHeight(view) {
  /** @type {Map<number, [string, ModelView][]>} */
  const found = new Map();
  for (const entry of Object.entries(view.models)) found.set(entry[1].z_mm, [...(found.get(entry[1].z_mm) ?? []), entry]);
  return found;
}
