// @ts-check
// Shows a call to the viewers when somebody at the table shows it.

/** @import { View } from "../messages.js" */
/** @import { Call, Photo } from "../common/call-drawing.js" */
import { loadPhotos, callOf, partOf } from "../common/call.js";
import { LASTS_S, drawCall } from "../common/call-drawing.js";
import { resize } from "../common/draw.js";

/** So long it stays on the air. */
const SHOWN_S = LASTS_S + 3;

/**
 * Builds what shows calls; the function returned is told of every view.
 * @param {HTMLCanvasElement} canvas
 */
export function callOnAir(canvas) {
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {number | null} what was shown before the page came is over */
  let last = null;
  /** @type {{ call: Call, photos: Photo[], began_ms: number } | null} */
  let shown = null;

  function step() {
    if (!shown) return;
    const t = (performance.now() - shown.began_ms) / 1000;
    canvas.dataset.shown = String(t < SHOWN_S);
    if (t >= SHOWN_S) {
      shown = null;
      return;
    }
    resize(canvas);
    drawCall(ctx, shown.call, t, shown.photos);
    requestAnimationFrame(step);
  }

  return (/** @type {View} */ view) => {
    const told = view.shown_call.call;
    const number = told?.number ?? 0;
    if (last === null || number <= last || !told) return void (last = number);
    last = number;
    const [key, finding] = Object.entries(view.findings).find(([, { rule, subjects }]) => rule === told.rule && subjects.join(" ") === told.subjects.join(" ")) ?? [];
    const call = finding && callOf(view, finding, view.shapes[`witness:${key}`]?.rings_mm[0] ?? [], [view.table.table?.title, finding.rule]);
    if (!call) return;
    const now = { call, photos: /** @type {Photo[]} */ ([]), began_ms: performance.now() };
    const idle = shown === null;
    shown = now;
    if (view.lookout.lookout) void loadPhotos(call, partOf(call), canvas).then((photos) => (now.photos = photos));
    if (idle) step();
  };
}
