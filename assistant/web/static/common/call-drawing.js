// @ts-check
// A call at a moment of its three seconds: the way is drawn, the view closes in on edge and limit, what is not known
// about the place opens around it, the millimetres count, the verdict falls.

/** @import { View } from "../messages.js" */
/** @import { Mapping, Point } from "./geometry.js" */
import { drawGround, drawModels, drawTerrain, inMillimetres, inPixels } from "./draw.js";
import { baseOutline, modelAt, toScreen } from "./geometry.js";
import { localised, say } from "./language.js";

/**
 * What a call rests on.
 * @typedef {object} Call
 * @property {View} view  the table as it stood
 * @property {"legal" | "illegal" | "too-close" | "unobserved" | "note"} outcome
 * @property {string} verdict  in words
 * @property {string} text  the finding's sentence
 * @property {string} about  the small line under it: who, when, by which rule, in which recording
 * @property {string[]} subjects
 * @property {Point[]} line_mm  what was measured, to the edge that it is about
 * @property {number | null} measured_mm
 * @property {number | null} limit_mm
 * @property {number | null} margin_mm  negative on the wrong side of the limit
 * @property {number | null} sigma_mm
 */
/** @typedef {{ left: number, low: number, width: number, depth: number }} Area  a part of the table, millimetres */
/** @typedef {{ area: Area, image: CanvasImageSource }} Photo */

export const LASTS_S = 3;
/** From when to when, seconds. */
const WAY = [0.1, 0.9];
const CLOSING = [0.7, 1.7];
const BAND = [1.5, 2.1];
const COUNT = [1.6, 2.5];
const FALL = [2.55, 2.9];
/** The least that is looked at, across; and how many times what is in question, and of a base. */
const NEAREST_MM = 14;
const TIMES = 9;
const MARGIN_MM = 45;
/** Share of the height that the words below take. */
const WORDS = 0.24;
const WORDS_WHERE_TALL = 0.3;
const FONT = "system-ui, sans-serif";
const COLOURS = { legal: "#2bc79a", illegal: "#ff7a5c", "too-close": "#f2d35b", unobserved: "#7cc4f0", note: "#e8e6e1" };
const SIGMAS = 2;
const TOUCHING_MM = 1;

/** How far something has come, eased. @param {number} t @param {number[]} span */
function share(t, [from, to]) {
  const x = Math.min(1, Math.max(0, (t - from) / (to - from)));
  return x * x * (3 - 2 * x);
}

/** @param {Point} a @param {Point} b */
const apart = (a, b) => Math.hypot(b.x - a.x, b.y - a.y);

/** The point so far along a line, beyond its end straight on. @param {Point[]} line @param {number} along @returns {Point} */
export function pointAlong(line, along) {
  let left = along;
  for (let i = 1; i < line.length; i++) {
    const long = apart(line[i - 1], line[i]);
    if (long > 0 && (left <= long || i === line.length - 1)) {
      const at = left / long;
      return { x: line[i - 1].x + at * (line[i].x - line[i - 1].x), y: line[i - 1].y + at * (line[i].y - line[i - 1].y) };
    }
    left -= long;
  }
  return line[line.length - 1];
}

/** @param {Point[]} line */
const lengthOf = (line) => line.slice(1).reduce((sum, point, i) => sum + apart(line[i], point), 0);

/**
 * Where on the table the limit of what was measured is, which may count for more than its length, and where the base's edge
 * is; the limit is null where there is none.
 * @param {Call} call @returns {{ end: Point, limit: Point | null, ahead: Point }}  ahead: the line's direction at its end, of length 1
 */
export function limitOf(call) {
  const { end, limit, ahead } = limitAlong(call);
  const lead = leadOf(call, end, ahead);
  /** @param {Point} at @returns {Point} */
  const led = ({ x, y }) => ({ x: x + lead * ahead.x, y: y + lead * ahead.y });
  return { end: led(end), limit: limit && led(limit), ahead };
}

/**
 * How far the edge of a base is ahead of what was measured: a way is that of a base's middle, and its edge is what one sees.
 * @param {Call} call @param {Point} end @param {Point} ahead
 */
function leadOf({ view, subjects }, end, ahead) {
  const own = subjects.map((id) => view.models[id]).find((model) => model && apart({ x: model.x_mm, y: model.y_mm }, end) < TOUCHING_MM);
  return own ? Math.max(...baseOutline(own).map(([x, y]) => (x - end.x) * ahead.x + (y - end.y) * ahead.y)) : 0;
}

/** The same on the line itself. @param {Call} call @returns {{ end: Point, limit: Point | null, ahead: Point }} */
function limitAlong({ line_mm: line, measured_mm, limit_mm }) {
  const long = lengthOf(line);
  const end = line[line.length - 1];
  const before = pointAlong(line, long - Math.min(long, 5));
  const step = apart(before, end) || 1;
  const ahead = long > 0 ? { x: (end.x - before.x) / step, y: (end.y - before.y) / step } : { x: 1, y: 0 };
  if (measured_mm === null || limit_mm === null || line.length < 2) return { end, limit: null, ahead };
  const beyond = (limit_mm - measured_mm) * (measured_mm > 0 ? long / measured_mm : 1);
  return { end, limit: beyond < 0 ? pointAlong(line, long + beyond) : { x: end.x + beyond * ahead.x, y: end.y + beyond * ahead.y }, ahead };
}

/**
 * What a finding measured, to the edge that it is about: that of the base which moved, not of the one that stood there.
 * @param {View} view @param {string[]} subjects @param {[number, number][]} measured @returns {Point[]}
 */
export function lineTo(view, subjects, measured) {
  const line = measured.map(([x, y]) => ({ x, y }));
  const moved = subjects.find((id) => view.models[id]);
  /** @param {Point | undefined} at */
  const isItsOwn = (at) => at !== undefined && modelAt(view, at, TOUCHING_MM) === moved;
  return isItsOwn(line[0]) && !isItsOwn(line.at(-1)) ? line.reverse() : line;
}

/** The parts of the table that are looked at first and last. @param {Call} call @param {number} ratio  width over height @returns {{ wide: Area, close: Area }} */
export function areasOf(call, ratio) {
  const { end, limit } = limitOf(call);
  const bases = call.subjects.flatMap((id) => (call.view.models[id] ? [baseOutline(call.view.models[id])] : []));
  const points = [...call.line_mm, ...bases.flat().map(([x, y]) => ({ x, y })), ...(limit ? [limit] : [])];
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const wide = filled({ x: (left + right) / 2, y: (low + high) / 2 }, right - left + 2 * MARGIN_MM, high - low + 2 * MARGIN_MM, ratio);
  const middle = limit ? { x: (end.x + limit.x) / 2, y: (end.y + limit.y) / 2 } : end;
  const question = Math.max(limit ? apart(end, limit) : 0, SIGMAS * (call.sigma_mm ?? 0));
  const across = Math.min(Math.max(NEAREST_MM, TIMES * question), Math.min(wide.width, wide.depth));
  return { wide, close: filled(middle, across, across, ratio) };
}

/** The least area of a form about a point. @param {Point} about @param {number} width @param {number} depth @param {number} ratio @returns {Area} */
function filled({ x, y }, width, depth, ratio) {
  const across = Math.max(width, depth * ratio);
  return { left: x - across / 2, low: y - across / ratio / 2, width: across, depth: across / ratio };
}

/** Between two parts of the table; as a lens closes in, by factors. @param {Area} a @param {Area} b @param {number} at @returns {Area} */
function between(a, b, at) {
  const width = a.width * (b.width / a.width) ** at;
  const way = a.width === b.width ? at : (a.width - width) / (a.width - b.width);
  const depth = (width * a.depth) / a.width;
  const middle = (/** @type {"left" | "low"} */ edge, /** @type {"width" | "depth"} */ side) => a[edge] + a[side] / 2 + way * (b[edge] + b[side] / 2 - a[edge] - a[side] / 2);
  return { left: middle("left", "width") - width / 2, low: middle("low", "depth") - depth / 2, width, depth };
}

/** How much of the height the table has. @param {number} width @param {number} height */
export const stageOf = (width, height) => height * (1 - (height > width ? WORDS_WHERE_TALL : WORDS));

/**
 * Draws a call as it is after so many seconds.
 * @param {CanvasRenderingContext2D} ctx  of which the whole canvas is drawn on
 * @param {Call} call @param {number} t  seconds since it began
 * @param {Photo[]} photos  of the table under it, the widest first
 */
export function drawCall(ctx, call, t, photos) {
  const [width, height] = [ctx.canvas.width / devicePixelRatio, ctx.canvas.height / devicePixelRatio];
  const table = call.view.table.table;
  const stage = stageOf(width, height);
  const { wide, close } = areasOf(call, width / stage);
  const area = between(wide, close, share(t, CLOSING));
  const scale = width / area.width;
  const mapping = { scale, left: -area.left * scale, top: (area.low + area.depth) * scale };
  inPixels(ctx);
  ctx.fillStyle = "#0e1113";
  ctx.fillRect(0, 0, width, height);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, 0, width, stage);
  ctx.clip();
  if (photos.length === 0) {
    drawGround(ctx, mapping, table);
    drawTerrain(ctx, mapping, call.view);
  }
  for (const { area: part, image } of photos) {
    inPixels(ctx);
    const at = toScreen(mapping, part.left, part.low + part.depth);
    ctx.drawImage(image, at.x, at.y, part.width * scale, part.depth * scale);
  }
  if (photos.length) outlineModels(ctx, mapping, call.view);
  else drawModels(ctx, mapping, call.view);
  drawMeasured(ctx, mapping, call, t, area);
  ctx.restore();
  drawWords(ctx, call, t, { width, height, stage });
}

/** The edges of bases alone: what is inside of them is to be seen. @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view */
function outlineModels(ctx, mapping, view) {
  inMillimetres(ctx, mapping);
  for (const model of Object.values(view.models)) {
    ctx.beginPath();
    for (const [x, y] of baseOutline(model)) ctx.lineTo(x, y);
    ctx.closePath();
    for (const [stroke, wide] of /** @type {[string, number][]} */ ([["#000000a0", 4], ["#ffffff", 1.6]])) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = wide / mapping.scale;
      ctx.stroke();
    }
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {Call} call @param {number} t @param {Area} area */
function drawMeasured(ctx, mapping, call, t, area) {
  const { end, limit, ahead } = limitOf(call);
  const px = 1 / mapping.scale;
  const side = 0.11 * area.width;
  const colour = t >= FALL[0] ? COLOURS[call.outcome] : "#ffffff";
  const long = lengthOf(call.line_mm);
  const reached = long * share(t, WAY);
  inMillimetres(ctx, mapping);
  ctx.lineCap = ctx.lineJoin = "round";
  /** Across the line, at a point. @param {Point} at @param {number} half */
  const across = (at, half) => {
    ctx.beginPath();
    ctx.moveTo(at.x - half * ahead.y, at.y + half * ahead.x);
    ctx.lineTo(at.x + half * ahead.y, at.y - half * ahead.x);
  };
  const open = share(t, BAND);
  if (call.sigma_mm && limit && open > 0) {
    ctx.lineCap = "butt";
    ctx.strokeStyle = `${COLOURS[call.outcome]}78`;
    ctx.lineWidth = Math.max(px, 2 * SIGMAS * call.sigma_mm * open);
    across(end, side);
    ctx.stroke();
    ctx.lineCap = "round";
  }
  for (const [stroke, wide] of /** @type {[string, number][]} */ ([["#000000b8", 7], [colour, 3.5]])) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = wide * px;
    ctx.beginPath();
    traceTo(ctx, call.line_mm, reached);
    if (reached === long) ctx.lineTo(end.x, end.y);
    ctx.stroke();
    if (share(t, WAY) === 1) {
      across(end, side * 0.3);
      ctx.stroke();
    }
  }
  if (limit && share(t, CLOSING) > 0) {
    for (const [stroke, wide] of /** @type {[string, number][]} */ ([["#000000b8", 6], ["#ffffff", 2.5]])) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = wide * px;
      ctx.setLineDash([10 * px, 7 * px]);
      across(limit, side);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    inPixels(ctx);
    const at = toScreen(mapping, limit.x + side * ahead.y, limit.y - side * ahead.x);
    label(ctx, "limit", at, Math.max(13, (0.022 * ctx.canvas.width) / devicePixelRatio));
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Point[]} line @param {number} reached */
function traceTo(ctx, line, reached) {
  ctx.moveTo(line[0].x, line[0].y);
  let left = reached;
  for (let i = 1; i < line.length && left > 0; i++) {
    const long = apart(line[i - 1], line[i]);
    const at = long ? Math.min(1, left / long) : 1;
    ctx.lineTo(line[i - 1].x + at * (line[i].x - line[i - 1].x), line[i - 1].y + at * (line[i].y - line[i - 1].y));
    left -= long;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {string} text @param {Point} at @param {number} size */
function label(ctx, text, at, size) {
  ctx.font = `600 ${size}px ${FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  ctx.lineWidth = size / 3;
  ctx.strokeStyle = "#000000c8";
  ctx.strokeText(text, at.x, at.y);
  ctx.fillStyle = "#ffffff";
  ctx.fillText(text, at.x, at.y);
}

/**
 * The margin that counts, the verdict that falls, and what both are about.
 * @param {CanvasRenderingContext2D} ctx @param {Call} call @param {number} t @param {{ width: number, height: number, stage: number }} room
 */
function drawWords(ctx, call, t, { width, height, stage }) {
  const isTall = height > width;
  const size = isTall ? Math.min((height - stage) / 8, width / 15) : Math.min((height - stage) / 5.1, width / 22);
  const room = width - 2 * size;
  inPixels(ctx);
  ctx.fillStyle = "#14171a";
  ctx.fillRect(0, stage, width, height - stage);
  ctx.fillStyle = COLOURS[call.outcome];
  ctx.fillRect(0, stage, width * share(t, [0, LASTS_S]), 3);
  ctx.textBaseline = "alphabetic";
  ctx.textAlign = "left";
  let y = stage + 0.2 * size;
  /** Writes text below what was written last. @param {string} text @param {string} colour @param {number} px @param {number} [weight] */
  const write = (text, colour, px, weight = 400) => {
    ctx.font = `${weight} ${px}px ${FONT}`;
    ctx.fillStyle = colour;
    for (const row of broken(ctx, text, room, isTall ? 3 : 2)) ctx.fillText(row, size, (y += 1.15 * px));
    y += 0.2 * px;
  };
  if (call.margin_mm !== null && t >= COUNT[0]) {
    write(localised(`${(Math.abs(call.margin_mm) * share(t, COUNT)).toFixed(2)} mm`), "#ffffff", 1.35 * size, 700);
    const known = call.sigma_mm ? say(", known to ± {doubt} mm", { doubt: (SIGMAS * call.sigma_mm).toFixed(2) }) : "";
    const remark = `${call.margin_mm < 0 ? say("past the limit") : say("to spare")}${known}`;
    if (isTall) write(remark, "#c3c9c4", 0.8 * size);
    else {
      const along = size + ctx.measureText(localised(`${Math.abs(call.margin_mm).toFixed(2)} mm `)).width;
      ctx.font = `${0.72 * size}px ${FONT}`;
      ctx.fillStyle = "#c3c9c4";
      ctx.fillText(broken(ctx, remark, width - along - size, 1)[0], along, y - 0.27 * size);
    }
  }
  const fallen = share(t, FALL);
  if (fallen > 0) {
    ctx.globalAlpha = fallen;
    write(call.text, "#ffffff", 0.8 * size);
    write(call.about, "#a9b1ab", 0.62 * size);
    ctx.globalAlpha = 1;
    stamp(ctx, call, fallen, { width, stage, size: 1.25 * size });
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Call} call @param {number} fallen @param {{ width: number, stage: number, size: number }} room */
function stamp(ctx, { outcome, verdict }, fallen, { width, stage, size }) {
  ctx.save();
  ctx.globalAlpha = fallen;
  ctx.translate(width / 2, stage - 1.6 * size);
  ctx.scale(1 + 0.6 * (1 - fallen), 1 + 0.6 * (1 - fallen));
  ctx.font = `800 ${size}px ${FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const long = ctx.measureText(verdict).width;
  ctx.beginPath();
  ctx.roundRect(-long / 2 - 0.7 * size, -0.85 * size, long + 1.4 * size, 1.7 * size, 0.4 * size);
  ctx.fillStyle = COLOURS[outcome];
  ctx.fill();
  ctx.fillStyle = "#10140f";
  ctx.fillText(verdict, 0, 0.05 * size);
  ctx.restore();
}

/** A text in rows that fit; what does not fit into the last one is left out of it. @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} room @param {number} most */
function broken(ctx, text, room, most) {
  const fits = (/** @type {string} */ row) => ctx.measureText(row).width <= room;
  /** @type {string[]} */
  const rows = [];
  for (const word of text.split(" ")) {
    const longer = `${rows.at(-1) ?? ""} ${word}`.trim();
    if (rows.length && (fits(longer) || rows.length === most)) rows[rows.length - 1] = longer;
    else rows.push(word);
  }
  return rows.map((row) => {
    let shown = row;
    while (shown.length > 1 && !fits(shown)) shown = `${shown.slice(0, -2).trimEnd()}…`;
    return shown;
  });
}
