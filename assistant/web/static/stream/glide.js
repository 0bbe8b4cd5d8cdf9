// @ts-check
// Models go from where they were shown to where they are told to be, rather than jump there.
//
// What is shown lies on the way between two places that were seen, never beyond: it comes to rest exactly where the model
// is told to rest.  Only what was seen here and there glides; of a base that was lifted or hidden nobody knows the way.

/** @import { ModelView, ShapeView, View } from "../messages.js" */
import { inTable } from "../common/geometry.js";

/** So long a glide takes at least and at most; between them, as long as the camera takes from a picture to the next. */
const [SHORTEST_MS, LONGEST_MS] = [30, 120];
/** What is farther off was not pushed there from one picture to the next. */
const FARTHEST_MM = 150;

/** @typedef {{ from: ModelView, to: ModelView, began_ms: number, takes_ms: number }} Glide */

/** A turn in degrees, the shorter way. @param {number} from @param {number} to */
const turn = (from, to) => ((((to - from) % 360) + 540) % 360) - 180;

/** @param {Glide} glide @param {number} now_ms @returns {ModelView} */
function between({ from, to, began_ms, takes_ms }, now_ms) {
  const share = Math.min(1, Math.max(0, (now_ms - began_ms) / takes_ms));
  if (share === 1) return to;
  return {
    ...to,
    x_mm: from.x_mm + share * (to.x_mm - from.x_mm),
    y_mm: from.y_mm + share * (to.y_mm - from.y_mm),
    facing_deg: from.facing_deg + share * turn(from.facing_deg, to.facing_deg),
  };
}

/** A ring that goes along with a model, which was placed where one is told to be, where it is shown. @param {ShapeView} shape @param {ModelView} told @param {ModelView} shown @returns {ShapeView} */
function along(shape, told, shown) {
  const back = { ...told, x_mm: 0, y_mm: 0, facing_deg: -told.facing_deg };
  const own = (/** @type {[number, number][]} */ ring) =>
    inTable(back, ring.map(([x, y]) => [x - told.x_mm, y - told.y_mm]));
  return { ...shape, rings_mm: shape.rings_mm.map((ring) => inTable(shown, own(ring))) };
}

/** @param {ModelView} from @param {ModelView} to */
const isGlide = (from, to) =>
  from.state === "seen" &&
  to.state === "seen" &&
  from.z_mm === to.z_mm &&
  Math.hypot(from.x_mm - to.x_mm, from.y_mm - to.y_mm) <= FARTHEST_MM;

/** @param {ModelView} a @param {ModelView} b */
const isSamePlace = (a, b) => a.x_mm === b.x_mm && a.y_mm === b.y_mm && a.facing_deg === b.facing_deg;

/**
 * Builds what lets models glide.  `told` takes in what the table says; `shown` is the view at a moment, the very one that
 * was told once everything is there.
 * @param {{ still: boolean }} how  still: nothing glides
 */
export function gliding({ still }) {
  /** @type {Map<string, Glide>} */
  const glides = new Map();
  /** @type {View | null} */
  let now = null;
  let told_ms = 0;

  return {
    /** @param {View} view @param {number} at_ms */
    told(view, at_ms) {
      const takes_ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, at_ms - told_ms));
      if (view.models !== now?.models) told_ms = at_ms;
      for (const [id, to] of Object.entries(view.models)) {
        const before = now?.models[id];
        if (still || !before || before === to) continue;
        const running = glides.get(id);
        const from = running ? between(running, at_ms) : before;
        const isOnItsWay = running && isSamePlace(running.to, to);
        if (!isGlide(before, to)) glides.delete(id);
        else if (!isOnItsWay && !isSamePlace(from, to)) glides.set(id, { from, to, began_ms: at_ms, takes_ms });
      }
      now = view;
    },

    /** @param {number} at_ms @returns {{ view: View | null, moves: boolean }} */
    shown(at_ms) {
      for (const [id, { began_ms, takes_ms }] of glides) {
        if (!now?.models[id] || at_ms >= began_ms + takes_ms) glides.delete(id);
      }
      if (!now || !glides.size) return { view: now, moves: false };
      const { models, shapes } = now;
      const moved = Object.fromEntries([...glides].map(([id, glide]) => [id, { ...models[id], ...placeOf(between(glide, at_ms)) }]));
      const placed = Object.entries(shapes).map(([key, shape]) => [key, shape.on && moved[shape.on] ? along(shape, models[shape.on], moved[shape.on]) : shape]);
      return { view: { ...now, models: { ...models, ...moved }, shapes: Object.fromEntries(placed) }, moves: true };
    },
  };
}

/** @param {ModelView} model */
const placeOf = ({ x_mm, y_mm, facing_deg }) => ({ x_mm, y_mm, facing_deg });
