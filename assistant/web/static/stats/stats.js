// @ts-check
// A game in figures: how far, how long, how close, and where models stood.

/** @import { PastView, Statistics, View } from "../messages.js" */
import { byId, el, icon, said, svg } from "../common/dom.js";
import { drawGround, drawTerrain, inMillimetres, resize } from "../common/draw.js";
import { fit } from "../common/geometry.js";
import { named, say, sayCount } from "../common/language.js";
import { inUnit, personal } from "../common/personal.js";
import { onPreference } from "../common/preferences.js";
import { OUTCOMES } from "../common/words.js";
import { asked, clock } from "../judge/past.js";

const ALL = "";
/** A close call is drawn on a scale of so many standard deviations to either side. */
const SIGMAS = 3;

/** @type {{ stats: Statistics, view: View } | null} */
let shown = null;
let whose = ALL;
const mine = personal();

async function count() {
  const again = /** @type {HTMLButtonElement} */ (byId("again"));
  again.disabled = true;
  try {
    /** @type {[Statistics, PastView]} */
    const [stats, past] = await Promise.all([asked("/past/stats.json"), asked("/past/view.json?at_ns=0")]);
    shown = { stats, view: past.view };
    show();
  } catch (error) {
    byId("tiles").replaceChildren(el("p", { role: "alert" }, error instanceof Error ? error.message : String(error)));
  }
  again.disabled = false;
}

function show() {
  if (!shown) return;
  const { stats } = shown;
  const view = mine(shown.view);
  const unit = view.table.table?.unit ?? stats.unit;
  const length = (/** @type {number} */ mm) => said(mm, unit, 1);
  document.title = say("Statistics, {title} – overtable", { title: stats.title });
  byId("title").textContent = stats.title;
  byId("tiles").replaceChildren(...tiles(stats, length));
  byId("units").replaceChildren(...unitBars(stats, view, length));
  byId("times").replaceChildren(...timeBars(stats, view).filter((part) => part !== false));
  byId("close").replaceChildren(...closeCalls(stats, unit));
  byId("rulings").replaceChildren(...rulings(stats, unit));
  for (const card of document.querySelectorAll(".card")) /** @type {HTMLElement} */ (card).hidden = false;
  chooser(stats);
  heat();
}

/** @param {Statistics} stats @param {(mm: number) => string} length */
function tiles({ lasted_ns, breaks_ns, players, close_calls, rulings: ruled, longest }, length) {
  const sum = (/** @type {(player: Statistics["players"][number]) => number} */ of) => players.reduce((all, player) => all + of(player), 0);
  const moves = sum((player) => player.moves);
  const tile = (/** @type {string} */ value, /** @type {string} */ what) => el("div", { class: "tile" }, el("strong", {}, value), el("small", {}, what));
  return [
    tile(clock(lasted_ns, false), breaks_ns ? say("on the clock, without breaks") : say("on the clock")),
    tile(String(moves), sayCount(moves, "move accepted", "moves accepted")),
    tile(length(sum((player) => player.moved_mm)), say("moved by all models")),
    tile(longest ? length(longest.mm) : "–", longest ? say("longest move, {model}", { model: named(longest.model) }) : say("longest move")),
    tile(String(close_calls.length), sayCount(close_calls.length, "close call", "close calls")),
    tile(String(ruled.length), sayCount(ruled.length, "ruling", "rulings")),
  ];
}

/** The colours of a player's side. @param {View} view @param {string} player */
function paintOf(view, player) {
  const side = Object.values(view.units).find((unit) => unit.player === player)?.side ?? 3;
  return view.palette[`side-${side % 4}`] ?? { stroke: "#e8e6e1", fill: "#6b6b68" };
}

/** @param {string} name @param {string} value @param {number} share @param {string} colour @param {string} [note] */
function measure(name, value, share, colour, note) {
  const fill = el("div", { class: "fill" });
  fill.style.width = `${(100 * share).toFixed(1)}%`;
  fill.style.background = colour;
  return el("div", { class: "measure" }, el("span", {}, name), el("b", {}, value), el("div", { class: "track" }, fill), note && el("small", {}, note));
}

/** @param {Statistics} stats @param {View} view @param {(mm: number) => string} length */
function unitBars({ units }, view, length) {
  const most = Math.max(1, ...units.map((unit) => unit.moved_mm));
  const rested = units.filter((unit) => !unit.moves);
  return [
    ...units
      .filter((unit) => unit.moves)
      .map(({ unit, name, player, moves, moved_mm, longest_mm }) =>
        measure(name || unit, length(moved_mm), moved_mm / most, paintOf(view, player).stroke, sayCount(moves, "{player} · 1 move · longest {length}", "{player} · {n} moves · longest {length}", { player, length: length(longest_mm) })),
      ),
    ...(rested.length ? [el("p", { class: "quiet" }, say("Not moved: {units}.", { units: rested.map((unit) => unit.name || unit.unit).join(", ") }))] : []),
  ];
}

/** @param {Statistics} stats @param {View} view */
function timeBars({ players, turns, timed_by, untimed_ns }, view) {
  const most = Math.max(1, ...players.map((player) => player.time_ns));
  const longest = Math.max(1, ...turns.map((turn) => turn.lasted_ns));
  return [
    ...players.map(({ player, time_ns, moves }) =>
      measure(player, clock(time_ns, false), time_ns / most, paintOf(view, player).stroke, sayCount(moves, "1 move accepted", "{n} moves accepted")),
    ),
    untimed_ns > 1e9 && el("p", { class: "quiet" }, say("And {time} before turns were counted.", { time: clock(untimed_ns, false) })),
    ...(turns.length ? [el("h3", {}, say("Turn by turn"))] : []),
    ...turns.map(({ number, player, lasted_ns }) =>
      measure(`${number} · ${player}`, clock(lasted_ns, false), lasted_ns / longest, paintOf(view, player).stroke),
    ),
    ...(timed_by === "announcements" ? [el("p", { class: "quiet" }, say("Nobody counted turns: it is the time from each announcement to its end."))] : []),
  ];
}

/** @param {Statistics} stats @param {"in" | "cm"} unit */
function closeCalls({ close_calls }, unit) {
  if (!close_calls.length) return [el("p", { class: "quiet" }, say("None: no margin was within three standard deviations."))];
  return close_calls.map(({ at_ns, outcome, text, margin_mm, sigma_mm, rule }) =>
    el(
      "div",
      { class: "item", "data-outcome": outcome },
      icon(outcome),
      el(
        "span",
        { class: "grow" },
        inUnit(text, unit),
        gauge(margin_mm / sigma_mm),
        el("small", {}, say("{outcome} · {margin} mm, sigma {sigma} mm · {rule} · {when}", {
          outcome: OUTCOMES[outcome],
          margin: (margin_mm > 0 ? "+" : "") + margin_mm.toFixed(2),
          sigma: sigma_mm.toFixed(2),
          rule,
          when: clock(at_ns, false),
        })),
      ),
    ),
  );
}

/** Where a margin lies between not legal and legal, with the part in which a person decides. @param {number} sigmas */
function gauge(sigmas) {
  const x = (/** @type {number} */ at) => 6 + ((at + SIGMAS) / (2 * SIGMAS)) * 248;
  const at = Math.max(-SIGMAS, Math.min(SIGMAS, sigmas));
  const drawing = svg(
    "svg",
    { viewBox: "0 0 260 26", class: "gauge", role: "img", "aria-label": say("{sigmas} standard deviations from the limit", { sigmas: sigmas.toFixed(1) }) },
    svg("rect", { x: x(-SIGMAS), y: 10, width: 248, height: 6, rx: 3, fill: "#353d44" }),
    svg("rect", { x: x(-2), y: 10, width: x(2) - x(-2), height: 6, fill: "#6b6534" }),
    svg("line", { x1: x(0), x2: x(0), y1: 4, y2: 22, stroke: "#f2efe9", "stroke-width": 1.5 }),
    svg("circle", { cx: x(at), cy: 13, r: 6, fill: "#e8b65a", stroke: "#14171a", "stroke-width": 1.5 }),
  );
  return drawing;
}

/** @param {Statistics} stats @param {"in" | "cm"} unit */
function rulings({ rulings: made }, unit) {
  if (!made.length) return [el("p", { class: "quiet" }, say("None: nobody had to decide anything."))];
  return made.map(({ at_ns, text }) => el("div", { class: "item" }, el("span", { class: "grow" }, inUnit(text, unit), el("small", {}, clock(at_ns, false)))));
}

/** @param {Statistics} stats */
function chooser(stats) {
  const names = [ALL, ...Object.keys(stats.heat.seconds)];
  byId("whose").replaceChildren(
    ...names.map((name) =>
      el("button", { class: "small", "aria-pressed": String(name === whose), onclick: () => choose(name) }, name === ALL ? say("Everyone") : name),
    ),
  );
}

/** @param {string} name */
function choose(name) {
  whose = name;
  if (!shown) return;
  chooser(shown.stats);
  heat();
}

function heat() {
  if (!shown) return;
  const { cell_mm, seconds } = shown.stats.heat;
  const view = mine(shown.view);
  const table = view.table.table;
  const canvas = /** @type {HTMLCanvasElement} */ (byId("heat"));
  if (!table) return;
  canvas.style.aspectRatio = `${table.width_mm} / ${table.depth_mm}`;
  const { width, height } = resize(canvas);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const mapping = fit(table, width, height, 1);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  drawGround(ctx, mapping, table);
  drawTerrain(ctx, mapping, view);
  inMillimetres(ctx, mapping);
  const chosen = Object.entries(seconds).filter(([player]) => whose === ALL || player === whose);
  const most = Math.max(1, ...chosen.flatMap(([, cells]) => cells.map(([, , s]) => s)));
  for (const [player, cells] of chosen) {
    ctx.fillStyle = paintOf(view, player).stroke;
    for (const [column, row, s] of cells) {
      // Of a game in which some models never moved, a straight scale would show those alone.
      ctx.globalAlpha = 0.15 + 0.85 * Math.sqrt(s / most);
      ctx.fillRect(column * cell_mm, row * cell_mm, cell_mm - 1.5, cell_mm - 1.5);
    }
  }
  ctx.globalAlpha = 1;
  byId("scale").textContent = say("The brighter a square inch, the longer a model stood there; the brightest for {time}.", { time: clock(most * 1e9, false) });
}

byId("again").addEventListener("click", count);
new ResizeObserver(heat).observe(byId("heat"));
onPreference(show);
count();
