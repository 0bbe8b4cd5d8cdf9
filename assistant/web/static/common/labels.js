// @ts-check
// Short texts on the table, placed where they hide neither a base nor each other, upright for who reads them.

/** @import { ModelView, ShapeView, View } from "../messages.js" */
/** @import { Box } from "./boxes.js" */
/** @import { Mapping, Point } from "./geometry.js" */
import { around, covers, grown, holds, middle, overlap, union, within } from "./boxes.js";
import { said } from "./dom.js";
import { inOrder, inPixels } from "./draw.js";
import { reach } from "./geometry.js";
import { read, say } from "./language.js";
import { placeOf, roomOf, standAt } from "./reading.js";
import { shownAs, unitWords } from "./words.js";

/** @typedef {{ text: string, around: Box, colour: string }} Label */
/**
 * What labels keep off beside bases and each other, in the reader's pixels.
 * @typedef {object} Keep
 * @property {Box[]} [covered]  where something else is written
 * @property {Box[]} [names]  of terrain, which are written over only where there is no other place
 * @property {Point[][]} [rings]  what is no place for words
 * @property {number} [clear_px]  around bases
 */

export const FONT = 'system-ui, "DejaVu Sans", sans-serif';
const GAP_PX = 5;
/** Models with more between them than this do not look like one group. */
const APART_MM = 80;
/** A name stands by one of a group that is larger than this. */
const WIDE_MM = 260;
/** A longer name is cut short. */
const NAME_LETTERS = 22;
/** Of a line of a terrain's name, in sizes of its text. */
const LINE = 1.2;
/** Between the names of pieces of terrain, and between a name and the piece beside it. */
const NAMES_APART_PX = 5;
const TERRAIN_COLOUR = "#dfe5df";
/** Words on the table grow with what it is shown on: these are at the least and the most, and between them by its width. */
const [SMALLEST_PX, LARGEST_PX, AT_LEAST_PX, PER_WIDTH] = [11, 26, 8, 1 / 160];
const STATES = { seen: "", held: say("held"), lifted: say("lifted"), lost: say("lost"), unseen: say("not seen yet") };

/** How large words are on a table that is shown so wide. @param {number} width_px */
export const labelSize = (width_px) => Math.min(LARGEST_PX, Math.max(SMALLEST_PX, AT_LEAST_PX + width_px * PER_WIDTH));

/**
 * The labels of the overlay's shapes.
 * @param {Mapping} mapping @param {View} view
 * @returns {Label[]}
 */
export function shapeLabels(mapping, view) {
  const told = new Set([...inRings(view), ...lesserWays(view)]);
  const labels = inOrder(view)
    .filter((shape) => shape.label && !told.has(shape))
    .map((shape) => ({
      text: shape.label,
      around: anchor(mapping, shape),
      colour: view.palette[shape.style]?.stroke ?? "#ffffff",
    }))
    .reverse(); // the highest layer gets the best place
  // Two models that measure each other say the same of the same line.
  const said = new Set();
  return labels.filter(({ text, around: { x, y } }) => {
    const what = `${text} ${Math.round(x)} ${Math.round(y)}`;
    return !said.has(what) && said.add(what);
  });
}

/**
 * The rings of ways that are not written beside: a unit's worst one is, the one that moves, and the one that is picked.
 * @param {View} view @returns {ShapeView[]}
 */
function lesserWays({ models, move, shapes, ways }) {
  const left = (/** @type {string} */ id) => ways[id].limit_mm - ways[id].measured_mm;
  const moved = Object.keys(ways).filter((id) => models[id] && shapes[`way:${id}`]);
  const worst = new Map(moved.sort((a, b) => left(b) - left(a)).map((id) => [models[id].unit, id]));
  const told = new Set();
  const written = [...worst.values(), move.move?.model ?? "", ...moved.filter((id) => models[id].moving)].filter((id) => {
    const text = shapes[`way:${id}`]?.label;
    return !told.has(text) && told.add(text);
  });
  return moved.filter((id) => !written.includes(id)).map((id) => shapes[`way:${id}`]);
}

/** The measured lines of ways whose length the ring around the model says already. @param {View} view @returns {Set<ShapeView>} */
function inRings({ findings, shapes, ways }) {
  const ringed = Object.entries(findings).filter(([, { subjects: [model], measured_mm }]) => {
    const way = shapes[`way:${model}`] && ways[model];
    return way && measured_mm !== null && Math.abs(way.measured_mm - measured_mm) < 0.1;
  });
  return new Set(ringed.map(([number]) => shapes[`witness:${number}`]));
}

/**
 * The units' names, by each group of models that stand together but not by one that strayed, and of each unit once which
 * of its models the camera does not see.
 * @param {Mapping} mapping @param {View} view
 * @returns {Label[]}
 */
export function unitLabels(mapping, view) {
  const boxes = baseBoxes(mapping, view);
  // Where none is seen the page says so once, and so do the dashed bases.
  const noneSeen = (view.camera.camera?.state ?? "starting") === "starting" || Object.values(view.models).every(({ state }) => state === "unseen");
  const states = Object.values(view.units).flatMap((unit) => {
    /** @type {Map<string, Box[]>} */
    const alike = new Map();
    for (const id of unit.models.filter((model) => boxes[model])) {
      const text = view.hindrances[id]?.short ?? STATES[shownAs(view.models[id])];
      if (text && !(noneSeen && view.models[id].state === "unseen")) alike.set(text, [...(alike.get(text) ?? []), boxes[id]]);
    }
    return [...alike].map(([text, own]) => ({
      text: own.length > 1 ? `${own.length} ${text}` : text,
      around: own.length > 1 ? nameplace(own, WIDE_MM * mapping.scale) : own[0],
      colour: "#ffd9a0",
    }));
  });
  const names = Object.entries(view.units).flatMap(([id, unit]) => {
    const own = unit.models.filter((model) => boxes[model]);
    return named(groups(own, view.models)).map((group) => ({
      text: shortened(unitWords(id, unit)),
      around: nameplace(group.map((model) => boxes[model]), WIDE_MM * mapping.scale),
      colour: "#f2efe9",
    }));
  });
  return [...states, ...names];
}

/** A name that does not reach over to what another one is about. @param {string} name */
const shortened = (name) => (name.length > NAME_LETTERS ? `${name.slice(0, NAME_LETTERS - 1).trimEnd()}…` : name);

/** The groups that a unit's name stands by: the largest, and others that are more than one model. @param {string[][]} found */
function named(found) {
  const most = Math.max(...found.map((group) => group.length));
  const largest = found.find((group) => group.length === most);
  return found.filter((group) => group === largest || group.length > 1);
}

/**
 * Models by the groups in which they stand, each near some other of its group.
 * @param {string[]} ids @param {Record<string, ModelView>} models @returns {string[][]}
 */
export function groups(ids, models) {
  /** @type {string[][]} */
  let found = [];
  for (const id of ids) {
    const near = found.filter((group) => group.some((other) => between(models[id], models[other]) < APART_MM));
    found = [...found.filter((group) => !near.includes(group)), [...near.flat(), id]];
  }
  return found;
}

/** How far two bases are apart, taken as round, mm. @param {ModelView} a @param {ModelView} b */
function between(a, b) {
  return Math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) - reach(a.base).furthest - reach(b.base).furthest;
}

/** What a group's name stands by: all of it, or the base nearest its middle. @param {Box[]} boxes @param {number} widest @returns {Box} */
function nameplace(boxes, widest) {
  const whole = union(boxes);
  if (Math.max(whole.w, whole.h) <= widest) return whole;
  const { x, y } = middle(whole);
  const off = (/** @type {Box} */ box) => Math.hypot(middle(box).x - x, middle(box).y - y);
  return boxes.reduce((a, b) => (off(b) < off(a) ? b : a));
}

/**
 * Writes on each piece of terrain what it is.  Returns where.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view @param {number} size  of the text, pixels
 */
export function drawTerrainNames(ctx, mapping, view, size) {
  inPixels(ctx);
  ctx.font = `${size}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.lineJoin = "round";
  const wide = (/** @type {string} */ text) => ctx.measureText(text).width;
  const found = terrainNames(mapping, view, size, wide);
  for (const { lines, box } of found) {
    const at = middle(box);
    standAt(ctx, mapping, at);
    ctx.lineWidth = 3;
    ctx.strokeStyle = "#000000a0";
    ctx.fillStyle = TERRAIN_COLOUR;
    lines.forEach((line, row) => {
      const y = at.y + (row - (lines.length - 1) / 2) * size * LINE;
      ctx.strokeText(line, at.x, y);
      ctx.fillText(line, at.x, y);
    });
  }
  return found.map(({ box }) => box);
}

/**
 * What is written on pieces of terrain, and where: as much of each name as has room on its piece and keeps off all others.
 * The largest piece is named first, beside what stands on it if there is room, as a ruin beside its floor.
 * @param {Mapping} mapping @param {View} view @param {number} size  of the text, pixels
 * @param {(text: string) => number} wide  how wide a text is, pixels
 * @returns {{ id: string, lines: string[], box: Box }[]}
 */
export function terrainNames(mapping, view, size, wide) {
  const pieces = Object.entries(view.terrain)
    .map(([id, piece]) => ({ id, piece, ring: piece.outline_mm.map(([x, y]) => placeOf(mapping, x, y)) }))
    .map((each) => ({ ...each, area: areaOf(each.ring) }))
    .sort((a, b) => b.area - a.area);
  /** @type {Box[]} */
  const taken = [];
  return pieces.flatMap(({ id, piece, ring }, at) => {
    const above = pieces.slice(at + 1).map((other) => other.ring);
    const free = (/** @type {Box} */ box) => !taken.some((other) => overlap(grown(box, NAMES_APART_PX), other));
    const clear = (/** @type {Box} */ box) => free(box) && !above.some((other) => covers(grown(box, NAMES_APART_PX), other));
    const ways = waysToSay(id, piece, view.table.table?.unit ?? "in");
    for (const fits of [clear, free]) {
      for (const lines of ways) {
        const [w, h] = [Math.max(...lines.map(wide)), lines.length * size * LINE];
        const middle = roomIn(ring, w, h, fits);
        if (!middle) continue;
        const box = { x: middle.x - w / 2, y: middle.y - h / 2, w, h };
        taken.push(box);
        return [{ id, lines, box }];
      }
    }
    return [];
  });
}

/** What a piece may be called, the fullest first. @param {string} id @param {View["terrain"][string]} piece @param {"in" | "cm"} unit */
function waysToSay(id, { traits, height_mm }, unit) {
  const name = traits.map(read).join(", ") || id;
  const height = height_mm > 0 ? said(height_mm, unit) : "";
  const ways = [[`${name} ${height}`.trim()], [name, height], name.split(" "), [height]];
  return ways.map((way) => way.filter(Boolean)).filter((way) => way.length);
}

/** @param {Point[]} ring */
function areaOf(ring) {
  const twice = ring.reduce((sum, { x, y }, i) => sum + x * ring[(i + 1) % ring.length].y - ring[(i + 1) % ring.length].x * y, 0);
  return Math.abs(twice) / 2;
}

/**
 * The middle of a box that has room in a ring, as near to the ring's middle as may be; null where none has.
 * @param {Point[]} ring @param {number} w @param {number} h
 * @param {(box: Box) => boolean} [fits]  whether a box may stand there for other reasons
 * @returns {Point | null}
 */
export function roomIn(ring, w, h, fits = () => true) {
  const whole = around(ring);
  if (w > whole.w || h > whole.h) return null;
  const centre = middle(whole);
  const shares = Array.from({ length: 13 }, (_, i) => (i + 0.5) / 13);
  const spots = shares.flatMap((across) => shares.map((down) => ({ x: whole.x + across * whole.w, y: whole.y + down * whole.h })));
  const off = (/** @type {Point} */ { x, y }) => Math.hypot(x - centre.x, y - centre.y);
  const isRoom = (/** @type {Point} */ { x, y }) => {
    const box = { x: x - w / 2, y: y - h / 2, w, h };
    return holds(box, ring) && fits(box);
  };
  return [centre, ...spots.sort((a, b) => off(a) - off(b))].find(isRoom) ?? null;
}

/**
 * Draws labels, each at the first place around its thing that is free; one that finds none is left out.  Returns where.
 * @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} view
 * @param {Label[]} labels @param {number} size  of the text, pixels
 * @param {Keep} [keep]
 */
export function drawLabels(ctx, mapping, view, labels, size, keep = {}) {
  inPixels(ctx);
  ctx.font = `600 ${size}px ${FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.lineJoin = "round";
  const wide = (/** @type {string} */ text) => ctx.measureText(text).width;
  const found = placed(mapping, view, labels, size, wide, roomOf(mapping, ctx.canvas), keep);
  for (const { text, colour, box } of found) {
    const at = middle(box);
    standAt(ctx, mapping, at);
    ctx.lineWidth = Math.max(4, size / 4);
    ctx.strokeStyle = "#000000c0";
    ctx.strokeText(text, at.x, at.y);
    ctx.fillStyle = colour;
    ctx.fillText(text, at.x, at.y);
  }
  return found.map(({ box }) => box);
}

/**
 * The labels that have a place, with it.
 * @param {Mapping} mapping @param {View} view @param {Label[]} labels @param {number} size
 * @param {(text: string) => number} wide  how wide a text is, pixels @param {Box} room @param {Keep} keep
 * @returns {(Label & { box: Box })[]}
 */
export function placed(mapping, view, labels, size, wide, room, { covered = [], names = [], rings = [], clear_px = 0 }) {
  const taken = [...Object.values(baseBoxes(mapping, view)).map((box) => grown(box, clear_px)), ...covered];
  return labels.flatMap((label) => {
    const free = (/** @type {Box} */ box) =>
      within(box, room) && !taken.some((other) => overlap(box, other)) && !rings.some((ring) => covers(box, ring));
    const places = placesAround(label.around, wide(label.text) + 6, size + 4, clear_px).filter(free);
    const box = places.find((place) => !names.some((name) => overlap(place, name))) ?? places[0];
    if (!box) return []; // the panel has it in words
    taken.push(box);
    return [{ ...label, box }];
  });
}

/** @param {Mapping} mapping @param {View} view @returns {Record<string, Box>} */
export function baseBoxes(mapping, view) {
  return Object.fromEntries(
    Object.entries(view.models).map(([id, model]) => {
      const radius = reach(model.base).furthest * mapping.scale;
      const { x, y } = placeOf(mapping, model.x_mm, model.y_mm);
      return [id, { x: x - radius, y: y - radius, w: 2 * radius, h: 2 * radius }];
    }),
  );
}

/** Beside the middle of a line, or around the whole of an area. @param {Mapping} mapping @param {ShapeView} shape */
function anchor(mapping, shape) {
  const points = shape.rings_mm.flat().map(([x, y]) => placeOf(mapping, x, y));
  if (shape.closed) return around(points);
  const half = points.length >> 1;
  const [a, b] = [points[Math.max(0, half - 1)], points[half]];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, w: 0, h: 0 };
}

/**
 * Places below, above, right and left of a thing and at its corners, then further off.
 * @param {Box} thing @param {number} w @param {number} h @param {number} clear_px
 */
function placesAround(thing, w, h, clear_px) {
  const centre = { x: middle(thing).x - w / 2, y: middle(thing).y - h / 2 };
  return [0, 1, 2].flatMap((steps) => {
    const { x, y, w: width, h: height } = grown(thing, GAP_PX + clear_px + steps * h);
    const [left, right, above, below] = [x - w, x + width, y - h, y + height];
    return [
      [centre.x, below],
      [centre.x, above],
      [right, centre.y],
      [left, centre.y],
      [right, below],
      [left, below],
      [right, above],
      [left, above],
    ].map(([at_x, at_y]) => ({ x: at_x, y: at_y, w, h }));
  });
}
