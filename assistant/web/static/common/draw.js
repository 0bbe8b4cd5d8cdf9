// @ts-check
// Draws the table on a canvas.  Everything is drawn in millimetres, except text, which stays upright.

/** @import { ModelView, PaintView, ShapeView, TableView, View } from "../messages.js" */
/** @import { Mapping, Point } from "./geometry.js" */
/** @import { Warp } from "./warp.js" */
import { baseOutline, basePath, radians, reach, toScreen } from "./geometry.js";
import { hatched } from "./hatch.js";
import { fillWarped, layFlat, strokeWarped } from "./warp.js";
import { shownAs } from "./words.js";

/** @type {ShapeView["layer"][]} what lies under the models on a screen, the lowest first */
export const UNDER = ["deployment", "objective", "laying", "zone", "threat", "engagement", "coherency"];
/** @type {ShapeView["layer"][]} */
export const OVER = ["named", "break", "ghost", "path", "way", "restore", "stop", "witness", "tape"];
const LAYERS = [...UNDER, ...OVER];
const FELT = "#1c2623";
/** Around a line on the camera's picture, which may be as bright as the line. */
const HALO = "#000000b8";
/** From an anchor's rim to the light that shows it. */
const CHECK_MM = 8;
const THINNEST_PX = 1.4;
const INCH_MM = 25.4;
const FOOT_MM = 12 * INCH_MM;

/** @type {PaintView} */
const UNKNOWN = { stroke: "#e8e6e1", fill: "", width_mm: 2, dash_mm: [], hatch: "" };

/**
 * Sizes a canvas to its place on the page, in the screen's own pixels.
 * @param {HTMLCanvasElement} canvas
 * @returns {{ width: number, height: number }}  CSS pixels
 */
export function resize(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const wanted = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== wanted[0] || canvas.height !== wanted[1]) [canvas.width, canvas.height] = wanted;
  return { width, height };
}

/**
 * Calls back once before the next repaint, however often it was asked to; or `now`, so that what a hand does is on the
 * screen with that repaint: what is painted in it comes with the one after, where painting takes long.
 * @param {() => void} paint
 */
export function repainter(paint) {
  /** @type {number | null} */
  let asked = null;
  const now = () => {
    if (asked !== null) cancelAnimationFrame(asked);
    asked = null;
    paint();
  };
  const soon = () => {
    asked ??= requestAnimationFrame(now);
  };
  return Object.assign(soon, { now });
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping */
export function inMillimetres(ctx, { scale, left, top }) {
  const dpr = devicePixelRatio;
  ctx.setTransform(dpr * scale, 0, 0, -dpr * scale, dpr * left, dpr * top);
}

/** @param {CanvasRenderingContext2D} ctx */
export function inPixels(ctx) {
  ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
}

/**
 * As `inPixels`, but where the mapping is warped, text that is drawn about a point lies flat on the table there.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {{ x: number, y: number }} at
 */
export function inPixelsAt(ctx, mapping, at) {
  if (mapping.warp) layFlat(ctx, mapping.warp, mapping, at);
  else inPixels(ctx);
}

/**
 * The table itself: drawn, or as its camera sees it from straight above.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {TableView} table @param {CanvasImageSource | null} [photo]
 */
export function drawGround(ctx, mapping, table, photo = null) {
  if (photo) return drawPhoto(ctx, mapping, table, photo);
  inMillimetres(ctx, mapping);
  ctx.lineJoin = ctx.lineCap = "round";
  ctx.fillStyle = FELT;
  ctx.fillRect(0, 0, table.width_mm, table.depth_mm);
  ctx.beginPath();
  for (let x = FOOT_MM; x < table.width_mm; x += FOOT_MM) (ctx.moveTo(x, 0), ctx.lineTo(x, table.depth_mm));
  for (let y = FOOT_MM; y < table.depth_mm; y += FOOT_MM) (ctx.moveTo(0, y), ctx.lineTo(table.width_mm, y));
  ctx.lineWidth = 1 / mapping.scale;
  ctx.strokeStyle = "#2a3733";
  ctx.stroke();
  ctx.strokeStyle = "#4d5d57";
  ctx.strokeRect(0, 0, table.width_mm, table.depth_mm);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {TableView} table @param {CanvasImageSource} photo */
function drawPhoto(ctx, { scale, left, top }, { width_mm, depth_mm }, photo) {
  inPixels(ctx);
  ctx.drawImage(photo, left, top - depth_mm * scale, width_mm * scale, depth_mm * scale);
}

/**
 * Terrain as what it is, what lies flat first; over the camera's picture, where it is seen, the outlines alone.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {boolean} [isSeen]
 */
export function drawTerrain(ctx, mapping, view, isSeen = false) {
  inMillimetres(ctx, mapping);
  ctx.lineWidth = THINNEST_PX / mapping.scale;
  const pieces = Object.values(view.terrain);
  for (const { outline_mm, kind } of pieces.sort((a, b) => a.height_mm - b.height_mm || lifted(a) - lifted(b))) {
    const path = ringsPath([outline_mm], true);
    const paint = view.palette[`terrain-${kind}`] ?? UNKNOWN;
    if (!isSeen) {
      ctx.fillStyle = paint.fill;
      ctx.fill(path);
      hatched(ctx, path, paint, mapping.scale);
    }
    ctx.strokeStyle = isSeen ? "#e8e6e1a0" : paint.stroke;
    ctx.stroke(path);
  }
}

/** A bridge that has no height lies on its river all the same. @param {View["terrain"][string]} piece */
const lifted = ({ kind }) => Number(kind === "bridge");

/**
 * Draws the shapes of some layers, the lowest first.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {ShapeView["layer"][]} layers
 */
export function drawShapes(ctx, mapping, view, layers = LAYERS) {
  if (mapping.warp) ctx.setTransform(1, 0, 0, 1, 0, 0);
  else inMillimetres(ctx, mapping);
  ctx.lineJoin = ctx.lineCap = "round";
  for (const shape of inOrder(view)) {
    if (!layers.includes(shape.layer)) continue;
    const paint = view.palette[shape.style] ?? UNKNOWN;
    if (mapping.warp) {
      drawWarped(ctx, mapping.warp, shape, paint, mapping.scale);
      continue;
    }
    const path = ringsPath(shape.rings_mm, shape.closed);
    if (shape.closed && paint.fill) {
      ctx.fillStyle = paint.fill;
      ctx.fill(path, "evenodd");
      hatched(ctx, path, paint, mapping.scale);
    }
    ctx.strokeStyle = paint.stroke;
    ctx.lineWidth = Math.max(paint.width_mm, THINNEST_PX / mapping.scale);
    ctx.setLineDash(paint.dash_mm);
    ctx.stroke(path);
  }
  ctx.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} ctx @param {Warp} warp @param {ShapeView} shape @param {PaintView} paint @param {number} scale */
function drawWarped(ctx, warp, shape, paint, scale) {
  if (shape.closed && paint.fill) {
    ctx.fillStyle = paint.fill;
    fillWarped(ctx, warp, shape.rings_mm);
  }
  ctx.strokeStyle = paint.stroke;
  const width_mm = Math.max(paint.width_mm, THINNEST_PX / scale);
  for (const ring of shape.rings_mm) strokeWarped(ctx, warp, ring, shape.closed, width_mm, paint.dash_mm);
}

/** The shapes, the lowest first; what is fought for is not drawn while it is only about to be laid. @param {View} view */
export function inOrder(view) {
  const shapes = Object.values(view.shapes);
  const isLaying = shapes.some(({ layer }) => layer === "laying");
  return shapes.filter(({ layer }) => !isLaying || layer !== "objective").sort((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer));
}

/** @param {ShapeView["rings_mm"]} rings @param {boolean} closed */
function ringsPath(rings, closed) {
  const path = new Path2D();
  for (const ring of rings) {
    ring.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
    if (closed) path.closePath();
  }
  return path;
}

/**
 * Draws every model's base in its player's colour, dashed unless the camera sees it.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view
 * @param {[string, ModelView][]} models  those that are drawn
 * @param {boolean} [isSeen]  the camera's picture lies underneath: rings only, so that the figures are seen
 */
export function drawModels(ctx, mapping, view, models = Object.entries(view.models), isSeen = false) {
  const picked = view.move.move;
  ctx.lineJoin = ctx.lineCap = "round";
  for (const [id, model] of models) {
    const state = shownAs(model);
    const seen = state === "seen";
    const paint = view.palette[`side-${(view.units[model.unit]?.side ?? 0) % 4}`] ?? UNKNOWN;
    const path = basePath(model.base);
    inMillimetres(ctx, mapping);
    ctx.translate(model.x_mm, model.y_mm);
    ctx.rotate(radians(model.facing_deg));
    if (model.unit === picked?.unit) {
      ctx.strokeStyle = id === picked.model ? "#ffffff" : "#ffffff80";
      ctx.lineWidth = (id === picked.model ? 8 : 6) / mapping.scale;
      ctx.stroke(path);
    }
    if (isSeen) {
      ctx.strokeStyle = HALO;
      ctx.lineWidth = 5 / mapping.scale;
      ctx.stroke(path);
    } else {
      ctx.fillStyle = FELT;
      ctx.fill(path);
      ctx.fillStyle = paint.fill;
      ctx.globalAlpha = seen ? 1 : state === "held" ? 0.45 : 0.15;
      ctx.fill(path);
      hatched(ctx, path, paint, mapping.scale);
      ctx.globalAlpha = 1;
    }
    ctx.strokeStyle = paint.stroke;
    ctx.lineWidth = 2 / mapping.scale;
    ctx.setLineDash(seen ? [] : [5 / mapping.scale, 4 / mapping.scale]);
    ctx.stroke(path);
    ctx.setLineDash([]);
    drawFront(ctx, model);
  }
}

/** A wedge at the front edge. @param {CanvasRenderingContext2D} ctx @param {ModelView} model */
function drawFront(ctx, model) {
  const { front, furthest } = reach(model.base);
  const size = Math.min(furthest * 0.5, 14);
  ctx.beginPath();
  ctx.moveTo(front - 2, 0);
  ctx.lineTo(front - 2 - size, size * 0.6);
  ctx.lineTo(front - 2 - size, -size * 0.6);
  ctx.closePath();
  ctx.fillStyle = "#ffffffd0";
  ctx.fill();
}

/**
 * Where a hand wants a model to go: an outline only, for the model itself is drawn where the camera sees it.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping
 * @param {ModelView} model @param {{ x_mm: number, y_mm: number, facing_deg: number }} target
 */
export function drawTarget(ctx, mapping, model, target) {
  inMillimetres(ctx, mapping);
  ctx.translate(target.x_mm, target.y_mm);
  ctx.rotate(radians(target.facing_deg));
  ctx.strokeStyle = "#ffffffb0";
  ctx.lineWidth = 1.5 / mapping.scale;
  ctx.setLineDash([4 / mapping.scale, 4 / mapping.scale]);
  ctx.stroke(basePath(model.base));
  ctx.setLineDash([]);
  drawFront(ctx, model);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {ModelView} model @param {Point} handle */
export function drawHandle(ctx, mapping, model, handle) {
  inPixels(ctx);
  const centre = toScreen(mapping, model.x_mm, model.y_mm);
  const length = Math.hypot(handle.x - centre.x, handle.y - centre.y);
  const start = (reach(model.base).front * mapping.scale + 4) / length;
  ctx.beginPath();
  ctx.moveTo(centre.x + (handle.x - centre.x) * start, centre.y + (handle.y - centre.y) * start);
  ctx.lineTo(handle.x, handle.y);
  ctx.strokeStyle = "#ffffffb0";
  ctx.lineWidth = 1.5;
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(handle.x, handle.y, 8, 0, 2 * Math.PI);
  ctx.fillStyle = "#14171a";
  ctx.fill();
  ctx.lineWidth = 2;
  ctx.strokeStyle = "#ffffff";
  ctx.stroke();
}

/**
 * Lights the edges of the table and of every anchor, so that a person sees how well light lands.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {TableView} table @param {[number, number][][]} anchors_mm
 */
export function drawCheck(ctx, mapping, { width_mm, depth_mm }, anchors_mm) {
  ctx.strokeStyle = "#e8e6e1";
  /** @type {[number, number][]} */
  const edge = [[0, 0], [width_mm, 0], [width_mm, depth_mm], [0, depth_mm]];
  for (const ring of [edge, ...anchors_mm.map((anchor) => grownRing(anchor, CHECK_MM))]) outlined(ctx, mapping, ring, 1.5);
}

/** A ring grown from its middle, which does for squares. @param {[number, number][]} ring @param {number} by @returns {[number, number][]} */
function grownRing(ring, by) {
  const [x, y] = [0, 1].map((axis) => ring.reduce((sum, point) => sum + point[axis], 0) / ring.length);
  const reach_mm = Math.max(...ring.map((point) => Math.hypot(point[0] - x, point[1] - y)));
  const share = 1 + (by * Math.SQRT2) / reach_mm;
  return ring.map((point) => [x + share * (point[0] - x), y + share * (point[1] - y)]);
}

/**
 * Keeps every base dark with its halo, and every tag that is fixed on the table, and a margin around it: projected light on
 * a marker hides it from the camera.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {number} margin_mm
 * @param {number} anchor_margin_mm
 */
export function darken(ctx, mapping, view, margin_mm, anchor_margin_mm) {
  const { dark_mm: anchors_mm, halos_mm } = view.projector.projector ?? { dark_mm: [], halos_mm: {} };
  ctx.fillStyle = ctx.strokeStyle = "#000000";
  ctx.lineJoin = "round";
  /** @type {Record<string, number | undefined>} */
  const halos = halos_mm;
  for (const [id, model] of Object.entries(view.models)) darkened(ctx, mapping, baseOutline(model), margin_mm + (halos[id] ?? 0));
  for (const ring of anchors_mm) darkened(ctx, mapping, ring, anchor_margin_mm);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {[number, number][]} ring @param {number} margin_mm */
function darkened(ctx, mapping, ring, margin_mm) {
  if (mapping.warp) {
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    fillWarped(ctx, mapping.warp, [ring]);
  } else {
    inMillimetres(ctx, mapping);
    ctx.fill(ringsPath([ring], true));
  }
  outlined(ctx, mapping, ring, 2 * margin_mm);
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {[number, number][]} ring @param {number} width_mm */
function outlined(ctx, mapping, ring, width_mm) {
  if (mapping.warp) {
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    strokeWarped(ctx, mapping.warp, ring, true, width_mm);
  } else {
    inMillimetres(ctx, mapping);
    ctx.lineWidth = width_mm;
    ctx.stroke(ringsPath([ring], true));
  }
}
