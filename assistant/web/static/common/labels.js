// @ts-check
// Short texts on the table, placed where they hide neither a base nor each other.

/** @import { ShapeView, View } from "../messages.js" */
/** @import { Mapping } from "./geometry.js" */
import { said } from "./dom.js";
import { inOrder, inPixels, inPixelsAt } from "./draw.js";
import { reach, toScreen } from "./geometry.js";
import { shownAs } from "./words.js";

/** @typedef {{ x: number, y: number, w: number, h: number }} Box  top left corner and size, pixels */
/** @typedef {{ text: string, around: Box, colour: string }} Label */

export const FONT = 'system-ui, "DejaVu Sans", sans-serif';
const GAP_PX = 5;
const STATES = { seen: "", held: "held", lifted: "lifted", lost: "lost", unseen: "not seen yet" };

/**
 * The labels of the overlay's shapes.
 * @param {Mapping} mapping @param {View} view
 * @returns {Label[]}
 */
export function shapeLabels(mapping, view) {
  const labels = inOrder(view)
    .filter((shape) => shape.label)
    .map((shape) => ({
      text: shape.label,
      around: anchor(mapping, shape),
      colour: view.palette[shape.style]?.stroke ?? "#ffffff",
    }))
    .reverse(); // the highest layer gets the best place
  // Two models that measure each other say the same of the same line.
  const said = new Set();
  return labels.filter(({ text, around: { x, y } }) => {
    const what = `${text} ${Math.round(x)} ${Math.round(y)}`;
    return !said.has(what) && said.add(what);
  });
}

/**
 * The units' names, and the state of each model that the camera does not see.
 * @param {Mapping} mapping @param {View} view
 * @returns {Label[]}
 */
export function unitLabels(mapping, view) {
  const boxes = baseBoxes(mapping, view);
  const states = Object.entries(view.models).flatMap(([id, model]) =>
    STATES[shownAs(model)] ? [{ text: STATES[shownAs(model)], around: boxes[id], colour: "#ffd9a0" }] : [],
  );
  const names = Object.entries(view.units).flatMap(([id, unit]) => {
    const own = unit.models.filter((model) => boxes[model]).map((model) => boxes[model]);
    return own.length ? [{ text: id, around: union(own), colour: "#f2efe9" }] : [];
  });
  return [...states, ...names];
}

/**
 * Writes on each piece of terrain what it is, where the words fit.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {number} size  of the text, pixels
 */
export function drawTerrainNames(ctx, mapping, view, size) {
  inPixels(ctx);
  ctx.font = `${size}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.fillStyle = "#a3aca4";
  for (const { outline_mm, traits, height_mm } of Object.values(view.terrain)) {
    const text = [traits.join(", "), height_mm > 0 && said(height_mm, view.table.table?.unit ?? "in")].filter(Boolean).join(" ");
    const box = union(outline_mm.map(([x, y]) => ({ ...toScreen(mapping, x, y), w: 0, h: 0 })));
    if (ctx.measureText(text).width > box.w || size > box.h) continue;
    const sum = outline_mm.reduce(([sx, sy], [x, y]) => [sx + x, sy + y], [0, 0]);
    const middle = toScreen(mapping, sum[0] / outline_mm.length, sum[1] / outline_mm.length);
    ctx.fillText(text, middle.x, middle.y);
  }
}

/**
 * Draws labels, each at the first place around its thing that is free; one that finds none is left out.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view
 * @param {Label[]} labels @param {number} size  of the text, pixels
 * @param {Box[]} [covered]  where something else is written
 */
export function drawLabels(ctx, mapping, view, labels, size, covered = []) {
  inPixels(ctx);
  ctx.font = `600 ${size}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.lineJoin = "round";
  const space = mapping.space ?? { w: ctx.canvas.clientWidth, h: ctx.canvas.clientHeight };
  const taken = [...Object.values(baseBoxes(mapping, view)), ...covered];
  for (const { text, around, colour } of labels) {
    const w = ctx.measureText(text).width + 6;
    const h = size + 4;
    const places = placesAround(around, w, h);
    const free = (/** @type {Box} */ box) => within(box, space) && !taken.some((other) => overlap(box, other));
    const place = places.find(free);
    if (!place) continue; // the panel has it in words
    taken.push(place);
    inPixelsAt(ctx, mapping, { x: place.x + w / 2, y: place.y + h / 2 });
    ctx.lineWidth = 4;
    ctx.strokeStyle = "#000000c0";
    ctx.strokeText(text, place.x + w / 2, place.y + h / 2);
    ctx.fillStyle = colour;
    ctx.fillText(text, place.x + w / 2, place.y + h / 2);
  }
}

/** @param {Mapping} mapping @param {View} view @returns {Record<string, Box>} */
export function baseBoxes(mapping, view) {
  return Object.fromEntries(
    Object.entries(view.models).map(([id, model]) => {
      const radius = reach(model.base).furthest * mapping.scale;
      const { x, y } = toScreen(mapping, model.x_mm, model.y_mm);
      return [id, { x: x - radius, y: y - radius, w: 2 * radius, h: 2 * radius }];
    }),
  );
}

/** Beside the middle of a line, or around the whole of an area. @param {Mapping} mapping @param {ShapeView} shape */
function anchor(mapping, shape) {
  const points = shape.rings_mm.flat().map(([x, y]) => toScreen(mapping, x, y));
  if (shape.closed) return union(points.map(({ x, y }) => ({ x, y, w: 0, h: 0 })));
  const middle = points.length >> 1;
  const [a, b] = [points[Math.max(0, middle - 1)], points[middle]];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, w: 0, h: 0 };
}

/** Places below, above, right and left of a thing, then further off. @param {Box} around @param {number} w @param {number} h */
function placesAround({ x, y, w: width, h: height }, w, h) {
  const centred = x + width / 2 - w / 2;
  const middle = y + height / 2 - h / 2;
  return [0, 1, 2].flatMap((steps) => {
    const gap = GAP_PX + steps * h;
    return [
      { x: centred, y: y + height + gap, w, h },
      { x: centred, y: y - h - gap, w, h },
      { x: x + width + gap, y: middle, w, h },
      { x: x - w - gap, y: middle, w, h },
    ];
  });
}

/** @param {Box[]} boxes @returns {Box} */
export function union(boxes) {
  const x = Math.min(...boxes.map((b) => b.x));
  const y = Math.min(...boxes.map((b) => b.y));
  return { x, y, w: Math.max(...boxes.map((b) => b.x + b.w)) - x, h: Math.max(...boxes.map((b) => b.y + b.h)) - y };
}

/** @param {Box} a @param {Box} b */
export const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** @param {Box} box @param {{ w: number, h: number }} space */
const within = (box, space) => box.x >= 0 && box.y >= 0 && box.x + box.w <= space.w && box.y + box.h <= space.h;
