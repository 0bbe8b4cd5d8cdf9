// @ts-check
// A view as the person before this page wants it: in their unit of length and their palette.
//
// The table says its sentences in the rulebook's unit.  Where another is preferred, every figure of a length in what is
// to be read is said in that one, so that no line mixes two; doubts, which are in millimetres, stay so.  What is written
// on the table is rounded there, and is said anew from the length itself, lest the panel say another figure of it.

/** @import { View } from "../messages.js" */
/** @import { Section } from "./live.js" */
import { said as length } from "./dom.js";
import { localised } from "./language.js";
import { preferences } from "./preferences.js";
import { come, lengthOf, rest } from "./way.js";

const CM_PER_INCH = 2.54;
const INCHES = /(\d+(?:[.,]\d+)?)(?:"|[ -]inch(?:es)?\b)/g;
const CENTIMETRES = /(\d+(?:[.,]\d+)?) ?cm\b/g;
/** The fields of messages that hold what a person reads; others may hold ids. */
const READ = new Set(["because", "caption", "label", "note", "reason", "ruling", "statement", "text"]);

/** A sentence with every length in it in another unit. @param {string} text @param {"in" | "cm"} unit */
export function inUnit(text, unit) {
  return unit === "cm"
    ? text.replace(INCHES, (_, figure) => `${as(figure, CM_PER_INCH, 0)} cm`)
    : text.replace(CENTIMETRES, (_, figure) => `${as(figure, 1 / CM_PER_INCH, 1)}"`);
}

/**
 * A figure times something: one that was rounded is not said more finely than it was, one without decimals is exact.
 * @param {string} figure @param {number} times @param {number} finer  how many more decimals the other unit needs
 */
function as(figure, times, finer) {
  const [whole, decimals = ""] = figure.split(/[.,]/);
  return localised(Number((Number(`${whole}.${decimals}`) * times).toFixed(decimals ? decimals.length + finer : 2)));
}

/** @param {unknown} value @param {"in" | "cm"} unit @param {boolean} [read] @returns {unknown} */
function said(value, unit, read = false) {
  if (typeof value === "string") return read ? inUnit(value, unit) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return read ? value.map((each) => said(each, unit, true)) : value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, said(each, unit, READ.has(name))]));
}

/**
 * What shapes say of lengths, by the beginning of their key; undefined where the length is not known.
 * @type {Record<string, (view: View, id: string, unit: "in" | "cm") => string | undefined>}
 */
const WRITTEN = {
  tape: ({ tapes }, id, unit) => tapes[id] && lengthOf(tapes[id], unit),
  way: ({ ways }, id, unit) => ways[id] && `${come(ways[id], unit)}, ${rest(ways[id], unit)}`,
  witness: ({ findings }, id, unit) => {
    const measured_mm = findings[id]?.measured_mm ?? null;
    return measured_mm === null ? undefined : length(measured_mm, unit, 1);
  },
};

/** @param {View} view @param {"in" | "cm"} unit @returns {View["shapes"]} */
function written(view, unit) {
  const shapes = Object.entries(view.shapes).map(([key, shape]) => {
    const [kind, id] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
    const label = shape.label && ((Object.hasOwn(WRITTEN, kind) && WRITTEN[kind](view, id, unit)) || inUnit(shape.label, unit));
    return [key, label === shape.label ? shape : { ...shape, label }];
  });
  return Object.fromEntries(shapes);
}

/** Sections in which nothing is said, or only names. @type {Section[]} */
const MUTE = ["ahead", "camera", "models", "palette", "palettes", "shapes", "terrain", "units"];

/**
 * Returns the function that makes a view personal; a section that has not changed stays the same object.
 * @returns {(view: View) => View}
 */
export function personal() {
  /** @type {Map<string, { from: unknown, unit: string, to: unknown }>} */
  const known = new Map();
  /** @type {unknown[]} */
  let from = [];
  /** @type {View["shapes"]} */
  let shapes = {};
  return (view) => {
    const { length, palette } = preferences();
    const paints = view.palettes[palette]?.paints ?? view.palette;
    const table = view.table.table;
    const unit = length === "rulebook" ? table?.unit : length;
    if (!table || !unit || unit === table.unit) return paints === view.palette ? view : { ...view, palette: paints };
    const sections = Object.entries(view).map(([name, from]) => {
      if (MUTE.includes(/** @type {Section} */ (name))) return [name, from];
      const before = known.get(name);
      if (before && before.from === from && before.unit === unit) return [name, before.to];
      const values = Object.entries(/** @type {Record<string, object>} */ (from));
      const to = Object.fromEntries(values.map(([key, value]) => [key, name === "table" ? { ...value, unit } : said(value, unit)]));
      known.set(name, { from, unit, to });
      return [name, to];
    });
    const now = [unit, view.shapes, view.tapes, view.ways, view.findings];
    if (now.some((each, at) => each !== from[at])) [from, shapes] = [now, written(view, unit)];
    return { ...Object.fromEntries(sections), shapes, palette: paints };
  };
}
