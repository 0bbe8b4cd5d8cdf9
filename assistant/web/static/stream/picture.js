// @ts-check
// Draws the table for viewers: over the picture of its camera, or by itself from above.

/** @import { LookoutView, ModelView, PaintView, ShapeView, View } from "../messages.js" */
/** @import { Box } from "../common/boxes.js" */
/** @import { Mapping } from "../common/geometry.js" */
/** @import { TablePhoto } from "../common/photo.js" */
import { OVER, UNDER, drawGround, drawModels, drawShapes, drawTerrain, inPixels } from "../common/draw.js";
import { baseOutline, toScreen } from "../common/geometry.js";
import { drawLabels, drawTerrainNames, shapeLabels, unitLabels } from "../common/labels.js";
import { boxesOf, drawNumbers, placeNumbers } from "../common/laying-numbers.js";
import { readFrom } from "../common/reading.js";
import { flatOf } from "../common/warp.js";
import { shownAs } from "../common/words.js";
import { uprightEdge, warpOver } from "./lookout.js";

/** Of a picture 1080 pixels high. */
const TEXT_PX = 30;
const MARGIN_PX = 20;
const BAR_PX = 112;
const LOWER_PX = 170;
/** On either side of a line. */
const HALO_MM = 2;
const RING_MM = 3;
const WIDER = 1.3;
/** A line's colour may be as bright as what it lies on: all are drawn on a darker and wider one. */
const HALO = "#000000b8";

/** A pixel of a picture 1080 pixels high, or wide where it is upright. @param {number} width @param {number} height  of the page */
const unitOf = (width, height) => (height > width ? width : Math.min(height, (width * 9) / 16)) / 1080;

/**
 * Where on the page the scene is: between what is said above and below it.
 * @param {number} width @param {number} height @param {{ scale: number, bar: boolean, lower: boolean }} options  lower: it says something now
 * @returns {Box}
 */
export function placeOf(width, height, { scale, bar, lower }) {
  const px = unitOf(width, height);
  const rows = height > width ? 2 : 1;
  const [above, below, beside] = [bar ? rows * BAR_PX * px * scale : 0, lower ? LOWER_PX * px * scale : 0, MARGIN_PX * px];
  return { x: beside, y: above + beside, w: width - 2 * beside, h: height - above - below - 2 * beside };
}

/**
 * The table from above.
 * @param {CanvasRenderingContext2D} ctx @param {View} view @param {Mapping} mapping @param {{ scale: number, ground: boolean }} options
 * @param {TablePhoto} photo
 */
export function drawTable(ctx, view, mapping, { scale, ground }, photo) {
  const { clientWidth: width, clientHeight: height } = ctx.canvas;
  const text_px = TEXT_PX * unitOf(width, height) * scale;
  const bold = { ...view, palette: widened(view.palette, WIDER) };
  const [whole, part] = [photo(), photo.part()];
  /** @type {import("../common/boxes.js").Box[]} */
  let names = [];
  if (ground) {
    drawGround(ctx, mapping, view.table.table, whole);
    if (part) drawPart(ctx, mapping, part);
    drawTerrain(ctx, mapping, view, whole !== null);
    if (!view.laying.laying) names = drawTerrainNames(ctx, mapping, view, 0.8 * text_px);
  }
  if (!ground || whole) drawShapes(ctx, mapping, { ...view, palette: haloed(bold.palette) });
  drawShapes(ctx, mapping, bold, UNDER);
  drawModels(ctx, mapping, view, undefined, whole !== null);
  drawShapes(ctx, mapping, bold, OVER);
  name(ctx, mapping, view, text_px, names);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {import("../common/call-drawing.js").Photo} part */
function drawPart(ctx, mapping, { area, image }) {
  inPixels(ctx);
  const { x, y } = toScreen(mapping, area.left, area.low + area.depth);
  ctx.drawImage(image, x, y, area.width * mapping.scale, area.depth * mapping.scale);
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
  const size = (TEXT_PX * scale * unitOf(width, height)) / devicePixelRatio;
  name(ctx, readFrom(flat, table, uprightEdge(warp, table)), view, size);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {number} size @param {import("../common/boxes.js").Box[]} [names]  of terrain */
function name(ctx, mapping, view, size, names = []) {
  const numbers = placeNumbers(view, () => "near", size / mapping.scale);
  drawNumbers(ctx, mapping, view, numbers);
  drawLabels(ctx, mapping, view, [...shapeLabels(mapping, view), ...unitLabels(mapping, view)], size, { covered: boxesOf(mapping, numbers), names });
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
