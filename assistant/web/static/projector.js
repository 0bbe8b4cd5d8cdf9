// @ts-check
// Light for the table: the overlay's shapes on black, and darkness on every base.

/** @import { View } from "./messages.js" */
import { captions } from "./caption.js";
import { byId } from "./dom.js";
import { darkenBases, drawShapes, repainter, resize } from "./draw.js";
import { fit } from "./geometry.js";
import { drawLabels, shapeLabels } from "./labels.js";
import { live } from "./live.js";

/** @type {(keyof View)[]} */
const DRAWN = ["shapes", "models", "table", "palette", "scene"];
const DARK_MARGIN_MM = 5;
const LABEL_MM = 18;

const canvas = /** @type {HTMLCanvasElement} */ (byId("light"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
/** @type {View | null} */
let view = null;
const drawCaption = captions();

const repaint = repainter(() => {
  const { width, height } = resize(canvas);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = "#000000";
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  const table = view?.table.table;
  if (!view || !table) return;
  const mapping = fit(table, width, height);
  drawShapes(ctx, mapping, view);
  const words = drawCaption(ctx, mapping, view);
  drawLabels(ctx, mapping, view, shapeLabels(mapping, view), Math.max(11, LABEL_MM * mapping.scale), words);
  darkenBases(ctx, mapping, view, DARK_MARGIN_MM); // last: nothing may shine on a tag
});

live({
  changed(now, touched) {
    view = now;
    if (DRAWN.some((section) => touched.has(section))) repaint();
  },
  link(link) {
    const status = byId("status");
    status.hidden = link === "live";
    status.textContent = link === "connecting" ? "connecting …" : "reconnecting …";
  },
});

function fullscreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => {}); // the browser may not allow it; the page still works
}

addEventListener("resize", repaint);
addEventListener("click", fullscreen);
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "f") fullscreen();
});
