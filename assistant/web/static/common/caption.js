// @ts-check
// A scene's caption in light on the table: where it shines on no base and covers as little as it can.

/** @import { View } from "../messages.js" */
/** @import { Mapping } from "./geometry.js" */
/** @import { Box } from "./labels.js" */
import { inOrder, inPixels, inPixelsAt } from "./draw.js";
import { toScreen } from "./geometry.js";
import { FONT, baseBoxes, overlap, union } from "./labels.js";
import { OUTCOMES } from "./words.js";

const INSET_MM = 110; // anchors lie along the edges
const WIDTH_MM = 460;
const STEP_MM = 40;
const SIZE_MM = 22;
const CLEAR_MM = 12;
const WIDEST_PX = 900;
/** A place is left for a better one if so much more of it covers something. */
const PATIENCE = 0.1;
/** Words on terrain are harder to read, but hide nothing. */
const TERRAIN = 0.1;

/**
 * Returns what draws the caption of a view's scene; it keeps its place for as long as it may.
 * @returns {(ctx: CanvasRenderingContext2D, mapping: Mapping, view: View) => Box[]}  the place that is taken, if any
 */
export function captions() {
  /** @type {{ number: number, box: Box } | null} */
  let kept = null;
  return (ctx, mapping, view) => {
    const scene = view.scene.scene;
    if (!scene) return [];
    const size = Math.max(13, SIZE_MM * mapping.scale);
    inPixels(ctx);
    ctx.font = `600 ${size}px ${FONT}`;
    const width = Math.min(WIDTH_MM * mapping.scale, WIDEST_PX);
    const said = scene.outcome ? [`→ ${OUTCOMES[scene.outcome]}`] : [];
    const lines = [...wrapped(ctx, scene.caption, width), ...said];
    // The ruling's line is kept free from the start, so that the words do not move when it comes.
    const h = (lines.length + 1 - said.length) * size * 1.3;
    const bases = Object.values(baseBoxes(mapping, view)).map((box) => grown(box, CLEAR_MM * mapping.scale));
    const free = (/** @type {Box} */ box) => !bases.some((base) => overlap(base, box));
    const covered = cost(mapping, view, CLEAR_MM * mapping.scale);
    const best = least(places(mapping, view, width, h).filter(free), covered);
    const last = kept?.number === scene.number && kept.box.w === width && kept.box.h === h && free(kept.box) && kept.box;
    const stays = last && (!best || covered(last) - covered(best) < PATIENCE * width * h);
    const box = stays ? last : best;
    kept = box && { number: scene.number, box };
    if (!box) return []; // the tablet has it in words
    ctx.textAlign = "left";
    ctx.textBaseline = "top";
    lines.forEach((line, at) => {
      ctx.fillStyle = at >= lines.length - said.length ? "#e8b65a" : "#f2efe9";
      inPixelsAt(ctx, mapping, { x: box.x + width / 2, y: box.y + (at + 0.5) * size * 1.3 });
      ctx.fillText(line, box.x, box.y + at * size * 1.3);
    });
    return [box];
  };
}

/** Places all over the table but its edges, the far side first. @param {Mapping} mapping @param {View} view @param {number} w @param {number} h */
function places(mapping, view, w, h) {
  const { width_mm, depth_mm } = view.table.table;
  const found = [];
  for (let y = depth_mm - INSET_MM; y - h / mapping.scale >= INSET_MM; y -= STEP_MM) {
    for (let x = INSET_MM; x + w / mapping.scale <= width_mm - INSET_MM; x += STEP_MM) {
      const at = toScreen(mapping, x, y);
      found.push({ x: at.x, y: at.y, w, h });
    }
  }
  return found;
}

/**
 * How much a place covers of what is drawn in light, and of the terrain that its own light would fall on.
 * @param {Mapping} mapping @param {View} view @param {number} margin_px
 * @returns {(box: Box) => number}
 */
function cost(mapping, view, margin_px) {
  const around = (/** @type {[number, number][]} */ ring) =>
    grown(union(ring.map(([x, y]) => ({ ...toScreen(mapping, x, y), w: 0, h: 0 }))), margin_px);
  const light = inOrder(view).flatMap((shape) => shape.rings_mm.map(around));
  const terrain = Object.values(view.terrain).map(({ outline_mm }) => around(outline_mm));
  const sum = (/** @type {Box} */ box, /** @type {Box[]} */ others) => others.reduce((s, other) => s + common(box, other), 0);
  return (box) => sum(box, light) + TERRAIN * sum(box, terrain);
}

/** The first of the places with the least cost. @param {Box[]} free @param {(box: Box) => number} cost */
function least(free, cost) {
  /** @type {{ box: Box | null, cost: number }} */
  const none = { box: null, cost: Infinity };
  return free.map((box) => ({ box, cost: cost(box) })).reduce((a, b) => (b.cost < a.cost ? b : a), none).box;
}

/** @param {Box} box @param {number} by @returns {Box} */
const grown = ({ x, y, w, h }, by) => ({ x: x - by, y: y - by, w: w + 2 * by, h: h + 2 * by });

/** The area that two boxes share. @param {Box} a @param {Box} b */
function common(a, b) {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return Math.max(0, w) * Math.max(0, h);
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
