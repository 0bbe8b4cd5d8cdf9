// @ts-check
// Terrain that people move while they play: dragged and turned here as it was on the table, and then it lies there.

/** @import { FromPage, View } from "../messages.js" */
/** @import { Mapping, Point } from "../common/geometry.js" */
import { block, el } from "../common/dom.js";
import { inMillimetres } from "../common/draw.js";
import { inside } from "../common/geometry.js";
import { say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";

/** @typedef {{ piece: string, by: Point, turn: number }} Held  millimetres, and degrees counter-clockwise */

const STEPS_DEG = [-15, -1, 1, 15];
const GHOST = "#ffe9b8";

/**
 * Builds the tool.
 * @param {HTMLElement} place
 * @param {{ send: (message: FromPage) => unknown, changed: () => void }} page
 */
export function terrainMoving(place, { send, changed }) {
  /** @type {View | null} */
  let view = null;
  let on = false;
  /** @type {Held | null} */
  let held = null;
  const fill = block(place, card);

  function refresh() {
    fill(on ? { held: held && { ...held } } : null);
    changed();
  }

  /** @param {boolean} now */
  function turn(now) {
    on = now && view !== null && !onlyLooks(view);
    held = null;
    refresh();
    if (on) place.scrollIntoView({ block: "nearest" });
  }

  /** @param {{ held: Held | null } | null} data */
  function card(data) {
    if (!data) return [];
    const moved = data.held && (data.held.by.x !== 0 || data.held.by.y !== 0 || data.held.turn !== 0);
    return [
      el("div", { class: "heading" },
        el("h2", { class: "grow" }, say("Move terrain")),
        el("button", { class: "small", "data-key": "terrain-done", onclick: () => turn(false) }, say("Done"))),
      el("p", { class: "note", role: "status" }, data.held ? `${data.held.piece}: ${said(data.held)}` : say("Touch a piece on the table, and drag it to where it lies now.")),
      data.held && el("div", { class: "chips" },
        ...STEPS_DEG.map((degrees) =>
          el("button", { class: "small", "data-key": `terrain-turn-${degrees}`, "aria-label": say("Turn by {degrees} degrees", { degrees }), onclick: () => held && ((held = { ...held, turn: held.turn + degrees }), refresh()) }, `${degrees > 0 ? "↺" : "↻"} ${Math.abs(degrees)}°`))),
      data.held && el("div", { class: "chips" },
        el("button", { class: "primary", "data-key": "terrain-lies", disabled: !moved, onclick: keep }, say("It lies here now")),
        el("button", { "data-key": "terrain-drop", onclick: () => ((held = null), refresh()) }, say("Cancel"))),
    ];
  }

  function keep() {
    if (held) send({ type: "move-terrain", piece: held.piece, dx_mm: held.by.x, dy_mm: held.by.y, turn_deg: ((held.turn + 540) % 360) - 180 });
    held = null;
    refresh();
  }

  /** The feature at a point, the smallest of several. @param {Point} at */
  function find(at) {
    const there = Object.entries(view?.terrain ?? {}).filter(([, { outline_mm }]) => inside(outline_mm, at));
    return there.sort(([, a], [, b]) => areaOf(a.outline_mm) - areaOf(b.outline_mm))[0]?.[1].of ?? null;
  }

  return {
    start: () => turn(true),
    active: () => on,
    /** @param {View} now */
    show(now) {
      view = now;
      if (held && !now.terrain[held.piece]) held = null;
      if (on) refresh();
    },
    /** Takes hold of what is at a point; null where nothing is. @param {Point} at */
    drag(at) {
      const piece = held && view && covers(view, held, at) ? held.piece : find(at);
      if (!piece) return null;
      if (held?.piece !== piece) held = { piece, by: { x: 0, y: 0 }, turn: 0 };
      const before = held.by;
      refresh();
      return {
        to: (/** @type {Point} */ now) => held && ((held = { ...held, by: { x: before.x + now.x - at.x, y: before.y + now.y - at.y } }), refresh()),
        done: () => {},
      };
    },
    /** @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} now */
    draw(ctx, mapping, now) {
      if (!on || !held) return;
      inMillimetres(ctx, mapping);
      for (const ring of ringsOf(now, held)) {
        ctx.beginPath();
        ring.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
        ctx.closePath();
        ctx.fillStyle = `${GHOST}40`;
        ctx.fill();
        ctx.strokeStyle = GHOST;
        ctx.lineWidth = 2 / mapping.scale;
        ctx.stroke();
      }
    },
  };
}

/** Where a feature's pieces would lie. @param {View} view @param {Held} held */
function ringsOf({ terrain }, { piece, by, turn }) {
  const [xs, ys] = [0, 1].map((axis) => terrain[piece].outline_mm.map((point) => point[axis]));
  const about = { x: (Math.min(...xs) + Math.max(...xs)) / 2, y: (Math.min(...ys) + Math.max(...ys)) / 2 };
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const parts = Object.values(terrain).filter(({ of }) => of === piece);
  return parts.map(({ outline_mm }) =>
    outline_mm.map(([x, y]) => [about.x + by.x + cos * (x - about.x) - sin * (y - about.y), about.y + by.y + sin * (x - about.x) + cos * (y - about.y)]),
  );
}

/** @param {View} view @param {Held} held @param {Point} at */
const covers = (view, held, at) => ringsOf(view, held).some((ring) => inside(/** @type {[number, number][]} */ (ring), at));

/** @param {[number, number][]} ring */
const areaOf = (ring) => Math.abs(ring.reduce((sum, [x, y], i) => sum + x * ring[(i + 1) % ring.length][1] - ring[(i + 1) % ring.length][0] * y, 0)) / 2;

/** @param {Held} held */
function said({ by, turn }) {
  const far = Math.hypot(by.x, by.y);
  return [say("{far} mm from where it lay", { far: Math.round(far) }), turn ? say("turned by {turn} degrees", { turn: Math.abs(turn) }) : ""].filter(Boolean).join(", ");
}
