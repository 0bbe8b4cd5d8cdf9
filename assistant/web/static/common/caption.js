// @ts-check
// Several lines in light on the table: where they shine on no base and cover as little as they can.

/** @import { View } from "../messages.js" */
/** @import { Box } from "./boxes.js" */
/** @import { Mapping } from "./geometry.js" */
import { around, common, grown, overlap } from "./boxes.js";
import { inOrder, inPixels } from "./draw.js";
import { FONT, baseBoxes } from "./labels.js";
import { placeOf, roomOf, standAt } from "./reading.js";
import { OUTCOMES } from "./words.js";

/** @typedef {{ text: string, colour: string }} Part  begins a new line, and goes on in others where it is long */
/**
 * What is to be written.
 * @typedef {object} Words
 * @property {string | number} key  while it is the same, the words stay where they are for as long as they may
 * @property {Part[]} parts
 * @property {number} [spare]  lines that are kept free below
 */

const INSET_MM = 110; // anchors lie along the edges
const WIDTH_MM = 460;
const STEP_MM = 40;
const SIZE_MM = 22;
const CLEAR_MM = 12;
const WIDEST_PX = 900;
const LINE = 1.3;
/** A place is left for a better one if so much more of it covers something. */
const PATIENCE = 0.1;
/** Words on terrain are harder to read, but hide nothing. */
const TERRAIN = 0.1;

/** A scene's caption and what the referee says. @param {View} view @returns {Words | null} */
export function captionOf(view) {
  const scene = view.scene.scene;
  if (!scene) return null;
  const ruled = scene.outcome ? [{ text: `→ ${OUTCOMES[scene.outcome]}`, colour: "#e8b65a" }] : [];
  // The ruling's line is kept free from the start, so that the words do not move when it comes.
  return { key: scene.number, parts: [{ text: scene.caption, colour: "#f2efe9" }, ...ruled], spare: 1 - ruled.length };
}

/**
 * Returns what writes words on the table; they keep their place for as long as they may.
 * @returns {(ctx: CanvasRenderingContext2D, mapping: Mapping, view: View, words: Words | null, covered?: Box[]) => Box[]}
 *   the place that is taken, if any, in the reader's pixels
 */
export function writer() {
  /** @type {{ key: string | number, box: Box } | null} */
  let kept = null;
  return (ctx, mapping, view, words, covered = []) => {
    if (!words) return [];
    const size = Math.max(13, SIZE_MM * mapping.scale);
    inPixels(ctx);
    ctx.font = `600 ${size}px ${FONT}`;
    const width = Math.min(WIDTH_MM * mapping.scale, WIDEST_PX);
    const lines = words.parts.flatMap(({ text, colour }) => wrapped(ctx, text, width).map((line) => ({ line, colour })));
    const h = (lines.length + (words.spare ?? 0)) * size * LINE;
    const bases = Object.values(baseBoxes(mapping, view)).map((box) => grown(box, CLEAR_MM * mapping.scale));
    const taken = [...bases, ...covered];
    const free = (/** @type {Box} */ box) => !taken.some((other) => overlap(other, box));
    const light = cost(mapping, view, CLEAR_MM * mapping.scale);
    const best = least(places(mapping, ctx.canvas, width, h).filter(free), light);
    const last = kept?.key === words.key && kept.box.w === width && kept.box.h === h && free(kept.box) && kept.box;
    const stays = last && (!best || light(last) - light(best) < PATIENCE * width * h);
    const box = stays ? last : best;
    kept = box && { key: words.key, box };
    if (!box) return []; // the tablet has it in words
    ctx.textAlign = "left";
    ctx.textBaseline = "top";
    lines.forEach(({ line, colour }, at) => {
      ctx.fillStyle = colour;
      standAt(ctx, mapping, { x: box.x + width / 2, y: box.y + (at + 0.5) * size * LINE });
      ctx.fillText(line, box.x, box.y + at * size * LINE);
    });
    return [box];
  };
}

/** Places all over the table but its edges, those far from the reader first. @param {Mapping} mapping @param {HTMLCanvasElement} canvas @param {number} w @param {number} h */
function places(mapping, canvas, w, h) {
  const room = grown(roomOf(mapping, canvas), -INSET_MM * mapping.scale);
  const step = STEP_MM * mapping.scale;
  const found = [];
  for (let y = room.y; y + h <= room.y + room.h; y += step) {
    for (let x = room.x; x + w <= room.x + room.w; x += step) found.push({ x, y, w, h });
  }
  return found;
}

/**
 * How much a place covers of what is drawn in light, and of the terrain that its own light would fall on.
 * @param {Mapping} mapping @param {View} view @param {number} margin_px
 * @returns {(box: Box) => number}
 */
function cost(mapping, view, margin_px) {
  const about = (/** @type {[number, number][]} */ ring) => grown(around(ring.map(([x, y]) => placeOf(mapping, x, y))), margin_px);
  const light = inOrder(view).flatMap((shape) => shape.rings_mm.map(about));
  const terrain = Object.values(view.terrain).map(({ outline_mm }) => about(outline_mm));
  const sum = (/** @type {Box} */ box, /** @type {Box[]} */ others) => others.reduce((s, other) => s + common(box, other), 0);
  return (box) => sum(box, light) + TERRAIN * sum(box, terrain);
}

/** The first of the places with the least cost. @param {Box[]} free @param {(box: Box) => number} cost */
function least(free, cost) {
  /** @type {{ box: Box | null, cost: number }} */
  const none = { box: null, cost: Infinity };
  return free.map((box) => ({ box, cost: cost(box) })).reduce((a, b) => (b.cost < a.cost ? b : a), none).box;
}

/** @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} width */
function wrapped(ctx, text, width) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && ctx.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
