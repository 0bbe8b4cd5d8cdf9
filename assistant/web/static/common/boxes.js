// @ts-check
// Upright boxes that words stand in, and what they may not cover.

/** @import { Point } from "./geometry.js" */

/** @typedef {{ x: number, y: number, w: number, h: number }} Box  top left corner and size, pixels */

/** @param {Box[]} boxes @returns {Box} */
export function union(boxes) {
  const x = Math.min(...boxes.map((b) => b.x));
  const y = Math.min(...boxes.map((b) => b.y));
  return { x, y, w: Math.max(...boxes.map((b) => b.x + b.w)) - x, h: Math.max(...boxes.map((b) => b.y + b.h)) - y };
}

/** The box around points. @param {Point[]} points @returns {Box} */
export const around = (points) => union(points.map(({ x, y }) => ({ x, y, w: 0, h: 0 })));

/** @param {Box} a @param {Box} b */
export const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** @param {Box} box @param {Box} room */
export const within = (box, room) =>
  box.x >= room.x && box.y >= room.y && box.x + box.w <= room.x + room.w && box.y + box.h <= room.y + room.h;

/** @param {Box} box @param {number} by @returns {Box} */
export const grown = ({ x, y, w, h }, by) => ({ x: x - by, y: y - by, w: w + 2 * by, h: h + 2 * by });

/** The area that two boxes share. @param {Box} a @param {Box} b */
export function common(a, b) {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return Math.max(0, w) * Math.max(0, h);
}

/** Whether a box lies on some part of what a ring surrounds. @param {Box} box @param {Point[]} ring */
export function covers(box, ring) {
  return overlap(box, around(ring)) && (edges(ring).some(([a, b]) => crosses(box, a, b)) || inside(middle(box), ring));
}

/** Whether a box lies whole inside of a ring. @param {Box} box @param {Point[]} ring */
export function holds(box, ring) {
  return inside(middle(box), ring) && !edges(ring).some(([a, b]) => crosses(box, a, b));
}

/** @param {Box} box @returns {Point} */
export const middle = ({ x, y, w, h }) => ({ x: x + w / 2, y: y + h / 2 });

/** @param {Point[]} ring @returns {[Point, Point][]} */
const edges = (ring) => ring.map((point, i) => [point, ring[(i + 1) % ring.length]]);

/** Whether a segment has a part in a box: it is cut down to the box, side by side. @param {Box} box @param {Point} a @param {Point} b */
function crosses(box, a, b) {
  let [from, to] = [0, 1];
  /** @type {[number, number, number, number][]} */
  const sides = [[a.x, b.x, box.x, box.x + box.w], [a.y, b.y, box.y, box.y + box.h]];
  for (const [start, end, low, high] of sides) {
    const step = end - start;
    if (step === 0) {
      if (start < low || start > high) return false;
      continue;
    }
    const [first, last] = [(low - start) / step, (high - start) / step].sort((p, q) => p - q);
    [from, to] = [Math.max(from, first), Math.min(to, last)];
    if (from > to) return false;
  }
  return true;
}

/** Whether a ray to the right meets an odd number of edges. @param {Point} at @param {Point[]} ring */
function inside(at, ring) {
  return (
    edges(ring).filter(
      ([a, b]) => a.y > at.y !== b.y > at.y && at.x < a.x + ((at.y - a.y) / (b.y - a.y)) * (b.x - a.x),
    ).length % 2 === 1
  );
}
