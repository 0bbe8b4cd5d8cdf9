// @ts-check
// The table at a moment, to look at, zoom and touch; with what is measured, ruled on, or otherwise than at the other moment.

/** @import { FoundView, MeasuredView, View } from "../messages.js" */
/** @import { Mapping, Point } from "../common/geometry.js" */
/** @import { Difference } from "./compare.js" */
import { OVER, UNDER, drawGround, drawModels, drawShapes, drawTerrain, inMillimetres, inPixels } from "../common/draw.js";
import { repainter, resize } from "../common/draw.js";
import { basePath, fit, radians, reach, toScreen, toTable, zoomed } from "../common/geometry.js";
import { baseBoxes, drawLabels, drawTerrainNames, labelSize, shapeLabels, unitLabels } from "../common/labels.js";
import { typeScale } from "../common/preferences.js";
import { gestures } from "../tablet/gestures.js";
import { differenceSaid } from "./compare.js";

/**
 * What is shown beside the game.
 * @typedef {object} Marks
 * @property {MeasuredView | null} measured
 * @property {Point | null} from  what is measured from, once it is chosen, millimetres
 * @property {Difference[]} differences
 * @property {FoundView | null} found  what is looked into
 */

const MARGIN_PX = 12;
const MOST_ZOOM = 14;
const FINGER_PX = 14;
const MEASURE = "#ffe9b8";
const DIFFERS = "#ffffff";

/**
 * @param {HTMLElement} figure  with a canvas and a caption
 * @param {{ tap: (at: Point, slack_mm: number) => void, zoomed: (mapping: Mapping | null) => void }} on
 */
export function tableIn(figure, on) {
  const canvas = /** @type {HTMLCanvasElement} */ (figure.querySelector("canvas"));
  const caption = /** @type {HTMLElement} */ (figure.querySelector("figcaption"));
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {View | null} */
  let view = null;
  /** @type {Marks} */
  let marks = { measured: null, from: null, differences: [], found: null };
  /** @type {Mapping | null} set by the person; null shows the whole table */
  let chosen = null;
  /** @type {Mapping} */
  let mapping = { scale: 1, left: 0, top: 0 };

  const repaint = repainter(() => {
    const { width, height } = resize(canvas);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    const table = view?.table.table;
    if (!view || !table) return;
    mapping = chosen ?? fit(table, width, height, MARGIN_PX);
    drawGround(ctx, mapping, table);
    drawTerrain(ctx, mapping, view);
    const text_px = labelSize(width) * typeScale();
    const names = drawTerrainNames(ctx, mapping, view, text_px);
    drawShapes(ctx, mapping, view, UNDER);
    drawModels(ctx, mapping, view);
    drawShapes(ctx, mapping, view, OVER);
    drawFound(ctx, mapping, view, marks.found);
    drawDifferences(ctx, mapping, view, marks.differences);
    drawMeasured(ctx, mapping, marks);
    drawLabels(ctx, mapping, view, [...differenceLabels(mapping, view), ...shapeLabels(mapping, view), ...unitLabels(mapping, view)], text_px, { names });
  });

  /** @param {Mapping} at @param {View} now */
  function differenceLabels(at, now) {
    const boxes = baseBoxes(at, now);
    return marks.differences
      .filter(({ model }) => boxes[model])
      .map((each) => ({ text: differenceSaid(each), around: boxes[each.model], colour: DIFFERS }));
  }

  gestures(canvas, {
    grip: () => null,
    tap: (at) => on.tap(toTable(mapping, at), FINGER_PX / mapping.scale),
    drag() {},
    release() {},
    zoom(centre, factor, by) {
      const table = view?.table.table;
      if (!table) return;
      const whole = fit(table, canvas.clientWidth, canvas.clientHeight, MARGIN_PX).scale;
      const bounded = Math.min(MOST_ZOOM * whole, Math.max(whole, mapping.scale * factor)) / mapping.scale;
      mapping = zoomed(mapping, centre, bounded, by);
      chosen = mapping.scale > whole * 1.001 ? mapping : null;
      on.zoomed(chosen);
      repaint();
    },
  });
  new ResizeObserver(() => {
    chosen = null;
    on.zoomed(null);
    repaint();
  }).observe(canvas);

  return {
    /** @param {View | null} now @param {string} text */
    show(now, text) {
      view = now;
      if (caption.textContent !== text) caption.textContent = text;
      repaint();
    },
    /** @param {Partial<Marks>} now */
    mark(now) {
      marks = { ...marks, ...now };
      repaint();
    },
    /** Shows the same part of the table as the other moment does. @param {Mapping | null} to */
    zoom(to) {
      chosen = to;
      repaint();
    },
  };
}

/** Rings the models that a finding is about, and draws what it measured though its verdict is no longer shown. @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {FoundView | null} found */
function drawFound(ctx, mapping, view, found) {
  if (!found) return;
  inMillimetres(ctx, mapping);
  ctx.strokeStyle = view.palette[`witness-${found.outcome}`]?.stroke ?? DIFFERS;
  ctx.lineWidth = 3 / mapping.scale;
  for (const id of found.subjects) if (view.models[id]) ringed(ctx, mapping, view.models[id], 9);
  inMillimetres(ctx, mapping);
  ctx.beginPath();
  for (const [x, y] of found.witness_mm) ctx.lineTo(x, y);
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {Difference[]} differences */
function drawDifferences(ctx, mapping, view, differences) {
  ctx.strokeStyle = DIFFERS;
  for (const { model } of differences) {
    if (!view.models[model]) continue;
    inMillimetres(ctx, mapping);
    ctx.lineWidth = 2.5 / mapping.scale;
    ctx.setLineDash([7 / mapping.scale, 4 / mapping.scale]);
    ringed(ctx, mapping, view.models[model], 5);
  }
  ctx.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View["models"][string]} model @param {number} away_px */
function ringed(ctx, mapping, model, away_px) {
  inMillimetres(ctx, mapping);
  ctx.translate(model.x_mm, model.y_mm);
  ctx.rotate(radians(model.facing_deg));
  const line = ctx.lineWidth;
  const path = basePath(model.base);
  const factor = 1 + away_px / mapping.scale / reach(model.base).furthest;
  ctx.scale(factor, factor);
  ctx.lineWidth = line / factor;
  ctx.stroke(path);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {Marks} marks */
function drawMeasured(ctx, mapping, { measured, from }) {
  inPixels(ctx);
  ctx.strokeStyle = ctx.fillStyle = MEASURE;
  ctx.lineWidth = 2.5;
  if (from) {
    const { x, y } = toScreen(mapping, from.x, from.y);
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    ctx.arc(x, y, 15, 0, 2 * Math.PI);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  if (!measured) return;
  const [a, b] = [toScreen(mapping, ...measured.near_mm), toScreen(mapping, ...measured.far_mm)];
  ctx.beginPath();
  ctx.moveTo(a.x, a.y);
  ctx.lineTo(b.x, b.y);
  ctx.stroke();
  for (const { x, y } of [a, b]) {
    ctx.beginPath();
    ctx.arc(x, y, 4, 0, 2 * Math.PI);
    ctx.fill();
  }
}
