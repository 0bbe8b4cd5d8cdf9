// @ts-check
// Snapping of what is dragged: to the edges and the middle of the table, to the edges of other pieces, to whole angles.

/** @typedef {{ left: number, right: number, low: number, high: number }} Box */
/** @typedef {{ x: number, y: number }} Point */

export const WHOLE_DEG = 15;
const SQUARE_DEG = 90;
/** What has more corners is round. */
const MOST_CORNERS = 8;
const ROUNDING_MM = 0.1;

/** The box around some points. @param {[number, number][]} points @returns {Box} */
export function boxOf(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), low: Math.min(...ys), high: Math.max(...ys) };
}

/**
 * How far a piece goes that is dragged so far: a little more or less, where an edge or its middle then meets another.
 * @param {Box} box  where it was @param {Point} by  how far it is dragged
 * @param {Box[]} others @param {{ width: number, depth: number }} table @param {number} within  how near is near
 * @returns {Point}
 */
export function snapMove(box, by, others, { width, depth }, within) {
  const across = others.flatMap(({ left, right }) => [left, right]);
  const along = others.flatMap(({ low, high }) => [low, high]);
  return {
    x: by.x + nearest([box.left + by.x, box.right + by.x], [0, width, ...across], (box.left + box.right) / 2 + by.x, width / 2, within),
    y: by.y + nearest([box.low + by.y, box.high + by.y], [0, depth, ...along], (box.low + box.high) / 2 + by.y, depth / 2, within),
  };
}

/** @param {number[]} edges @param {number[]} lines @param {number} middle @param {number} half @param {number} within */
function nearest(edges, lines, middle, half, within) {
  const steps = [half - middle, ...edges.flatMap((edge) => lines.map((line) => line - edge))];
  const least = steps.reduce((best, step) => (Math.abs(step) < Math.abs(best) ? step : best));
  return Math.abs(least) <= within ? least : 0;
}

/**
 * How far a piece turns that is turned so far: to the next whole angle, or until it lies along another piece.
 * @param {number} facing  degrees @param {number} turn  degrees
 * @param {[number, number][]} own  its outline @param {[number, number][][]} others  outlines
 */
export function snapTurn(facing, turn, own, others) {
  const whole = Math.round((facing + turn) / WHOLE_DEG) * WHOLE_DEG - facing;
  const edge = directionOf(own);
  const along = others.map(directionOf).flatMap((other) => {
    if (edge === null || other === null) return [];
    const off = other - edge - turn;
    return [turn + off - Math.round(off / SQUARE_DEG) * SQUARE_DEG];
  });
  return along.reduce((best, each) => (Math.abs(each - turn) < Math.abs(best - turn) ? each : best), whole);
}

/** Which way the longest edge of an outline runs, degrees; null where it is round. @param {[number, number][]} points */
function directionOf(points) {
  if (points.length > MOST_CORNERS) return null;
  const edges = points.map(([x, y], at) => [points[(at + 1) % points.length][0] - x, points[(at + 1) % points.length][1] - y]);
  const [x, y] = edges.reduce((best, edge) => (Math.hypot(...edge) > Math.hypot(...best) + ROUNDING_MM ? edge : best));
  return (Math.atan2(y, x) * 180) / Math.PI;
}

/**
 * How a piece's twin moves with it.
 * @param {"half-turn" | "left-right" | "near-far" | "none"} symmetry @param {Point} by @param {number} turn
 */
export function reflected(symmetry, { x, y }, turn) {
  if (symmetry === "half-turn") return { by: { x: -x, y: -y }, turn };
  if (symmetry === "left-right") return { by: { x: -x, y }, turn: -turn };
  return { by: { x, y: -y }, turn: -turn };
}
