// @ts-check
// The numbers of the pieces that are to be laid, each on its own place, upright for who stands at the edge nearest to
// it, and a tick on what lies.

/** @import { LayingView, View } from "../messages.js" */
/** @import { Box } from "./boxes.js" */
/** @import { Mapping, Point } from "./geometry.js" */
/** @import { Edge } from "./reading.js" */
import { around, covers, grown, middle, overlap, within } from "./boxes.js";
import { FONT, roomIn } from "./labels.js";
import { placeOf, readFrom, seatOf, standAt } from "./reading.js";

/** @typedef {LayingView["steps"][number]} Step */
/** @typedef {{ step: Step, edge: Edge, size: number, box: Box, isInside: boolean }} StepNumber  in millimetres on the table */

/** The larger the sooner it is laid: the next one is read from across the table. */
const NEXT_MM = [72, 56, 44, 34, 26];
const LATER_MM = [44, 34, 28, 22];
const LIES_MM = [60, 44, 34, 22];
const GAP_MM = 6;
/** Beyond the lines that go on beyond a piece's corners. */
const FAR_MM = 42;
const [NAME_MM, NAME_PX] = [26, 12];
/** @type {Edge[]} */
const EDGES = ["near", "far", "left", "right"];
/** @type {Record<Edge, Edge>} */
const ACROSS = { near: "far", far: "near", left: "right", right: "left" };
/** Of a digit's width and of a line above and below it, in sizes of the text. */
const [WIDE, HIGH] = [0.66, 0.95];
const STROKE = 0.13;
/** Digits that are digits upside down as well. @type {Record<string, string>} */
const TURNED = { 0: "0", 1: "1", 6: "9", 8: "8", 9: "6" };

/** Whether a number reads as another one from the other side. @param {number} number */
export function isTwoFaced(number) {
  const turned = [...String(number)].reverse().map((digit) => TURNED[digit] ?? " ").join("");
  return !turned.includes(" ") && !turned.startsWith("0") && turned !== String(number);
}

/** The edge with a player that is nearest to a piece. @param {View} view @param {Step} step @returns {Edge} */
export function edgeAt(view, step) {
  const { width_mm, depth_mm } = view.table.table;
  const { x, y } = middle(around(step.outlines_mm[0].map(point)));
  /** @type {Record<Edge, number>} */
  const off = { near: y, far: depth_mm - y, left: x, right: width_mm - x };
  const seated = new Set(Object.values(view.units).map(({ player }) => seatOf(view, player)));
  /** @type {Edge[]} */
  const edges = seated.size > 1 ? [...seated] : ["near", "far"];
  return edges.reduce((best, edge) => (off[edge] < off[best] ? edge : best));
}

/**
 * Where the numbers stand: inside of their pieces and off what lies there besides, or before them; ticks have room or are left out.
 * @param {View} view @param {(step: Step) => Edge} edgeOf  for whom it is upright @param {number} least  millimetres of text
 * @returns {StepNumber[]}
 */
export function placeNumbers(view, edgeOf, least = 0) {
  const laying = view.laying.laying;
  if (!laying) return [];
  const key = JSON.stringify([least, laying.steps.map(edgeOf), view.projector.projector?.dark_mm]);
  const known = placed.get(laying);
  if (known?.key === key) return known.numbers;
  const numbers = findPlaces(view, laying, edgeOf, least);
  placed.set(laying, { key, numbers });
  return numbers;
}

/** What was found last: models may move on meanwhile. @type {WeakMap<LayingView, { key: string, numbers: StepNumber[] }>} */
const placed = new WeakMap();

/** @param {View} view @param {LayingView} laying @param {(step: Step) => Edge} edgeOf @param {number} least @returns {StepNumber[]} */
function findPlaces(view, { steps, following }, edgeOf, least) {
  const all = steps.map((step) => ({ step, ring: step.outlines_mm[0].map(point) })).map((each) => ({ ...each, area: areaOf(each.ring) }));
  // Nothing shines on a tag that is fixed on the table.
  const dark = (view.projector.projector?.dark_mm ?? []).map((ring) => around(ring.map(point)));
  /** @type {Box[]} */
  const taken = [...dark];
  // What comes next has the first choice, and small pieces before large ones, which have room elsewhere.
  const order = [...all].sort((a, b) => Number(b.step.id === following) - Number(a.step.id === following) || a.area - b.area);
  return order.flatMap(({ step, ring, area }) => {
    const isNext = step.id === following;
    const others = all.filter((other) => other.step.id !== step.id && other.area < area && !other.step.lies);
    const edge = edgeOf(step);
    const free = (/** @type {Box} */ box) =>
      !taken.some((other) => overlap(other, box)) && !others.some(({ ring: inner }) => covers(grown(box, GAP_MM), inner));
    const sizes = (step.lies ? LIES_MM : isNext ? NEXT_MM : LATER_MM).map((size) => Math.max(size, least));
    const found = sizes.map((size) => ({ size, room: roomIn(ring, ...extent(step, size, edge), free) })).find(({ room }) => room);
    if (!found && step.lies) return [];
    const size = found?.size ?? (isNext ? sizes[1] : sizes[sizes.length - 1]);
    const [w, h] = extent(step, size, edge);
    const piece = grown(around(ring), isNext ? FAR_MM : GAP_MM);
    const sides = [edge, ...EDGES.filter((other) => other !== edge)].map((side) => before(piece, w, h, side));
    const at = found?.room ?? sides.find((place) => isClear(boxAbout(place, w, h), view, taken)) ?? sides[0];
    const box = boxAbout(at, w, h);
    taken.push(box);
    return [{ step, edge, size, box, isInside: found !== undefined }];
  });
}

/** @param {Point} at @param {number} w @param {number} h @returns {Box} */
const boxAbout = ({ x, y }, w, h) => ({ x: x - w / 2, y: y - h / 2, w, h });

/** Whether a box is on the table and off others. @param {Box} box @param {View} view @param {Box[]} taken */
function isClear(box, view, taken) {
  const { width_mm: w, depth_mm: h } = view.table.table;
  return within(box, { x: 0, y: 0, w, h }) && !taken.some((other) => overlap(other, box));
}

/**
 * Draws them.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {StepNumber[]} numbers
 */
export function drawNumbers(ctx, mapping, view, numbers) {
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.lineJoin = ctx.lineCap = "round";
  for (const { step, edge, size: size_mm, box, isInside } of numbers) {
    const read = readFrom(mapping, view.table.table, edge);
    const { x: x_mm, y: y_mm } = middle(box);
    const at = placeOf(read, x_mm, y_mm);
    const size = size_mm * mapping.scale;
    const next = step.id === view.laying.laying?.following;
    const colour = view.palette[step.lies ? "laying-done" : next ? "laying-next" : "laying-to-come"]?.stroke ?? "#ffffff";
    if (next) drawName(ctx, mapping, read, view, step, isInside ? edge : ACROSS[edge], colour, box);
    standAt(ctx, read, at);
    for (const [style, width] of /** @type {[string, number][]} */ ([["#000000c0", 2.6 * STROKE], [colour, STROKE]])) {
      ctx.strokeStyle = ctx.fillStyle = style;
      ctx.lineWidth = width * size;
      if (step.lies) tick(ctx, at, size);
      else digits(ctx, at, size, step.number, style === colour);
    }
  }
}

/**
 * What the piece is called, at one of its sides and off the lines at its corners.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {Mapping} read @param {View} view @param {Step} step
 * @param {Edge} side  if there is room @param {string} colour @param {Box} number
 */
function drawName(ctx, mapping, read, view, step, side, colour, number) {
  const size = Math.max(NAME_MM, NAME_PX / mapping.scale);
  ctx.font = `600 ${size * mapping.scale}px ${FONT}`;
  const long = ctx.measureText(step.id).width / mapping.scale;
  const isLevel = side === "near" || side === "far";
  const [w, h] = isLevel ? [long, size] : [size, long];
  const bare = around(step.outlines_mm[0].map(point));
  const piece = grown(bare, long < (isLevel ? bare.w : bare.h) ? GAP_MM : FAR_MM);
  const places = [side, ACROSS[side]].map((each) => before(piece, w, h, each));
  const place = places.find((at) => isClear(boxAbout(at, w, h), view, [number]));
  if (!place) return;
  const at = placeOf(read, place.x, place.y);
  standAt(ctx, read, at);
  ctx.font = `600 ${size * mapping.scale}px ${FONT}`;
  ctx.lineWidth = Math.max(4, 0.25 * size * mapping.scale);
  ctx.strokeStyle = "#000000c0";
  ctx.strokeText(step.id, at.x, at.y);
  ctx.fillStyle = colour;
  ctx.fillText(step.id, at.x, at.y);
}

/** Where numbers stand on a page. @param {Mapping} mapping @param {StepNumber[]} numbers @returns {Box[]} */
export const boxesOf = (mapping, numbers) =>
  numbers.map(({ box: { x, y, w, h } }) => around([placeOf(mapping, x, y), placeOf(mapping, x + w, y + h)]));

/** @param {CanvasRenderingContext2D} ctx @param {Point} at @param {number} size @param {number} number @param {boolean} isFilled */
function digits(ctx, { x, y }, size, number, isFilled) {
  ctx.font = `700 ${size}px ${FONT}`;
  if (isFilled) ctx.fillText(String(number), x, y);
  else ctx.strokeText(String(number), x, y);
  if (!isTwoFaced(number)) return;
  const half = (WIDE * size * String(number).length) / 2;
  ctx.beginPath();
  ctx.moveTo(x - 0.8 * half, y + 0.5 * size);
  ctx.lineTo(x + 0.8 * half, y + 0.5 * size);
  if (isFilled) ctx.lineWidth = 0.08 * size;
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {Point} at @param {number} size */
function tick(ctx, { x, y }, size) {
  ctx.beginPath();
  ctx.moveTo(x - 0.35 * size, y);
  ctx.lineTo(x - 0.1 * size, y + 0.27 * size);
  ctx.lineTo(x + 0.38 * size, y - 0.3 * size);
  ctx.stroke();
}

/** How wide and deep a number is on the table. @param {Step} step @param {number} size @param {Edge} edge @returns {[number, number]} */
function extent({ number, lies }, size, edge) {
  const [w, h] = [(lies ? 1 : WIDE * String(number).length) * size, (HIGH + (isTwoFaced(number) ? 0.2 : 0)) * size];
  return edge === "near" || edge === "far" ? [w, h] : [h, w];
}

/** The middle of a box between a piece and who reads it. @param {Box} piece @param {number} w @param {number} h @param {Edge} edge @returns {Point} */
function before(piece, w, h, edge) {
  const { x, y } = middle(piece);
  if (edge === "near") return { x, y: piece.y - h / 2 };
  if (edge === "far") return { x, y: piece.y + piece.h + h / 2 };
  return { x: edge === "left" ? piece.x - w / 2 : piece.x + piece.w + w / 2, y };
}

/** @param {[number, number]} pair @returns {Point} */
const point = ([x, y]) => ({ x, y });

/** @param {Point[]} ring */
const areaOf = (ring) => {
  const { w, h } = around(ring);
  return w * h;
};
