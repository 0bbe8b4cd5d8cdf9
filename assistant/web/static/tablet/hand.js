// @ts-check
// A hand on the virtual table: where it wants a model to go, told to the server at most thirty times a second.

/** @import { FromPage, ModelView } from "../messages.js" */
/** @import { Point } from "../common/geometry.js" */
/** @import { Target } from "../common/lead.js" */

const TELL_EVERY_MS = 34;
const SHOWN_AFTER_MS = 600; // until the camera has seen the model arrive

/**
 * @param {{ send: (message: FromPage) => void, changed: () => void }} page
 */
export function hand({ send, changed }) {
  /** @type {Target | null} */
  let target = null;
  /** @type {number | undefined} */
  let telling;
  /** @type {number | undefined} */
  let hiding;

  /** @param {Target} now */
  function aim(now) {
    clearTimeout(hiding);
    target = now;
    changed();
    telling ??= setTimeout(() => tell(false), TELL_EVERY_MS);
  }

  /** @param {boolean} done */
  function tell(done) {
    clearTimeout(telling);
    telling = undefined;
    if (target) send({ type: "drag", ...target, done });
  }

  function done() {
    tell(true);
    hiding = setTimeout(() => {
      target = null;
      changed();
    }, SHOWN_AFTER_MS);
  }

  /** @param {string} model @param {ModelView} view @returns {Target} */
  const from = (model, { x_mm, y_mm, facing_deg }) => (target?.model === model ? target : { model, x_mm, y_mm, facing_deg });

  return {
    /** Where the hand wants a model to go; null when it holds none. */
    target: () => target,
    done,

    /**
     * Takes hold of a model at a point; the function returned moves it there with the hand.
     * @param {string} model @param {ModelView} view @param {Point} at  millimetres
     */
    push(model, view, at) {
      const start = from(model, view);
      return (/** @type {Point} */ to) =>
        aim({ ...start, x_mm: start.x_mm + to.x - at.x, y_mm: start.y_mm + to.y - at.y });
    },

    /**
     * Takes hold of a model's handle; the function returned turns its front towards the hand.
     * @param {string} model @param {ModelView} view
     */
    turn(model, view) {
      const start = from(model, view);
      return (/** @type {Point} */ to) =>
        aim({ ...start, facing_deg: (Math.atan2(to.y - start.y_mm, to.x - start.x_mm) * 180) / Math.PI });
    },

    /**
     * @param {string} model @param {ModelView} view
     * @param {[number, number, number]} by  x and y in millimetres, degrees
     */
    nudge(model, view, [x, y, turn]) {
      const start = from(model, view);
      aim({ model, x_mm: start.x_mm + x, y_mm: start.y_mm + y, facing_deg: start.facing_deg + turn });
      done();
    },
  };
}
