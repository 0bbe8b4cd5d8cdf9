// @ts-check
// What leads a hand while it moves a model, on the page or on the table: the way that it takes, in the colour of its
// legality, what is left of it, and the base at the furthest legal place in that direction.
//
// It is worked out here, within the frame in which the hand is seen, of the zone that the referee drew; where the referee
// measures the way of a model on the table, its own number and line stand instead.

/** @import { ShapeView, View } from "../messages.js" */
/** @import { Point } from "./geometry.js" */
import { baseOutline, inside } from "./geometry.js";
import { rest } from "./way.js";

/** A way is kept in legs that are no shorter, so that a trembling finger does not lengthen it. */
const LEG_MM = 4;
/** A place is no further inside a zone than this when it counts as on its edge. */
const EDGE_MM = 0.05;
/** What the page measures by itself, it does not decide by less than this. */
const COARSE_MM = 1.5;

/** @typedef {[number, number][][]} Rings */
/** @typedef {{ model: string, x_mm: number, y_mm: number, facing_deg: number }} Target  where a model is to be */
/** @typedef {{ outcome: "legal" | "illegal" | "note", left: string, shapes: Record<string, ShapeView> }} Lead  left: in words, empty where no length is limited */

/** The zone that is drawn, as its rings; empty where none is. @param {View} view @returns {Rings} */
const zoneOf = ({ shapes }) => Object.values(shapes).flatMap((shape) => (shape.style === "zone" ? shape.rings_mm : []));

/** Whether a place is in a zone, by the even-odd rule over all its rings. @param {Rings} zone @param {Point} at */
const isIn = (zone, at) => zone.filter((ring) => inside(ring, at)).length % 2 === 1;

/**
 * The last place in a zone on the straight line from one point to another; null where none of it is.
 * @param {Rings} zone @param {Point} from @param {Point} to @returns {Point | null}
 */
export function furthest(zone, from, to) {
  if (isIn(zone, to)) return to;
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(dx, dy);
  if (long === 0) return null;
  /** @type {number[]} where the line crosses an edge, as shares of it */
  const crossings = [];
  for (const ring of zone) {
    for (let i = 0; i < ring.length; i++) {
      const [ax, ay] = ring[i];
      const [bx, by] = ring[(i + 1) % ring.length];
      const across = dx * (by - ay) - dy * (bx - ax);
      if (across === 0) continue;
      const along = ((ax - from.x) * (by - ay) - (ay - from.y) * (bx - ax)) / across;
      const edge = ((ax - from.x) * dy - (ay - from.y) * dx) / across;
      if (along >= 0 && along <= 1 && edge >= 0 && edge <= 1) crossings.push(along);
    }
  }
  for (const share of crossings.sort((a, b) => b - a)) {
    const before = Math.max(0, share - EDGE_MM / long);
    const at = { x: from.x + before * dx, y: from.y + before * dy };
    if (isIn(zone, at)) return at;
  }
  return null;
}

/** The picked model where a hand carries it over the table now; null while none does. @param {View} view @returns {Target | null} */
export function carriedOf({ move, models }) {
  const id = move.move?.model ?? "";
  const model = models[id];
  return model && (model.state === "lifted" || (model.moving && model.state === "seen")) ? { ...model, model: id } : null;
}

/** Builds what leads the hand; it remembers where models rested, and the way of the one that is held. */
export function leading() {
  /** @type {Map<string, Point>} */
  const rested = new Map();
  /** @type {{ model: string, way: Point[], before_mm: number } | null} */
  let held = null;

  /** Takes in where models are, and where a hand wants one to go; null once it lets go. @param {View} view @param {Target | null} target */
  function follow(view, target) {
    for (const [id, { x_mm, y_mm, state, moving }] of Object.entries(view.models)) {
      if (state === "seen" && !moving && id !== held?.model) rested.set(id, { x: x_mm, y: y_mm });
    }
    if (!target || !view.models[target.model]) return void (held = null);
    const at = { x: target.x_mm, y: target.y_mm };
    if (held?.model !== target.model) {
      const { x_mm, y_mm } = view.models[target.model];
      const known = view.ways[target.model];
      const start = rested.get(target.model) ?? { x: x_mm, y: y_mm };
      held = { model: target.model, way: [start], before_mm: known && !known.moving ? known.measured_mm : 0 };
    }
    const last = held.way[held.way.length - 1];
    // In the air it has made no way but from where it stood to where it comes down.
    if (view.models[target.model].state === "lifted") held.way.length = 1;
    else if (Math.hypot(at.x - last.x, at.y - last.y) >= LEG_MM) held.way.push(at);
  }

  /** @param {View} view @param {Target | null} target @returns {Lead | null} */
  return (view, target) => {
    follow(view, target);
    if (!held || !target) return null;
    const model = view.models[target.model];
    const at = { x: target.x_mm, y: target.y_mm };
    const zone = view.move.move?.model === target.model ? zoneOf(view) : [];
    const legal = zone.length ? isIn(zone, at) : null;
    const left = leftOf(view, held, at);
    const outcome = legal === false || (left && left.mm < -COARSE_MM) ? "illegal" : legal ? "legal" : "note";
    const stop = legal === false ? furthest(zone, held.way[0], at) : null;
    const style = view.palette[`path-${outcome}`] ? `path-${outcome}` : "path";
    /** @type {Lead["shapes"]} */
    const shapes = { "lead:path": shapeOf("path", style, [[...held.way, at].map(({ x, y }) => [x, y])], false) };
    if (stop) shapes["lead:stop"] = shapeOf("stop", "stop", [baseOutline({ ...model, ...target, x_mm: stop.x, y_mm: stop.y })], true);
    return { outcome, left: left?.text ?? "", shapes };
  };
}

/** @param {ShapeView["layer"]} layer @param {string} style @param {Rings} rings_mm @param {boolean} closed @returns {ShapeView} */
const shapeOf = (layer, style, rings_mm, closed) => ({ layer, rings_mm, closed, style, label: "", on: null });

/**
 * What is left of the way that a hand has taken, in words; null where no length is limited.
 * @param {View} view @param {{ model: string, way: Point[], before_mm: number }} held @param {Point} at
 */
function leftOf(view, held, at) {
  const limit_mm = view.ways[held.model]?.limit_mm ?? view.move.move?.limit_mm ?? null;
  if (limit_mm === null) return null;
  let gone_mm = held.before_mm;
  [...held.way.slice(1), at].forEach(({ x, y }, i) => (gone_mm += Math.hypot(x - held.way[i].x, y - held.way[i].y)));
  const way = { outcome: /** @type {const} */ ("note"), measured_mm: gone_mm, limit_mm, sigma_mm: null, moving: true };
  return { mm: limit_mm - gone_mm, text: rest(way, view.table.table?.unit ?? "in") };
}

/**
 * Builds what adds to a view, for as long as a hand carries a model over the table, what leads that hand.
 * @returns {(view: View) => { view: View, carried: { model: string, outcome: Lead["outcome"], left: string } | null }}
 */
export function carrying() {
  const lead = leading();
  return (view) => {
    const target = carriedOf(view);
    const led = lead(view, target);
    if (!led || !target) return { view, carried: null };
    const way = view.ways[target.model];
    const judged = way?.moving && view.shapes[`way:${target.model}`] ? way : null;
    const { "lead:path": path, ...stop } = led.shapes;
    const shapes = { ...view.shapes, ...(judged ? stop : { ...stop, "lead:path": path }) };
    const left = judged ? rest(judged, view.table.table?.unit ?? "in") : led.left;
    return { view: { ...view, shapes }, carried: { model: target.model, outcome: led.outcome, left } };
  };
}
