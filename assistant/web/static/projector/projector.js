// @ts-check
// Light for the table: the overlay's shapes on black, and darkness on every base and every tag.

/** @import { ProjectorView, View, WarpView } from "../messages.js" */
import { captions } from "../common/caption.js";
import { byId } from "../common/dom.js";
import { darken, drawCheck, drawShapes, repainter } from "../common/draw.js";
import { fit } from "../common/geometry.js";
import { drawLabels, shapeLabels } from "../common/labels.js";
import { live } from "../common/live.js";
import { nudgeOf } from "../common/nudge.js";
import { flatOf, warpOf } from "../common/warp.js";
import { drawPattern } from "./pattern.js";

/** @type {(keyof View)[]} */
const DRAWN = ["shapes", "models", "table", "palette", "scene", "projector"];
const DARK_MARGIN_MM = 5;
const ANCHOR_MARGIN_MM = 4;
const LABEL_MM = 18;
const SAID_MS = 12_000;

const canvas = /** @type {HTMLCanvasElement} */ (byId("light"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
/** @type {View | null} */
let view = null;
let linked = false;
const drawCaption = captions();

const projector = () => view?.projector.projector ?? null;

const repaint = repainter(() => {
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = "#000000";
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  const table = view?.table.table;
  if (!view || !table) return;
  const now = projector();
  if (now?.pattern) {
    if (isOurs(now.pattern.image_size)) drawPattern(ctx, now.pattern);
    return;
  }
  const mapping =
    now?.warp && isOurs(now.warp.image_size) ? flatOf(warpOf(now.warp), table) : fit(table, canvas.clientWidth, canvas.clientHeight);
  drawShapes(ctx, mapping, view);
  if (now?.checking) drawCheck(ctx, mapping, table, now.dark_mm);
  const words = drawCaption(ctx, mapping, view);
  drawLabels(ctx, mapping, view, shapeLabels(mapping, view), Math.max(11, LABEL_MM * mapping.scale), words);
  // Last: nothing may shine on a tag.
  darken(ctx, mapping, view, DARK_MARGIN_MM, now?.dark_mm ?? [], ANCHOR_MARGIN_MM);
});

/** Whether a size is this page's, in the screen's own pixels. @param {[number, number]} size */
const isOurs = ([width, height]) => width === canvas.width && height === canvas.height;

const send = live({
  changed(now, touched) {
    const before = projector();
    view = now;
    if (DRAWN.some((section) => touched.has(section))) repaint();
    if (JSON.stringify(said(before)) !== JSON.stringify(said(projector()))) tell();
  },
  link(link) {
    const status = byId("status");
    status.hidden = link === "live";
    status.textContent = link === "connecting" ? "connecting …" : "reconnecting …";
    linked = link === "live";
    report();
  },
  refused: (text) => tell(text),
});

/** @param {ProjectorView | null} now */
const said = (now) => now && !now.pattern && [now.note, now.nudge];

/** Says for a while what a person should know of the light; it is light on the table itself. @param {string} [text] */
function tell(text) {
  const now = projector();
  const place = byId("note");
  const words = text ?? (now && !now.pattern ? [now.note, nudgeOf(now.nudge)].filter(Boolean).join(" ") : "");
  place.textContent = words;
  place.style.rotate = `${now?.warp && isOurs(now.warp.image_size) ? turnOf(now.warp) : 0}rad`;
  place.hidden = !words;
  clearTimeout(silence);
  silence = setTimeout(() => (place.hidden = true), SAID_MS);
}
/** @type {number | undefined} */
let silence;

/** How far the table is turned in the projector's picture, so that words can be read from its near edge. @param {WarpView} warp */
function turnOf(warp) {
  const { width_mm, depth_mm } = view?.table.table ?? { width_mm: 0, depth_mm: 0 };
  const [along, down] = warpOf(warp).slope(width_mm / 2, depth_mm / 2);
  return Math.atan2(down, along);
}

function report() {
  if (linked) send({ type: "projector-page", width_px: canvas.width, height_px: canvas.height });
}

/** Gives the canvas as many pixels as the screen has there: one that is scaled blurs, and would not keep its calibration. */
const watch = new ResizeObserver(([entry]) => {
  const box = entry.devicePixelContentBoxSize?.[0];
  const width = exactly(canvas.clientWidth * devicePixelRatio, box?.inlineSize);
  const height = exactly(canvas.clientHeight * devicePixelRatio, box?.blockSize);
  if (width !== canvas.width || height !== canvas.height) [canvas.width, canvas.height] = [width, height];
  report();
  repaint();
});
try {
  watch.observe(canvas, { box: "device-pixel-content-box" });
} catch {
  watch.observe(canvas); // a browser that does not tell
}

/**
 * A number of pixels as the browser tells it; where it tells nothing, or leaves the zoom out, by rounding.
 * @param {number} about @param {number | undefined} told
 */
function exactly(about, told) {
  return told !== undefined && Math.abs(told - about) < 1 ? told : Math.round(about);
}

function fullscreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => {}); // the browser may not allow it; the page still works
}

addEventListener("click", fullscreen);
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "f") return fullscreen();
  const order = nudgeOrder(event);
  if (order && projector()?.nudge) {
    event.preventDefault(); // arrows would scroll
    send(order);
  }
});

/** @param {KeyboardEvent} event @returns {import("../messages.js").FromPage | null} */
function nudgeOrder({ key, shiftKey, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return null;
  const step = shiftKey ? 0.1 : 1;
  switch (key) {
    case "ArrowLeft":
      return { type: "nudge-light", x_mm: -step };
    case "ArrowRight":
      return { type: "nudge-light", x_mm: step };
    case "ArrowUp":
      return { type: "nudge-light", y_mm: step };
    case "ArrowDown":
      return { type: "nudge-light", y_mm: -step };
    case "[":
      return { type: "nudge-light", turn_deg: 0.02 };
    case "]":
      return { type: "nudge-light", turn_deg: -0.02 };
    case "+":
    case "=":
      return { type: "nudge-light", scale: 1.0005 };
    case "-":
      return { type: "nudge-light", scale: 1 / 1.0005 };
    case "Backspace":
      return { type: "nudge-back" };
    case "0":
      return { type: "nudge-back", all: true };
  }
  return null;
}
