// @ts-check
// Light for the table: the overlay's shapes on black, darkness on every base with its halo and on every fixed tag, still
// while nothing changes.

/** @import { LightsView, ModelView, ProjectorView, View } from "../messages.js" */
/** @import { Words } from "../common/caption.js" */
import { byId } from "../common/dom.js";
import { repainter } from "../common/draw.js";
import { fit, radians } from "../common/geometry.js";
import { say } from "../common/language.js";
import { carrying } from "../common/lead.js";
import { live } from "../common/live.js";
import { nudgeOf } from "../common/nudge.js";
import { acting, seatOf } from "../common/reading.js";
import { still } from "../common/still.js";
import { flatOf, warpOf } from "../common/warp.js";
import { stayAwake } from "../common/awake.js";
import { KEYS, lightChange, nudgeOrder } from "./keys.js";
import { drawPattern } from "./pattern.js";
import { AS_IT_COMES, shining } from "./shining.js";

/** @type {(keyof View)[]} */
const DRAWN = ["shapes", "models", "table", "terrain", "palette", "scene", "projector", "lights", "turn", "move", "units", "laying", "ways"];
const SAID_MS = 12_000;
const KEYS_MS = 10_000;
const FRONT_MM = 60;
const WORDS = "#9a9a9a";
const DIM = "#5a5a5a";

const canvas = /** @type {HTMLCanvasElement} */ (byId("light"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
/** @type {View | null} */
let view = null;
let linked = false;
/** @type {Words | null} */
let note = null;
/** @type {number | undefined} */
let silence;
/** Who acted last: words stay turned to them until somebody else acts. @type {string | null} */
let reader = null;
const shine = shining();
const carry = carrying();
/** @type {ReturnType<typeof carry> | null} the view with what leads a hand */
let led = null;
const changes = still();

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
  shine(ctx, mapping, led?.view ?? view, seat()?.edge ?? "near", note, led?.carried);
});

/** Whether a size is this page's, in the screen's own pixels. @param {[number, number]} size */
const isOurs = ([width, height]) => width === canvas.width && height === canvas.height;

/** Who reads what is written, and where they sit. */
function seat() {
  const player = reader ?? Object.values(view?.units ?? {}).find((unit) => unit.side === 0)?.player;
  return view && player !== undefined ? { player, edge: seatOf(view, player) } : null;
}

/** Draws anew, unless nothing that is drawn has changed. */
function settle() {
  if (!view) return;
  reader = acting(view) ?? reader;
  led = carry(view);
  const { shapes, models, table, terrain, palette, scene, lights, laying } = led.view;
  const now = projector();
  const placed = {
    shapes: Object.fromEntries(Object.entries(shapes).map(([key, { rings_mm }]) => [key, rings_mm])),
    bases: Object.fromEntries(Object.entries(models).map(([id, model]) => [id, lying(model)])),
  };
  const exact = {
    looks: Object.fromEntries(Object.entries(shapes).map(([key, { rings_mm: _, ...look }]) => [key, look])),
    light: now && { pattern: now.pattern, warp: now.warp, checking: now.checking, dark_mm: now.dark_mm, halos_mm: now.halos_mm },
    bases: Object.fromEntries(Object.entries(models).map(([id, { base }]) => [id, base])),
    table,
    terrain,
    palette,
    scene,
    lights,
    laying,
    note,
    seat: seat(),
    carried: led.carried,
  };
  if (changes({ placed, exact })) repaint();
}

/** A model's middle, and a point far in front of it. @param {ModelView} model */
function lying({ x_mm, y_mm, facing_deg }) {
  const turn = radians(facing_deg);
  return [x_mm, y_mm, x_mm + FRONT_MM * Math.cos(turn), y_mm + FRONT_MM * Math.sin(turn)];
}

const send = live({
  changed(now, touched) {
    const before = projector();
    view = now;
    if (touched.has("lights")) wanted = null;
    if (JSON.stringify(said(before)) !== JSON.stringify(said(projector()))) tell();
    if (DRAWN.some((section) => touched.has(section))) settle();
  },
  link(link) {
    const status = byId("status");
    status.hidden = link === "live";
    status.textContent = link === "connecting" ? say("connecting …") : say("reconnecting …");
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
  const words = text ?? (now && !now.pattern ? [now.note, nudgeOf(now.nudge)].filter(Boolean).join(" ") : "");
  write(words ? [words] : [], WORDS, SAID_MS);
}

/** Writes on the table for a while. @param {string[]} lines @param {string} colour @param {number} for_ms */
function write(lines, colour, for_ms) {
  byId("note").textContent = lines.join(". "); // for who cannot see the table
  note = lines.length ? { key: lines.join(), parts: lines.map((text) => ({ text, colour })) } : null;
  clearTimeout(silence);
  if (note) silence = setTimeout(() => write([], colour, 0), for_ms);
  settle();
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

/** What keys asked for and no view has brought yet, so that several quick presses add up. @type {Partial<LightsView> | null} */
let wanted = null;

addEventListener("click", fullscreen);
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "f") return fullscreen();
  if (event.key === "?") return write(KEYS, DIM, KEYS_MS);
  const known = { ...(view?.lights.lights ?? AS_IT_COMES), ...wanted };
  const now = seat();
  const change = lightChange(event, known, now && { ...now, edge: known.seats[now.player] ?? now.edge });
  if (change) {
    wanted = { ...wanted, ...change, seats: { ...known.seats, ...change.seats } };
    send({ type: "light-settings", ...change });
    return;
  }
  const order = nudgeOrder(event);
  if (order && projector()?.nudge) {
    event.preventDefault(); // arrows would scroll
    send(order);
  }
});
stayAwake();
