// @ts-check
// The tablet page: the table to touch, and the panel of words beside it.

/** @import { ShapeView, View } from "../messages.js" */
/** @import { Link } from "../common/live.js" */
/** @import { Mapping, Point } from "../common/geometry.js" */
import { stayAwake } from "../common/awake.js";
import { around } from "../common/boxes.js";
import { byId } from "../common/dom.js";
import { drawHandle, drawTarget, repainter, resize } from "../common/draw.js";
import { fit, modelAt, toScreen, toTable, turnHandle, zoomed } from "../common/geometry.js";
import { drawLabels, labelSize, shapeLabels, unitLabels } from "../common/labels.js";
import { say } from "../common/language.js";
import { boxesOf, drawNumbers, placeNumbers } from "../common/laying-numbers.js";
import { tableDrawing } from "../common/layers.js";
import { lightingControls } from "../common/lighting.js";
import { carrying, leading } from "../common/lead.js";
import { live } from "../common/live.js";
import { playingBar } from "../common/playing.js";
import { personal } from "../common/personal.js";
import { tablePhoto } from "../common/photo.js";
import { onPreference, preferences, preferencesButton, typeScale } from "../common/preferences.js";
import { servedMoments, shareButton } from "../common/sharing.js";
import { sceneStrip } from "../common/scene.js";
import { orSay, toast } from "../common/toast.js";
import { showCamera } from "../common/words.js";
import { onlyLooks } from "../common/you.js";
import { lookingAhead } from "./ahead.js";
import { gestures } from "./gestures.js";
import { naming } from "./fields.js";
import { drawGuide } from "./guide.js";
import { hand } from "./hand.js";
import { keys } from "./keys.js";
import { hallCard } from "./hall.js";
import { layingCard } from "./laying.js";
import { legend } from "./legend.js";
import { listing } from "./listing.js";
import { markForm } from "./marking.js";
import { measuring } from "./measure.js";
import { panel } from "./panel.js";
import { refinementCard } from "./refinement.js";
import { shiftedCards } from "./shifted.js";
import { scoreEntry } from "./score.js";
import { callShowing, saidNow } from "./showing.js";
import { terrainMoving } from "./terrain.js";
import { threats } from "./threats.js";
import { nameOf } from "./verdict.js";
import { waysLeft } from "./ways.js";

const FINGER_PX = 16;
const HANDLE_PX = 22;
const MARGIN_PX = 12;
const MOST_ZOOM = 12;
/** A measured segment shorter than this is zoomed to, until it is so long. */
const SMALL_PX = 60;
const LARGE_PX = 160;

/** @type {import("../common/live.js").Section[]} in which nothing is drawn by itself */
const UNDRAWN = ["ahead", "camera", "clock"];

const canvas = /** @type {HTMLCanvasElement} */ (byId("table"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/** @type {View | null} as the table sends it */
let told = null;
/** @type {View | null} as the person wants it */
let view = null;
/** @type {Link} */
let link = "connecting";
/** @type {Mapping | null} set by the person; null shows the whole table */
let chosen = null;
/** @type {Mapping} */
let mapping = { scale: 1, left: 0, top: 0 };

/** @type {string | null} the finding that is looked at */
let looked = null;
/** @type {Mapping | null | undefined} what was shown before that zoomed in; undefined if it did not */
let before;

const wanted = personal();
const send = orSay(live({
  ahead: true,
  changed(now, touched) {
    told = now;
    view = wanted(now);
    if (touched.has("table")) arrange();
    if (touched.has("camera")) showState();
    if (touched.has("scene")) tell(view);
    if (touched.has("playing")) play(view);
    if ([...touched].some((section) => !UNDRAWN.includes(section))) {
      showAll(view);
      repaint();
    }
  },
  link(now) {
    link = now;
    showState();
  },
  refused: toast,
}));
const show = panel(send, look, callShowing(() => view, send), () => terrain.start());
const list = listing(byId("listing"));
const tell = sceneStrip(byId("scene"), send);
const play = playingBar(byId("playing"), send);
const showWays = waysLeft(byId("left"), byId("ways"));
const measure = measuring({ send: send, changed: () => repaint() });
const showLegend = legend();
const showHall = hallCard(byId("hall"));
const showLaying = layingCard(byId("laying"), send);
const showMarking = markForm(byId("marking"), send);
const showRefinement = refinementCard(byId("refinement"), send);
const showShifted = shiftedCards(byId("shifted"), send);
const terrain = terrainMoving(byId("moving-terrain"), { send: send, changed: () => repaint() });
const showThreats = threats(byId("threats"), send);
const showScore = scoreEntry(byId("score"), send);
const showLight = lightingControls(byId("lighting"), send);
shareButton(servedMoments(() => view, () => ({ at_ns: null, said: saidNow(view) }), wanted));
preferencesButton();
const lookAwake = stayAwake(() => preferences().screen === "awake");
onPreference(() => {
  void lookAwake();
  if (!told) return;
  view = wanted(told);
  tell(view);
  showAll(view);
  repaint();
});
keys({ view: () => (view && !onlyLooks(view) && !measure.active() ? view : null), pick, zoom: zoomBy });
const name = naming(send);
const guide = leading();
const carry = carrying();
const pushing = hand({ send, changed: () => repaint() });
const ahead = lookingAhead({ begun: () => repaint.now(), ended: () => repaint() });

const drawTable = tableDrawing();
const photo = tablePhoto(() => preferences().ground === "camera" && Boolean(view?.lookout.lookout), () => repaint());

const repaint = repainter(() => {
  const { width, height } = resize(canvas);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  const table = view?.table.table;
  if (!view || !table) return;
  mapping = chosen ?? fit(table, width, height, MARGIN_PX);
  const text_px = labelSize(width) * typeScale();
  const looked = lookedAt();
  const target = pushing.target();
  const now = ahead.show(view);
  const lead = guide(now, target);
  const { view: led } = carry(now);
  const names = drawTable(ctx, mapping, target ? now : led, text_px, looked, photo());
  if (target && now.models[target.model]) drawTarget(ctx, mapping, now.models[target.model], target);
  const picked = turnable();
  if (picked) drawHandle(ctx, mapping, now.models[picked], turnHandle(mapping, now.models[picked]));
  measure.draw(ctx, mapping, now);
  terrain.draw(ctx, mapping, now);
  const numbers = placeNumbers(now, () => "near", text_px / mapping.scale);
  drawNumbers(ctx, mapping, now, numbers);
  const labels = [...shapeLabels(mapping, { ...now, shapes: looked ? { looked } : unheld(now, target) }), ...unitLabels(mapping, now)];
  drawLabels(ctx, mapping, now, labels, text_px, { covered: boxesOf(mapping, numbers), names });
  if (target && lead) drawGuide(ctx, mapping, now, target, lead, text_px);
});

/** The shapes but for what the hand is told at the finger. @param {View} now @param {import("../common/lead.js").Target | null} target */
function unheld({ shapes }, target) {
  const { [`way:${target?.model}`]: _, ...others } = shapes;
  return others;
}

/** Brings every part of the page's words up to date. @param {View} now */
function showAll(now) {
  show(now);
  list(now);
  showWays(now);
  measure.show(now);
  showThreats(now);
  showLegend(now);
  showScore(now);
  showHall(now);
  showLaying(now);
  terrain.show(now);
  showMarking(now);
  showShifted(now);
  showRefinement(now);
  showLight(now);
  const projector = now.projector.projector;
  byId("light").hidden = !projector || (projector.page_size === null && projector.warp === null);
}

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
    if (terrain.active()) {
      const piece = terrain.drag(toTable(mapping, at));
      return piece && { model: "", ...piece, begun: true };
    }
    lookAhead(under(at));
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
    if (terrain.active()) return;
    if (putDown(at)) return;
    const model = under(at);
    if (!view || !model) return;
    if (name(view, model)) ahead.drop();
    else pick(model);
  },
  drag(grip, at) {
    if (!grip.begun && mayPick(grip.model)) pick(grip.model);
    else if (!grip.begun) ahead.drop();
    grip.begun = true;
    grip.to(toTable(mapping, at));
  },
  release: (grip) => grip.done(),
  zoom,
});

/** @param {Point} centre @param {number} factor @param {Point} by */
function zoom(centre, factor, by) {
  ahead.drop();
  const table = view?.table.table;
  if (!table) return;
  const whole = fit(table, canvas.clientWidth, canvas.clientHeight, MARGIN_PX).scale;
  const bounded = Math.min(MOST_ZOOM * whole, Math.max(whole, mapping.scale * factor)) / mapping.scale;
  const now = zoomed(mapping, centre, bounded, by);
  frame(now.scale > whole * 1.001 ? now : null);
}

/** Zooms about the middle; 0 shows the whole table. @param {number} factor */
function zoomBy(factor) {
  const middle = { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 };
  if (factor === 0) frame(null);
  else zoom(middle, factor, { x: 0, y: 0 });
}

/** Shows a part of the table, or with null the whole. @param {Mapping | null} part */
function frame(part) {
  chosen = part;
  if (part) mapping = part;
  byId("whole").hidden = part === null;
  repaint();
}

/** The measured segment of the finding that is looked at. @returns {ShapeView | undefined} */
function lookedAt() {
  if (!view || looked === null) return undefined;
  const number = Object.keys(view.findings).find((key) => nameOf(/** @type {View} */ (view).findings[key]) === looked);
  return view.shapes[`witness:${number}`];
}

/** Looks at the segment that a finding measured, from near if it is small; null looks at everything again. @param {string | null} finding */
function look(finding) {
  looked = finding;
  if (before !== undefined) {
    frame(before);
    before = undefined;
  }
  const table = view?.table.table;
  const witness = lookedAt();
  if (table && witness) {
    mapping = chosen ?? fit(table, canvas.clientWidth, canvas.clientHeight, MARGIN_PX);
    const box = around(witness.rings_mm.flat().map(([x, y]) => toScreen(mapping, x, y)));
    const long = Math.max(box.w, box.h, 1);
    const centre = { x: box.x + box.w / 2, y: box.y + box.h / 2 };
    if (long < SMALL_PX) {
      before = chosen;
      zoom(centre, LARGE_PX / long, { x: canvas.clientWidth / 2 - centre.x, y: canvas.clientHeight / 2 - centre.y });
    }
  }
  repaint();
}

/** How far beside a thing a finger may touch it, millimetres. */
const slack = () => FINGER_PX / mapping.scale;

/** @param {Point} at */
const under = (at) => (view ? modelAt(view, toTable(mapping, at), slack()) : null);

/** Picks a model; within the unit that is moving, the announced action stays. @param {string} model */
function pick(model) {
  const move = view?.move.move;
  const unit = view?.models[model].unit;
  if (!view || !unit || onlyLooks(view)) return;
  lookAhead(model);
  const same = move?.unit === unit;
  if (same) send({ type: "declare", unit, model, action: move.action, rolls: move.rolls, lost: move.lost, intent: move.intent });
  else send({ type: "declare", unit, model });
}

/** Draws at once where a model may go that is touched, if this page may pick it. @param {string | null} model */
function lookAhead(model) {
  if (view && model && !onlyLooks(view)) ahead.touch(view, model);
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

/** Whether a key is for something else than the table. @param {EventTarget | null} target */
const elsewhere = (target) => target instanceof Element && target.closest("button, input, select, summary, dialog, a") !== null;

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
  const nudge = Object.hasOwn(NUDGES, event.key) ? NUDGES[event.key] : undefined;
  const model = turnable();
  if (!nudge || !model || !view || elsewhere(event.target) || measure.active()) return;
  event.preventDefault();
  pushing.nudge(model, view.models[model], nudge);
});

byId("whole").addEventListener("click", () => frame(null));
new ResizeObserver(() => frame(null)).observe(canvas);

function arrange() {
  const table = view?.table.table;
  if (!table) return;
  byId("title").textContent = table.title;
  document.documentElement.style.setProperty("--table-ratio", String(table.width_mm / table.depth_mm));
}

function showState() {
  const camera = view?.camera.camera;
  showCamera(byId("camera"), link, camera, view?.table.table?.replay);
  const banner = byId("banner");
  const troubled = link !== "live" || camera?.state === "lost" || camera?.state === "ended" || camera?.unrecorded;
  const text =
    link === "live"
      ? camera?.text || say("The camera does not deliver pictures.")
      : link === "connecting"
        ? say("Connecting to the table …")
        : say("No connection to the table. Reconnecting …");
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = !troubled;
}
