// @ts-check
// The tablet page: the table to touch, and the panel of words beside it.

/** @import { View } from "../messages.js" */
/** @import { Link } from "../common/live.js" */
/** @import { Mapping, Point } from "../common/geometry.js" */
import { byId } from "../common/dom.js";
import { OVER, UNDER, drawGround, drawHandle, drawModels, drawShapes, drawTarget, drawTerrain } from "../common/draw.js";
import { repainter, resize } from "../common/draw.js";
import { fit, modelAt, toTable, turnHandle, zoomed } from "../common/geometry.js";
import { drawLabels, drawTerrainNames, shapeLabels, unitLabels } from "../common/labels.js";
import { live } from "../common/live.js";
import { sceneStrip } from "../common/scene.js";
import { orSay, toast } from "../common/toast.js";
import { showCamera } from "../common/words.js";
import { onlyLooks } from "../common/you.js";
import { gestures } from "./gestures.js";
import { naming } from "./fields.js";
import { hand } from "./hand.js";
import { measuring } from "./measure.js";
import { panel } from "./panel.js";
import { threats } from "./threats.js";
import { waysLeft } from "./ways.js";

const FINGER_PX = 14;
const HANDLE_PX = 22;
const MARGIN_PX = 12;
const MOST_ZOOM = 12;

const canvas = /** @type {HTMLCanvasElement} */ (byId("table"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/** @type {View | null} */
let view = null;
/** @type {Link} */
let link = "connecting";
/** @type {Mapping | null} set by the person; null shows the whole table */
let chosen = null;
/** @type {Mapping} */
let mapping = { scale: 1, left: 0, top: 0 };

const send = live({
  changed(now, touched) {
    view = now;
    if (touched.has("table")) arrange();
    if (touched.has("camera")) showState();
    if (touched.has("scene")) tell(now);
    if (touched.size > 1 || !touched.has("camera")) {
      show(now);
      showWays(now);
      measure.show(now);
      showThreats(now);
      repaint();
    }
  },
  link(now) {
    link = now;
    showState();
  },
  refused: toast,
});
const show = panel(orSay(send));
const tell = sceneStrip(byId("scene"), send);
const showWays = waysLeft(byId("ways"));
const measure = measuring({ send: orSay(send), changed: () => repaint() });
const showThreats = threats(byId("threats"), orSay(send));
const pushing = hand({ send, changed: () => repaint() });

const repaint = repainter(() => {
  const { width, height } = resize(canvas);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  const table = view?.table.table;
  if (!view || !table) return;
  mapping = chosen ?? fit(table, width, height, MARGIN_PX);
  drawGround(ctx, mapping, table);
  drawTerrain(ctx, mapping, view);
  const text_px = width < 600 ? 11 : 13;
  drawTerrainNames(ctx, mapping, view, text_px);
  drawShapes(ctx, mapping, view, UNDER);
  drawModels(ctx, mapping, view);
  drawShapes(ctx, mapping, view, OVER);
  const target = pushing.target();
  if (target && view.models[target.model]) drawTarget(ctx, mapping, view.models[target.model], target);
  const picked = turnable();
  if (picked) drawHandle(ctx, mapping, view.models[picked], turnHandle(mapping, view.models[picked]));
  measure.draw(ctx, mapping, view);
  const labels = [...shapeLabels(mapping, view), ...unitLabels(mapping, view)];
  drawLabels(ctx, mapping, view, labels, text_px);
});

/** Whether models can be pushed by hand on this page. */
const pushable = () => Boolean(view?.table.table?.virtual && !onlyLooks(view));

/** The picked model, if it can be turned here. */
function turnable() {
  const model = view?.move.move?.model;
  return pushable() && model && view?.models[model] ? model : null;
}

gestures(canvas, {
  grip(at) {
    if (measure.active()) return { model: "", ...measure.drag(toTable(mapping, at), slack()), begun: true };
    if (!view || !pushable()) return null;
    const picked = turnable();
    if (picked) {
      const handle = turnHandle(mapping, view.models[picked]);
      if (Math.hypot(handle.x - at.x, handle.y - at.y) <= HANDLE_PX) {
        return { model: picked, to: pushing.turn(picked, view.models[picked]), begun: true, done: pushing.done };
      }
    }
    const model = under(at);
    if (model === null) return null;
    return { model, to: pushing.push(model, view.models[model], toTable(mapping, at)), begun: false, done: pushing.done };
  },
  tap(at) {
    if (measure.active()) return measure.tap(toTable(mapping, at), slack());
    if (putDown(at)) return;
    const model = under(at);
    const named = view && model ? naming(view, model) : null;
    if (named) send(named);
    else if (model) pick(model);
  },
  drag(grip, at) {
    if (!grip.begun && mayPick(grip.model)) pick(grip.model);
    grip.begun = true;
    grip.to(toTable(mapping, at));
  },
  release: (grip) => grip.done(),
  zoom(centre, factor, by) {
    const table = view?.table.table;
    if (!table) return;
    const whole = fit(table, canvas.clientWidth, canvas.clientHeight, MARGIN_PX).scale;
    const bounded = Math.min(MOST_ZOOM * whole, Math.max(whole, mapping.scale * factor)) / mapping.scale;
    mapping = zoomed(mapping, centre, bounded, by);
    chosen = mapping.scale > whole * 1.001 ? mapping : null;
    byId("whole").hidden = chosen === null;
    repaint();
  },
});

/** How far beside a thing a finger may touch it, millimetres. */
const slack = () => FINGER_PX / mapping.scale;

/** @param {Point} at */
const under = (at) => (view ? modelAt(view, toTable(mapping, at), slack()) : null);

/** Picks a model; within the unit that is moving, the announced action stays. @param {string} model */
function pick(model) {
  const move = view?.move.move;
  const unit = view?.models[model].unit;
  if (!view || !unit || onlyLooks(view)) return;
  const same = move?.unit === unit;
  if (same) send({ type: "declare", unit, model, action: move.action, rolls: move.rolls, lost: move.lost, intent: move.intent });
  else send({ type: "declare", unit, model });
}

/** Puts the picked unit's next model on the virtual table, if that is what its action does. @param {Point} at */
function putDown(at) {
  const move = view?.move.move;
  const model = move?.unit ? view?.units[move.unit]?.off[0] : undefined;
  if (!view || !model || !pushable() || !move?.action || !view.actions[move.action]?.sets_up) return false;
  const { x, y } = toTable(mapping, at);
  if (modelAt(view, { x, y }, 0) !== null) return false;
  return send({ type: "drag", model, x_mm: x, y_mm: y, facing_deg: 0, done: true });
}

/** Whether pushing a model also picks it: not when another unit is being moved. @param {string} model */
function mayPick(model) {
  const move = view?.move.move;
  return move?.model !== model && (!move?.unit || move.unit === view?.models[model].unit);
}

/** @type {Record<string, [number, number, number]>} what a key does to the picked model: x, y in mm, degrees */
const NUDGES = {
  ArrowLeft: [-6.35, 0, 0],
  ArrowRight: [6.35, 0, 0],
  ArrowUp: [0, 6.35, 0],
  ArrowDown: [0, -6.35, 0],
  q: [0, 0, 5],
  e: [0, 0, -5],
};
addEventListener("keydown", (event) => {
  const nudge = NUDGES[event.key];
  const model = turnable();
  const typing = event.target instanceof Element && event.target.matches("button, input, select");
  if (!nudge || !model || !view || typing || measure.active()) return;
  event.preventDefault();
  pushing.nudge(model, view.models[model], nudge);
});

byId("whole").addEventListener("click", () => {
  chosen = null;
  byId("whole").hidden = true;
  repaint();
});
new ResizeObserver(() => {
  chosen = null;
  byId("whole").hidden = true;
  repaint();
}).observe(canvas);

function arrange() {
  const table = view?.table.table;
  if (!table) return;
  byId("title").textContent = table.title;
  document.documentElement.style.setProperty("--table-ratio", String(table.width_mm / table.depth_mm));
}

function showState() {
  const camera = view?.camera.camera;
  showCamera(byId("camera"), link, camera);
  const banner = byId("banner");
  const troubled = link !== "live" || camera?.state === "lost" || camera?.state === "ended";
  const text =
    link === "live"
      ? camera?.text || "The camera does not deliver pictures."
      : link === "connecting"
        ? "Connecting to the table …"
        : "No connection to the table. Reconnecting …";
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = !troubled;
}
