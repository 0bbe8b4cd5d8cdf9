// @ts-check
// The time of the game as a line to scrub on: turns, what was found, ruled, and what became of the camera.

/** @import { FoundView, HappeningView } from "../messages.js" */
/** @import { Game } from "./past.js" */
import { repainter, resize } from "../common/draw.js";
import { FONT } from "../common/labels.js";
import { say } from "../common/language.js";
import { clock } from "./past.js";

/** @typedef {{ a: number | null, b: number | null, side: "a" | "b", duo: boolean }} Place  of the handles; null: at the end */

const PAD_PX = 14;
const BAR_PX = 26;
const TIMES_PX = 72;
/** Each kind of mark has a row and a shape of its own, so that no colour speaks alone. */
const ROWS = { found: 40, camera: 58, ruling: 58 };
/** @type {Record<FoundView["outcome"], string>} */
const TONES = { illegal: "#ff7a33", "too-close": "#f0e442", unobserved: "#56b4e9", legal: "#8fa39b" };

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{ seek: (at_ns: number | null, scrubbing: boolean) => void }} on  null: now
 */
export function timeline(canvas, on) {
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {Game | null} */
  let game = null;
  /** @type {Place} */
  let place = { a: null, b: null, side: "a", duo: false };
  /** @type {number[]} when something happened, in order */
  let stops = [];
  /** @type {number[]} */
  let turns = [];
  let dragging = false;

  const end = () => Math.max(1, game?.ended_ns ?? 1);
  const here = () => place[place.side] ?? end();
  const atX = (/** @type {number} */ x) => {
    const wide = canvas.clientWidth - 2 * PAD_PX;
    return Math.min(1, Math.max(0, (x - PAD_PX) / wide)) * end();
  };
  const xOf = (/** @type {number} */ at_ns) => PAD_PX + (at_ns / end()) * (canvas.clientWidth - 2 * PAD_PX);

  const repaint = repainter(() => {
    const { width, height } = resize(canvas);
    ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    if (!game) return;
    drawBands(ctx, game, xOf, width);
    for (const found of game.found) drawFound(ctx, found, xOf(found.at_ns), found.until_ns === null ? null : xOf(found.until_ns));
    for (const each of game.happened) drawHappening(ctx, each, xOf(each.at_ns));
    if (place.duo) drawHandle(ctx, xOf(place.b ?? end()), "B", place.side === "b");
    drawHandle(ctx, xOf(place.a ?? end()), place.duo ? "A" : "", place.side === "a");
  });

  /** @param {PointerEvent} event @param {boolean} scrubbing */
  function point(event, scrubbing) {
    const at_ns = atX(event.clientX - canvas.getBoundingClientRect().left);
    on.seek(nearest(at_ns), scrubbing);
  }

  /** A stop that a finger is near to: what is found is looked at from its beginning. @param {number} at_ns */
  function nearest(at_ns) {
    const near = game?.found.map((found) => found.at_ns).sort((x, y) => Math.abs(x - at_ns) - Math.abs(y - at_ns))[0];
    return near !== undefined && Math.abs(xOf(near) - xOf(at_ns)) < 5 ? near : at_ns;
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    dragging = true;
    point(event, true);
  });
  canvas.addEventListener("pointermove", (event) => dragging && point(event, true));
  canvas.addEventListener("pointerup", (event) => {
    if (!dragging) return;
    dragging = false;
    point(event, false);
  });
  canvas.addEventListener("pointercancel", () => (dragging = false));

  /** @type {Record<string, () => number | null>} */
  const keys = {
    ArrowRight: () => stops.find((at) => at > here()) ?? end(),
    ArrowLeft: () => stops.findLast((at) => at < here()) ?? 0,
    ArrowUp: () => stops.find((at) => at > here()) ?? end(),
    ArrowDown: () => stops.findLast((at) => at < here()) ?? 0,
    PageUp: () => turns.findLast((at) => at < here()) ?? 0,
    PageDown: () => turns.find((at) => at > here()) ?? end(),
    Home: () => 0,
    End: () => end(),
    l: () => null,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) return;
    const key = keys[event.key];
    if (!key || !game) return;
    event.preventDefault();
    on.seek(key(), false);
  });
  new ResizeObserver(repaint).observe(canvas);

  return {
    /** @param {Game} now */
    follow(now) {
      game = now;
      stops = [...new Set([...now.happened.map((each) => each.at_ns), ...now.found.map((each) => each.at_ns)])].sort((x, y) => x - y);
      turns = now.happened.filter((each) => each.kind === "turn").map((each) => each.at_ns);
      repaint();
    },
    /** @param {Place} now */
    show(now) {
      place = now;
      canvas.setAttribute("aria-valuemax", String(Math.round(end() / 1e9)));
      canvas.setAttribute("aria-valuenow", String(Math.round(here() / 1e9)));
      canvas.setAttribute("aria-valuetext", place[place.side] === null ? "now" : clock(here()));
      repaint();
    },
  };
}

/** @param {CanvasRenderingContext2D} ctx @param {Game} game @param {(at_ns: number) => number} xOf @param {number} width */
function drawBands(ctx, game, xOf, width) {
  ctx.fillStyle = "#262c31";
  ctx.fillRect(PAD_PX, 8, width - 2 * PAD_PX, BAR_PX);
  ctx.font = `600 12px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const begun = game.happened.filter(({ kind }) => kind === "turn");
  const turns = begun.filter(({ turn }, at) => turn !== begun[at - 1]?.turn); // the others are steps
  turns.forEach((turn, at) => {
    const [from, to] = [xOf(turn.at_ns), at + 1 < turns.length ? xOf(turns[at + 1].at_ns) : width - PAD_PX];
    ctx.fillStyle = at % 2 ? "#2f373d" : "#3a434a";
    ctx.fillRect(from, 8, to - from - 1, BAR_PX);
    const words = say("Turn {number} of {player}", { number: turn.turn ?? "", player: turn.player ?? "" });
    ctx.fillStyle = "#f2efe9";
    if (ctx.measureText(words).width < to - from - 12) ctx.fillText(words, from + 6, 8 + BAR_PX / 2);
  });
  ctx.fillStyle = "#aeb4b3";
  const wide = ctx.measureText(clock(game.ended_ns, false)).width;
  const step = stepOf(game.ended_ns, width - 2 * PAD_PX, 1.5 * wide + 8); // the first is not centred
  for (let at = 0; at <= game.ended_ns; at += step) {
    const x = xOf(at);
    const words = clock(at, false);
    if (x + ctx.measureText(words).width / 2 > width - 4) break;
    ctx.textAlign = at ? "center" : "left";
    ctx.fillText(words, x, TIMES_PX + 4);
    ctx.fillRect(x, TIMES_PX - 7, 1, 4);
  }
}

/** How far apart times are written, so that they do not touch. @param {number} end_ns @param {number} width @param {number} least_px */
function stepOf(end_ns, width, least_px) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map((s) => s * 1e9);
  return steps.find((step) => (step / Math.max(end_ns, 1)) * width > least_px) ?? 3600e9;
}

/** @param {CanvasRenderingContext2D} ctx @param {FoundView} found @param {number} x @param {number | null} until */
function drawFound(ctx, found, x, until) {
  ctx.fillStyle = TONES[found.outcome];
  const wide = (until ?? ctx.canvas.clientWidth - PAD_PX) - x;
  ctx.globalAlpha = 0.45;
  ctx.fillRect(x, ROWS.found, Math.max(1, wide), 6);
  ctx.globalAlpha = 1;
  if (found.outcome === "illegal") ctx.fillRect(x - 2, 6, 4, BAR_PX + 14);
  else {
    ctx.beginPath();
    ctx.arc(x, ROWS.found + 3, 5, 0, 2 * Math.PI);
    ctx.fill();
    ctx.fillRect(x - 1, 8, 2, BAR_PX + 8);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {HappeningView} each @param {number} x */
function drawHappening(ctx, { kind, text }, x) {
  if (kind === "ruling") {
    ctx.fillStyle = "#e8b65a";
    ctx.beginPath();
    ctx.moveTo(x, ROWS.ruling - 7);
    ctx.lineTo(x + 7, ROWS.ruling);
    ctx.lineTo(x, ROWS.ruling + 7);
    ctx.lineTo(x - 7, ROWS.ruling);
    ctx.fill();
  } else if (kind === "differs") {
    ctx.strokeStyle = "#e8b65a";
    ctx.lineWidth = 2;
    ctx.strokeRect(x - 5, ROWS.ruling - 5, 10, 10);
    ctx.fillStyle = "#e8b65a";
    ctx.fillRect(x - 5, ROWS.ruling - 5, 5, 10);
  } else if (kind === "calibration" || (kind === "camera" && !text.includes("delivers"))) {
    ctx.fillStyle = "#cfd3d2";
    ctx.beginPath();
    ctx.moveTo(x, ROWS.camera - 6);
    ctx.lineTo(x + 6, ROWS.camera + 5);
    ctx.lineTo(x - 6, ROWS.camera + 5);
    ctx.fill();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {string} name @param {boolean} chosen */
function drawHandle(ctx, x, name, chosen) {
  ctx.fillStyle = chosen ? "#e8b65a" : "#f2efe9";
  ctx.fillRect(x - 1.5, 2, 3, TIMES_PX - 6);
  ctx.beginPath();
  ctx.arc(x, 10, 9, 0, 2 * Math.PI);
  ctx.fill();
  if (!name) return;
  ctx.fillStyle = "#1a1408";
  ctx.font = `700 12px ${FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(name, x, 10.5);
}
