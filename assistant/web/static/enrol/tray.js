// @ts-check
// A tray: many marked models that lie under the camera are enrolled at once.

/** @import { EnrolTray, FromPage, TrayView } from "../messages.js" */
import { el, icon } from "../common/dom.js";
import { named, read, say, sayCount } from "../common/language.js";
import { field } from "./choice.js";
import { capital } from "./steps.js";

const WAYS = /** @type {const} */ ([["halo", say("Halos")], ["rim", say("Rims")], ["tag", say("Tags")]]);

/**
 * What begins a tray, where models lack a marker.
 * @param {[string, number][]} units  how many models of each lack one
 * @param {{ size_mm: number | null, send: (message: FromPage) => void }} page
 */
export function offer(units, { size_mm, send }) {
  const count = units.reduce((sum, [, models]) => sum + models, 0);
  if (count < 2) return [];
  const unit = el("select", { id: "field-unit" }, el("option", { value: "" }, say("All units, one after another ({count})", { count })), ...units.map(([id, models]) => el("option", { value: id }, `${named(id)} (${models})`)));
  const size = field("tray-size", say("Edge of the tags’ black squares, mm"), "number", String(size_mm ?? ""));
  /** @param {EnrolTray["way"]} way */
  const begin = (way) => {
    if (way === "tag" && !Number(size.value())) return size.input.focus();
    send({ type: "enrol-tray", way, unit: unit.value || null, size_mm: way === "tag" ? Number(size.value()) : null });
  };
  return [
    el("h2", {}, say("Many at once")),
    el("p", {}, say("Lay the marked models under the camera in rows, in the order of their units: the far row first, each from left to right. A tag is taken to be glued in the middle, its upper edge to the front.")),
    el("label", { class: "entry", for: "field-unit" }, say("Models that lack a marker"), unit),
    size.label,
    el("div", { class: "buttons thirds" }, ...WAYS.map(([way, name]) => el("button", { "data-key": `tray-${way}`, onclick: () => begin(way) }, name))),
  ];
}

/**
 * @param {TrayView} now @param {[string, string[]][]} units  the models of each, in the game's order
 * @param {{ send: (message: FromPage) => void, leave: () => void }} page
 */
export function tray(now, units, { send, leave }) {
  const given = now.markers.filter(({ model }) => model !== null).length;
  return [
    el("div", { class: "heading" }, el("h2", { class: "grow" }, now.unit === null ? say("A tray") : named(now.unit)), el("button", { class: "small", "data-key": "leave", onclick: leave }, say("All models"))),
    now.note && el("p", { class: "warning" }, capital(now.note)),
    !now.read && el("p", { class: "quiet" }, now.markers.length ? say("Read so far: {count}. Take your hands away.", { count: now.markers.length }) : say("Lay the models where the camera sees their markers, and take your hands away.")),
    now.read && !now.kept && el("p", {}, say("Is this right? Choose another model for a marker, and the two swap.")),
    now.kept && el("p", { class: "kept" }, icon("legal"), sayCount(given, "One model is enrolled.", "{n} models are enrolled.")),
    el("div", { class: "buttons" },
      now.read && !now.kept && given > 0 && el("button", { class: "primary", "data-key": "keep", onclick: () => send({ type: "enrol-keep" }) }, sayCount(given, "Keep this one", "Keep all {n}")),
      now.read && !now.kept && el("button", { "data-key": "again", onclick: () => send({ type: "enrol-again" }) }, say("Read again")),
      now.kept && el("button", { class: "primary", "data-key": "done", onclick: leave }, say("Done")),
    ),
    ...(now.read ? groups(now.markers, units).flatMap(([unit, markers]) => [
      unit !== "" && now.unit === null && el("h3", {}, named(unit)),
      el("ol", { class: "tray" }, ...markers.map((marker) => row(marker, units, now.kept, send))),
    ]) : []),
  ];
}

/**
 * What lies there, parted where another unit begins; who is taken out stays where it lies.
 * @param {TrayView["markers"]} markers @param {[string, string[]][]} units @returns {[string, TrayView["markers"]][]}
 */
function groups(markers, units) {
  const unitOf = new Map(units.flatMap(([unit, models]) => models.map((model) => [model, unit])));
  /** @type {[string, TrayView["markers"]][]} */
  const parted = [];
  for (const marker of markers) {
    const [unit, lie] = parted.at(-1) ?? ["", []];
    const own = marker.model === null ? unit : (unitOf.get(marker.model) ?? "");
    if (own === unit && parted.length) lie.push(marker);
    else parted.push([own, [marker]]);
  }
  return parted;
}

/** @param {TrayView["markers"][number]} marker @param {[string, string[]][]} units @param {boolean} kept @param {(message: FromPage) => void} send */
function row({ marker, name, model, choices }, units, kept, send) {
  const id = `tray-${marker}`;
  const nobody = model === null ? say("nobody") : say("nobody: take it out"); // chosen, it has to fit into a narrow field
  const option = (/** @type {string} */ choice) => el("option", { value: choice, ...(choice === (model ?? "") ? { selected: "" } : {}) }, choice ? named(choice) : nobody);
  const offered = units.map(([unit, models]) => /** @type {[string, string[]]} */ ([unit, models.filter((each) => choices.includes(each))])).filter(([, models]) => models.length);
  const chosen = el("select", { id, onchange: () => give() },
    option(""),
    ...(offered.length > 1 ? offered.map(([unit, models]) => el("optgroup", { label: named(unit) }, ...models.map(option))) : choices.map(option)));
  const give = () => {
    const to = chosen.value || null;
    chosen.value = model ?? ""; // until the table has it so
    send({ type: "enrol-give", marker, model: to });
  };
  return el("li", { "data-key": id, class: model === null ? "out" : "" }, el("label", { class: "entry", for: id }, capital(read(name), ""), kept ? el("strong", {}, model === null ? say("nobody") : named(model)) : chosen));
}

/** The numbers of what lies there, over the picture. @param {TrayView["markers"]} markers */
export function labels(markers) {
  return markers.map(({ name, model, at }) => {
    const label = el("span", { class: model === null ? "out" : "", title: model === null ? say("nobody") : named(model) }, name.replace(/\D/g, ""));
    label.style.left = `${100 * at[0]}%`;
    label.style.top = `${100 * at[1]}%`;
    return label;
  });
}
