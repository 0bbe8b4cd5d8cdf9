// @ts-check
// Mouse, finger and two fingers on the table, told apart as tap, drag, pan and zoom.

/** @import { Point } from "../common/geometry.js" */

/**
 * What gestures mean to the page.  Points are pixels from the canvas's top left corner.
 * @template Grip
 * @typedef {object} Meaning
 * @property {(at: Point) => Grip | null} grip  what a drag that begins here takes hold of; null for the table itself
 * @property {(at: Point) => void} tap
 * @property {(grip: Grip, at: Point) => void} drag
 * @property {(grip: Grip) => void} release
 * @property {(centre: Point, factor: number, by: Point) => void} zoom
 */

const STILL_PX = 6;
const ZOOM_PER_WHEEL_PX = 0.0015;

/**
 * @template Grip
 * @param {HTMLCanvasElement} canvas
 * @param {Meaning<Grip>} on
 */
export function gestures(canvas, on) {
  /** @type {Map<number, Point>} */
  const pointers = new Map();
  /** @type {Grip | null} */
  let grip = null;
  /** @type {Point} */
  let start = { x: 0, y: 0 };
  let moved = false;

  /** @param {MouseEvent} event @returns {Point} */
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 1) {
      start = place(event);
      moved = false;
      grip = on.grip(start);
    } else {
      letGo(); // a second finger makes it a zoom
      moved = true;
    }
  });

  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const at = place(event);
    if (!moved && Math.hypot(at.x - start.x, at.y - start.y) < STILL_PX) return;
    moved = true;
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    pointers.set(event.pointerId, at);
    const by = { x: at.x - before.x, y: at.y - before.y };
    if (others.length) {
      const [other] = others;
      const factor = distance(at, other) / Math.max(1, distance(before, other));
      on.zoom(other, factor, { x: 0, y: 0 });
    } else if (grip) {
      on.drag(grip, at);
    } else {
      on.zoom(at, 1, by);
    }
  });

  canvas.addEventListener("pointerup", (event) => {
    if (pointers.delete(event.pointerId) && !moved) on.tap(start);
    letGo();
  });
  canvas.addEventListener("pointercancel", (event) => {
    pointers.delete(event.pointerId);
    letGo();
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      on.zoom(place(event), Math.exp(-event.deltaY * ZOOM_PER_WHEEL_PX), { x: 0, y: 0 });
    },
    { passive: false },
  );

  function letGo() {
    if (grip && moved) on.release(grip);
    grip = null;
  }
}

/** @param {Point} a @param {Point} b */
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
