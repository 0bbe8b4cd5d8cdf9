// @ts-check
// For whom words lie upright: everything that is written is laid out in the pixels of who reads it, as if the table were
// turned so that its edge there is the lower one.

/** @import { LightsView, TableView, View } from "../messages.js" */
/** @import { Mapping, Point } from "./geometry.js" */
/** @import { Box } from "./boxes.js" */
import { inPixelsAt } from "./draw.js";
import { toScreen } from "./geometry.js";

/** @typedef {LightsView["seats"][string]} Edge */
/** @typedef {{ quarters: number, about: Point }} Reader  turned clockwise, about a point of the screen */

/** Quarter turns clockwise on the screen. @type {Record<Edge, number>} */
const QUARTERS = { near: 0, left: 1, far: 2, right: 3 };
const COS = [1, 0, -1, 0];
const SIN = [0, 1, 0, -1];
/** @type {Edge[]} as the seats of a table that nobody set */
const SEATS = ["near", "far", "left", "right"];
/** @type {Edge[]} around the table */
export const ROUND = ["near", "right", "far", "left"];

/**
 * The player who acts: whose turn it is, else whose unit is picked; null while nobody does.
 * @param {View} view @returns {string | null}
 */
export function acting(view) {
  const picked = view.move.move?.unit;
  return view.turn.turn?.player ?? (picked ? (view.units[picked]?.player ?? null) : null);
}

/** Where a player sits. @param {View} view @param {string} player @returns {Edge} */
export function seatOf(view, player) {
  const known = view.lights.lights?.seats[player];
  const side = Object.values(view.units).find((unit) => unit.player === player)?.side ?? 0;
  return known ?? SEATS[side % SEATS.length];
}

/**
 * The same mapping, in which words lie upright for who sits at an edge and stay on the table.
 * @param {Mapping} mapping @param {TableView} table @param {Edge} edge @returns {Mapping}
 */
export function readFrom(mapping, { width_mm, depth_mm }, edge) {
  const { x, y } = toScreen(mapping, 0, depth_mm);
  const [w, h] = [width_mm * mapping.scale, depth_mm * mapping.scale];
  return { ...mapping, room: { x, y, w, h }, reader: { quarters: QUARTERS[edge], about: { x: x + w / 2, y: y + h / 2 } } };
}

/** A place on the table in the reader's pixels. @param {Mapping} mapping @param {number} x_mm @param {number} y_mm @returns {Point} */
export function placeOf(mapping, x_mm, y_mm) {
  return turned(toScreen(mapping, x_mm, y_mm), mapping.reader, -1);
}

/**
 * Where words may stand, in the reader's pixels.
 * @param {Mapping} mapping @param {HTMLCanvasElement | OffscreenCanvas} canvas @returns {Box}
 */
export function roomOf(mapping, canvas) {
  const { x, y, w, h } = mapping.room ?? { x: 0, y: 0, w: canvas.width / devicePixelRatio, h: canvas.height / devicePixelRatio };
  const [a, b] = [{ x, y }, { x: x + w, y: y + h }].map((corner) => turned(corner, mapping.reader, -1));
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), w: Math.abs(a.x - b.x), h: Math.abs(a.y - b.y) };
}

/** A box of one reader's pixels in another's. @param {Box} box @param {Mapping} from @param {Mapping} to @returns {Box} */
export function boxFor({ x, y, w, h }, from, to) {
  const [a, b] = [{ x, y }, { x: x + w, y: y + h }].map((corner) => turned(turned(corner, from.reader, 1), to.reader, -1));
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), w: Math.abs(a.x - b.x), h: Math.abs(a.y - b.y) };
}

/**
 * Lets what is drawn about a point, in the reader's pixels, stand upright for the reader.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {Point} at
 */
export function standAt(ctx, mapping, at) {
  inPixelsAt(ctx, mapping, turned(at, mapping.reader, 1));
  if (!mapping.reader) return;
  const { quarters, about } = mapping.reader;
  ctx.translate(about.x, about.y);
  ctx.transform(COS[quarters], SIN[quarters], -SIN[quarters], COS[quarters], 0, 0);
  ctx.translate(-about.x, -about.y);
}

/** Where the players sit who read what is on the table, each edge once. @param {View} view @returns {Edge[]} */
export const edgesOf = (view) => [...new Set(Object.values(view.units).map(({ player }) => seatOf(view, player)))];

/** @param {Point} at @param {Reader | undefined} reader @param {1 | -1} way  to the screen, or from it @returns {Point} */
function turned(at, reader, way) {
  if (!reader) return at;
  const { quarters, about } = reader;
  const [cos, sin] = [COS[quarters], way * SIN[quarters]];
  const [x, y] = [at.x - about.x, at.y - about.y];
  return { x: about.x + cos * x - sin * y, y: about.y + sin * x + cos * y };
}
