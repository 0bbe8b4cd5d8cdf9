// @ts-check
// Draws the light for the table: shapes, words, and darkness where nothing may shine.

/** @import { LightsView, View } from "../messages.js" */
/** @import { Box } from "../common/boxes.js" */
/** @import { Words } from "../common/caption.js" */
/** @import { Mapping } from "../common/geometry.js" */
import { grown } from "../common/boxes.js";
import { captionOf, writer } from "../common/caption.js";
import { darken, drawCheck, drawShapes } from "../common/draw.js";
import { baseBoxes, drawLabels, shapeLabels } from "../common/labels.js";
import { drawNumbers, edgeAt, placeNumbers } from "../common/laying-numbers.js";
import { boxFor, edgesOf, placeOf, readFrom } from "../common/reading.js";

const DARK_MARGIN_MM = 5;
const ANCHOR_MARGIN_MM = 4;
/** A line of fewer pixels is dull: half of it falls on its neighbours. */
const THINNEST_PX = 3;
/** Read from a metre away. */
const LABEL_MM = 18;
/** What is left of a way is read while one's eyes are on the model: so much larger. */
const LEFT = 1.35;

/** @typedef {ReturnType<ReturnType<import("../common/lead.js").carrying>>["carried"]} Carried  what a hand carries over the table */

/** @type {LightsView} as it is where nobody set it */
export const AS_IT_COMES = { brightness: 1, line_width: 1, hidden: [], seats: {}, colours: "usual", paints: {}, mat: "", samples: [] };

/**
 * Returns what draws the light.
 * @returns {(ctx: CanvasRenderingContext2D, mapping: Mapping, view: View, edge: LightsView["seats"][string], note: Words | null, carried?: Carried) => void}
 */
export function shining() {
  const [caption, aside] = [writer(), writer()];
  return (ctx, mapping, whole, edge, note, carried = null) => {
    const lights = whole.lights.lights ?? AS_IT_COMES;
    const view = lit(whole, lights, THINNEST_PX / mapping.scale);
    const projector = view.projector.projector;
    const table = view.table.table;
    const read = readFrom(mapping, table, edge);
    drawShapes(ctx, mapping, view);
    if (projector?.checking) drawCheck(ctx, mapping, table, projector.dark_mm);
    const scene = caption(ctx, read, view, captionOf(view));
    const covered = [...scene, ...aside(ctx, read, view, note, scene)];
    const laying = view.laying.laying;
    if (laying) drawNumbers(ctx, mapping, view, placeNumbers(view, (step) => edgeAt(view, step)));
    if (!laying && !lights.hidden.includes("labels")) {
      // Words on a roof would be torn, and those on a fixed tag go out.
      const roofs = Object.values(view.terrain).filter((piece) => piece.height_mm > 0);
      const rings = [...roofs.map((roof) => roof.outline_mm), ...(projector?.dark_mm ?? [])];
      const size = Math.max(11, LABEL_MM * mapping.scale);
      const keep = (/** @type {Mapping} */ to) => ({
        covered: covered.map((box) => boxFor(box, read, to)),
        rings: rings.map((ring) => ring.map(([x, y]) => placeOf(to, x, y))),
        clear_px: DARK_MARGIN_MM * mapping.scale,
      });
      covered.push(...tellAll(ctx, read, view, carried, LEFT * size, keep));
      drawLabels(ctx, read, unled(view, carried), shapeLabels(read, unled(view, carried)), size, keep(read));
    }
    // Nothing may shine on a marker.
    darken(ctx, mapping, view, DARK_MARGIN_MM, ANCHOR_MARGIN_MM);
    veil(ctx, lights.brightness);
  };
}

/**
 * Writes what is left of the way of a model in somebody's hand: for everybody upright, at the side where they sit.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} read @param {View} view @param {Carried} carried @param {number} size
 * @param {(to: Mapping) => import("../common/labels.js").Keep} keep
 * @returns {Box[]} the place that is taken, in the reader's pixels
 */
function tellAll(ctx, read, view, carried, size, keep) {
  if (!carried?.left) return [];
  const colour = view.palette[`way-${carried.outcome}`]?.stroke ?? "#ffffff";
  /** @type {Record<string, number>} */
  const halos_mm = view.projector.projector?.halos_mm ?? {};
  const halo_mm = halos_mm[carried.model] ?? 0;
  /** @type {Box[]} */
  const taken = [];
  for (const edge of edgesOf(view)) {
    const own = readFrom(read, view.table.table, edge);
    const { covered = [], ...rest } = keep(own);
    const others = [...covered, ...taken.map((box) => boxFor(box, read, own))];
    const label = { text: carried.left, around: grown(baseBoxes(own, view)[carried.model], halo_mm * read.scale), colour };
    taken.push(...drawLabels(ctx, own, view, [label], size, { ...rest, covered: others }).map((box) => boxFor(box, own, read)));
  }
  return taken;
}

/** A view without what is told at a hand already. @param {View} view @param {Carried} carried @returns {View} */
function unled(view, carried) {
  const { [`way:${carried?.model}`]: _, ...shapes } = view.shapes;
  return { ...view, shapes };
}

/**
 * A view as it is lit: without what shall not shine, in the colours for this mat, its lines as wide as they are set.
 * @param {View} view @param {LightsView} lights @param {number} [least_mm]  of a line @returns {View}
 */
export function lit(view, { hidden, line_width, paints }, least_mm = 0) {
  /** @type {string[]} */
  const left_out = hidden;
  return {
    ...view,
    shapes: Object.fromEntries(Object.entries(view.shapes).filter(([, shape]) => !left_out.includes(shape.layer))),
    palette: Object.fromEntries(
      Object.entries({ ...view.palette, ...paints }).map(([style, paint]) => [style, { ...paint, width_mm: Math.max(least_mm, line_width * paint.width_mm) }]),
    ),
  };
}

/** Dims all light evenly. @param {CanvasRenderingContext2D} ctx @param {number} brightness */
function veil(ctx, brightness) {
  if (brightness >= 1) return;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = `rgb(0 0 0 / ${1 - brightness})`;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
}
