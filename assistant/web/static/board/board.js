// @ts-check
// A calibration board on a screen: a card laid on the glass tells how large its pixels are.

import { byId } from "../common/dom.js";
import { localised, say } from "../common/language.js";

/** A bank card as ISO 7810 has it, millimetres. */
const CARD_MM = [85.6, 53.98];
/** Beside the card on either side, and as many pixels a millimetre as any screen has, CSS pixels. */
const BESIDE = 20;
const FINEST = 14;
/** Squares of a board with 9 x 6 inner corners. */
const [ACROSS, DOWN] = [10, 7];
/** Of white around it, squares: what is found there is found by its edge, too. */
const WHITE = 1;
const KEPT = "pixels-a-millimetre";
const USUAL = 5;

/**
 * How a board fits onto a screen, in the screen's own pixels, so that no edge is blurred.
 * @param {number} width @param {number} height  of the screen, its own pixels @param {number} px_per_mm  of those
 * @returns {{ across: number, down: number, side_px: number, square_mm: number }}
 */
export function fitted(width, height, px_per_mm) {
  const [across, down] = width >= height ? [ACROSS, DOWN] : [DOWN, ACROSS];
  const side_px = Math.floor(Math.min(width / (across + WHITE), height / (down + WHITE)));
  return { across, down, side_px, square_mm: Math.round((100 * side_px) / px_per_mm) / 100 };
}

const [size, frame, measuring] = [/** @type {HTMLInputElement} */ (byId("size")), byId("frame"), byId("measuring")];
const canvas = /** @type {HTMLCanvasElement} */ (byId("drawn"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

size.value = localStorage.getItem(KEPT) ?? String(USUAL);
size.addEventListener("input", measure);
byId("less").addEventListener("click", () => nudge(-1));
byId("more").addEventListener("click", () => nudge(1));
byId("show").addEventListener("click", () => {
  turn(true);
  document.documentElement.requestFullscreen?.().catch(() => {}); // the browser may not allow it
});
canvas.addEventListener("click", () => turn(false));
addEventListener("resize", () => (measure(), draw()));
measure();

/** @param {number} steps */
function nudge(steps) {
  size.value = String(Number(size.value) + steps * Number(size.step));
  measure();
}

/** Shows what the slider says: the card upright on a screen that is, which it is too long for across. */
function measure() {
  const sides = innerWidth < innerHeight ? CARD_MM.toReversed() : CARD_MM;
  size.max = String(Math.min(FINEST, (document.documentElement.clientWidth - 2 * BESIDE) / sides[0]));
  const css_per_mm = Number(size.value);
  localStorage.setItem(KEPT, size.value);
  [frame.style.width, frame.style.height] = sides.map((mm) => `${mm * css_per_mm}px`);
  byId("square").textContent = `${localised(board().square_mm)} mm.`;
}

function board() {
  return fitted(Math.round(innerWidth * devicePixelRatio), Math.round(innerHeight * devicePixelRatio), Number(size.value) * devicePixelRatio);
}

/** @param {boolean} on  the board is shown */
function turn(on) {
  canvas.hidden = !on;
  measuring.hidden = on;
  if (on) draw();
  else if (document.fullscreenElement) void document.exitFullscreen();
}

function draw() {
  if (canvas.hidden) return;
  [canvas.width, canvas.height] = [Math.round(innerWidth * devicePixelRatio), Math.round(innerHeight * devicePixelRatio)];
  const { across, down, side_px, square_mm } = board();
  const [left, top] = [Math.round((canvas.width - across * side_px) / 2), Math.round((canvas.height - down * side_px) / 2)];
  ctx.fillStyle = "#ffffff";
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.fillStyle = "#000000";
  for (let x = 0; x < across; x++) for (let y = x % 2; y < down; y += 2) ctx.fillRect(left + x * side_px, top + y * side_px, side_px, side_px);
  ctx.fillStyle = "#808080";
  ctx.font = `${Math.max(10, 0.2 * side_px)}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.fillText(say("squares of {square} mm", { square: square_mm }), canvas.width / 2, canvas.height - 0.12 * side_px);
}
