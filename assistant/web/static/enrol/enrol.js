// @ts-check
// The enrolment page: leads model after model to its marker, and to where that is in its base.

/** @import { EnrolledView, TrayView, View } from "../messages.js" */
/** @import { Link } from "../common/live.js" */
import { wayBack } from "../common/back.js";
import { block, byId, el, icon } from "../common/dom.js";
import { named, say } from "../common/language.js";
import { live } from "../common/live.js";
import { livePicture } from "../common/picture.js";
import { orSay, toast } from "../common/toast.js";
import { showCamera } from "../common/words.js";
import { choice } from "./choice.js";
import { baseName, markerName, sureness, work } from "./steps.js";
import { labels, offer, tray } from "./tray.js";

const NEW = "\u0000another";

/** @type {View | null} */
let view = null;
/** @type {Link} */
let link = "connecting";
/** @type {string | null} the model that the person looks at, before its enrolment begins */
let chosen = null;

const send = live({
  changed(now, touched) {
    view = now;
    if (touched.has("camera")) showCamera(byId("camera"), link, now.camera.camera);
    if (touched.size > 1 || !touched.has("camera")) show();
  },
  link(now) {
    link = now;
    showCamera(byId("camera"), link, view?.camera.camera);
  },
  refused: toast,
});

const order = orSay(send);

const list = block(byId("models"), modelList);
const doing = block(byId("work"), workCard);
const labelled = block(byId("seen"), labels);

function show() {
  if (!view) return;
  const enrolling = view.enrolling.enrolling ?? null;
  const onTray = view.tray.tray ?? null;
  if (enrolling || onTray) chosen = null;
  document.body.classList.toggle("busy", Boolean(enrolling || onTray || chosen));
  list({ enrolled: view.enrolled, groups: groups(view), current: enrolling?.model ?? chosen, watched: isWatched(view) });
  const known = chosen === null ? null : (view.enrolled[chosen] ?? null);
  document.body.classList.toggle("on-tray", Boolean(onTray));
  labelled(onTray?.markers ?? []);
  doing({ enrolling, onTray, units: groups(view), lacking: lacking(view), chosen, known, size_mm: usualSize(view), virtual: Boolean(view.table.table?.virtual), replay: Boolean(view.table.table?.replay) });
}

/** The models by unit, in the game's order; those of no unit come last. @param {View} now @returns {[string, string[]][]} */
function groups(now) {
  const units = Object.entries(now.units).map(([unit, { models }]) => /** @type {[string, string[]]} */ ([unit, models.filter((id) => now.enrolled[id])]));
  const grouped = new Set(units.flatMap(([, models]) => models));
  const rest = Object.keys(now.enrolled).filter((id) => !grouped.has(id));
  return [...units, .../** @type {[string, string[]][]} */ (rest.length ? [["", rest]] : [])].filter(([, models]) => models.length);
}

/** How many models of each unit lack a marker. @param {View} now @returns {[string, number][]} */
const lacking = (now) =>
  groups(now)
    .map(([unit, models]) => /** @type {[string, number]} */ ([unit, models.filter((id) => !now.enrolled[id].tag && !now.enrolled[id].ring).length]))
    .filter(([unit, count]) => unit && count);

/** Whether no game is played: then models may be added. @param {View} now */
const isWatched = (now) => now.table.table?.rulebook.startsWith("watched") ?? false;

/** The size that most tags have. @param {View} now */
function usualSize(now) {
  const sizes = Object.values(now.enrolled).flatMap(({ tag }) => (tag ? [tag.size_mm] : []));
  const counted = [...new Set(sizes)].map((size) => /** @type {const} */ ([sizes.filter((other) => other === size).length, size]));
  return counted.sort((a, b) => b[0] - a[0])[0]?.[1] ?? null;
}

/** @param {{ enrolled: View["enrolled"], groups: [string, string[]][], current: string | null, watched: boolean }} data */
function modelList({ enrolled, groups: units, current, watched }) {
  const done = Object.values(enrolled).filter(isKnown).length;
  return [
    el("h2", {}, say("{done} of {all} ready", { done, all: Object.keys(enrolled).length })),
    ...units.flatMap(([unit, models]) => [unit ? el("h3", {}, named(unit)) : null, ...models.map((id) => row(id, enrolled[id], id === current))]),
    watched && el("button", { class: "row", "data-key": NEW, "aria-pressed": String(current === NEW), onclick: () => choose(NEW) }, say("Another model …")),
    Object.keys(enrolled).length === 0 && !watched && el("p", { class: "quiet" }, say("There are no models on this table.")),
  ];
}

/** Whether it is known how a model's marker lies in its base; a ring needs no measuring. @param {EnrolledView} known */
const isKnown = ({ tag, ring }) => ring !== null || Number(tag?.sigma_mm) > 0;

/** @param {string} id @param {EnrolledView} known @param {boolean} pressed */
function row(id, known, pressed) {
  const { tag, ring, base } = known;
  const marker = ring ?? tag;
  const name = markerName(known) ?? "";
  const state = marker === null ? "none" : isKnown(known) ? "measured" : "given";
  const says = { none: say("no marker yet"), given: say("{marker}, not measured", { marker: name }), measured: marker?.sigma_mm ? `${name}, ${sureness(marker)}` : name }[state];
  return el(
    "button",
    { class: "row", "data-key": id, "data-state": state, "aria-pressed": String(pressed), onclick: () => choose(id) },
    el("span", { class: "tick" }, state === "measured" ? icon("legal") : null),
    el("span", { class: "grow" }, el("strong", {}, named(id)), el("small", {}, `${baseName(base)} · ${says}`)),
  );
}

/** @param {string | null} id */
function choose(id) {
  chosen = id;
  if (view?.enrolling.enrolling || view?.tray.tray) order({ type: "enrol-stop" });
  show();
}

/**
 * @param {{ enrolling: View["enrolling"][string] | null, onTray: TrayView | null, units: [string, string[]][], lacking: [string, number][], chosen: string | null, known: EnrolledView | null,
 *   size_mm: number | null, virtual: boolean, replay: boolean }} data
 */
function workCard({ enrolling, onTray, units, lacking: lack, chosen: picked, known, size_mm, virtual, replay }) {
  if (replay) return [el("p", { class: "quiet" }, say("This is a recording: nothing can be enrolled."))];
  if (enrolling) return work(enrolling, { virtual, send: order, leave: () => choose(null), next: () => goOn(enrolling) });
  if (onTray) return tray(onTray, units, { send: order, leave: () => choose(null) });
  if (picked !== null) {
    return choice(picked === NEW ? null : picked, known, { size_mm, send: order, leave: () => choose(null) });
  }
  return [
    el("h2", {}, say("Which marker has each model, and where?")),
    el("p", {}, say("A ring is shown to the camera once, and needs no measuring. A tag is glued on somewhere by hand: measured once, its base is known to a few tenths of a millimetre.")),
    el("p", { class: "quiet" }, say("Choose a model. For a tag you need the sheet for its base (overtable print enrol), or no sheet at all if you turn the model on the spot.")),
    ...offer(lack, { size_mm, send: order }),
  ];
}

/** Goes on to the next model that is not measured. @param {View["enrolling"][string]} done */
function goOn({ model, way }) {
  if (!view) return;
  const order_ = groups(view).flatMap(([, models]) => models);
  const at = order_.indexOf(model);
  const left = [...order_.slice(at + 1), ...order_.slice(0, Math.max(at, 0))].filter((id) => view && !isKnown(view.enrolled[id]));
  if (left.length === 0) return choose(null);
  if (usualSize(view) === null && (way === "sheet" || way === "turn")) return choose(left[0]);
  order({ type: "enrol", model: left[0], way });
}

livePicture(/** @type {HTMLImageElement} */ (byId("picture")), byId("no-picture"));
wayBack("enrol");
