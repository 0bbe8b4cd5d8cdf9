// @ts-check
// Shows a call to the viewers when somebody shows it at the table or at the judge's desk, again if they ask for it.

/** @import { PastView, ShownCallView, View } from "../messages.js" */
/** @import { Call, Photo } from "../common/call-drawing.js" */
import { addressOf } from "../common/address.js";
import { callOf, loadPhotos, partOf } from "../common/call.js";
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

  /** @param {View} view  in which it was so @param {ShownCallView} told @param {boolean} isSeen  there are pictures of it */
  function begin(view, told, isSeen) {
    const [key, finding] = Object.entries(view.findings).find(([, { rule, subjects }]) => rule === told.rule && subjects.join(" ") === told.subjects.join(" ")) ?? [];
    const player = view.units[view.move.move?.unit ?? ""]?.player;
    const call = finding && callOf(view, finding, view.shapes[`witness:${key}`]?.rings_mm[0] ?? [], [view.table.table?.title, player, finding.rule]);
    if (!call) return;
    const now = { call, photos: /** @type {Photo[]} */ ([]), began_ms: performance.now() };
    const idle = shown === null;
    shown = now;
    resize(canvas);
    if (isSeen) void loadPhotos(call, partOf(call, told.past ? told.at_ns : null), canvas).then((photos) => (now.photos = photos));
    if (idle) step();
  }

  return (/** @type {View} */ view) => {
    const told = view.shown_call.call;
    const number = told?.number ?? 0;
    const isNew = last !== null && number > last;
    last = number;
    if (!told || !isNew) return;
    if (!told.past) return begin(view, told, Boolean(view.lookout.lookout));
    void fetch(addressOf(`/past/view.json?at_ns=${told.at_ns}`))
      .then((answer) => (answer.ok ? answer.json() : null))
      .then((/** @type {PastView | null} */ then) => then && begin(then.view, told, true));
  };
}
