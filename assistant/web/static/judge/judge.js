// @ts-check
// The judge's desk: the table now or at any moment, two moments side by side, what was found, measured and ruled.

/** @import { FoundView, SummonsView, View } from "../messages.js" */
/** @import { Link } from "../common/live.js" */
/** @import { Point } from "../common/geometry.js" */
/** @import { Game } from "./past.js" */
import { addressOf } from "../common/address.js";
import { callOf, callShow, partOf } from "../common/call.js";
import { block, byId, el, icon } from "../common/dom.js";
import { inside, modelAt } from "../common/geometry.js";
import { named, say } from "../common/language.js";
import { carrying } from "../common/lead.js";
import { live } from "../common/live.js";
import { noticeList } from "../common/notices.js";
import { personal } from "../common/personal.js";
import { onPreference, preferencesButton } from "../common/preferences.js";
import { servedMoments, shareButton } from "../common/sharing.js";
import { orSay, toast } from "../common/toast.js";
import { showCamera } from "../common/words.js";
import { modelsOf, swapEntry } from "../common/swapping.js";
import { onlyLooks } from "../common/you.js";
import { differenceSaid, differences } from "./compare.js";
import { listOf } from "./list.js";
import { clock, fetcher, following, measure } from "./past.js";
import { tableIn } from "./table.js";
import { timeline } from "./timeline.js";

/** @typedef {"a" | "b"} Side */
/** @typedef {{ thing: string, at: Point }} End  as the server names it, and where it was touched */

const REST_MS = 250; // after which a moment is worth its zones
const TOLD = 3;
const FROM_NOW = { key: "now", words: say("Swap from now on"), since_ns: null };

/** Each moment as the person here wants it. */
const mine = { now: personal(), a: personal(), b: personal() };
/** @type {View | null} */
let now = null;
/** @type {Link} */
let link = "connecting";
/** @type {Game | null} */
let game = null;
/** @type {Side} */
let side = "a";
let duo = false;
/** @type {Record<Side, number | null>} null: now */
const time = { a: null, b: null };
/** @type {Record<Side, View | null>} what stood then; null while it is now, or on its way */
const then = { a: null, b: null };
/** @type {FoundView | null} */
let chosen = null;
let measuring = false;
let swapping = false;
/** @type {End | null} */
let from = null;
/** @type {string} what was measured, in a sentence */
let length = "";
/** @type {number | undefined} */
let resting;
/** @type {number | null} where the link leads that opened this page */
let linked_ns = momentOf(new URLSearchParams(location.search).get("at_ns"));

const send = live({
  changed(view, touched) {
    now = view;
    if (touched.has("table") || touched.has("camera")) showState();
    if (touched.has("table") || touched.has("you")) allow(view);
    notices(Object.values(view.notices));
    summons(view.summons.judge ?? null);
    show();
    if (["move", "turn", "findings", "rulings", "table"].some((each) => touched.has(/** @type {keyof View} */ (each)))) ask();
  },
  link(to) {
    link = to;
    showState();
  },
  refused: toast,
});

const carry = carrying();
const tables = { a: made("a"), b: made("b") };
const fetchers = { a: fetching("a"), b: fetching("b") };
const notices = block(byId("notices"), noticeList);
const summons = block(byId("summons"), summoned);
const line = timeline(/** @type {HTMLCanvasElement} */ (byId("line")), { seek });
const list = listOf({
  send: (message) => (orSay(send)(message), link === "live"),
  seek: (at_ns) => seek(at_ns, false),
  chosen(found) {
    chosen = found;
    if (found) seek(found.at_ns, false);
    show();
  },
});
const showCall = callShow();
const shared = personal();
shareButton(servedMoments(looked, () => ({ at_ns: time[side], said: chosen && holdsAt(chosen, time[side]) ? chosen.text : "" }), shared));
const tools = block(byId("tools"), toolBar);
const told = block(byId("told"), sentence);
const sayTags = swapEntry((message) => orSay(send)(message), () => {
  swapping = false;
  show();
});
const swap = block(byId("swap"), (/** @type {import("../common/swapping.js").Swap | null} */ data) => [data && sayTags(data)]);
const ask = following((news) => {
  if (game && game.recording !== news.recording) leave();
  const all = { ...news, found: news.found.filter((found) => !found.fleeting) };
  game = all;
  if (chosen) chosen = all.found.find((found) => found.number === chosen?.number) ?? null;
  line.follow(all);
  list.follow(all);
  follow();
  show();
}, toast);

/** @param {string | null} told  a link's moment, which anybody may have mangled */
function momentOf(told) {
  return told !== null && /^\d{1,18}$/.test(told) ? Number(told) : null;
}

/** @param {Side} which */
function made(which) {
  const figure = byId(which);
  figure.addEventListener("pointerdown", () => turnTo(which));
  figure.addEventListener("focusin", () => turnTo(which));
  return tableIn(figure, {
    tap: (at, slack_mm) => touched(which, at, slack_mm),
    zoomed: (mapping) => duo && tables[which === "a" ? "b" : "a"].zoom(mapping),
  });
}

/** @param {Side} which */
function fetching(which) {
  return fetcher((view, at_ns) => {
    if (time[which] !== at_ns) return; // it has moved on
    then[which] = view;
    show();
  }, toast);
}

/** Shows a moment on the chosen side. @param {number | null} at_ns @param {boolean} scrubbing */
function seek(at_ns, scrubbing) {
  clearTimeout(resting);
  time[side] = at_ns;
  unmeasure();
  if (chosen && at_ns !== null && !Object.values(time).some((each) => chosen && holdsAt(chosen, each))) {
    chosen = null;
    list.drop();
  }
  if (at_ns === null) {
    fetchers[side].drop();
    then[side] = null;
  } else {
    fetchers[side].ask(at_ns, false);
    const which = side;
    if (!scrubbing) resting = setTimeout(() => time[which] === at_ns && fetchers[which].ask(at_ns, true), REST_MS);
  }
  show();
}

/** Goes to the moment that a link leads to, once. */
function follow() {
  if (linked_ns === null) return;
  const at_ns = linked_ns;
  linked_ns = null;
  seek(Math.min(at_ns, game?.ended_ns ?? at_ns), false);
}

/** Goes back to now: what was looked at was in another game. */
function leave() {
  chosen = null;
  list.drop();
  for (const which of /** @type {Side[]} */ (["a", "b"])) {
    fetchers[which].drop();
    then[which] = time[which] = null;
  }
  unmeasure();
}

/** What is looked at, as the person here wants it. */
function looked() {
  const view = time[side] === null ? now : then[side];
  return view && shared(view);
}

/** Whether a finding held at a moment that is looked at. @param {FoundView} found @param {number | null} at_ns */
const holdsAt = ({ at_ns: from_ns, until_ns }, at_ns) => at_ns !== null && from_ns <= at_ns && at_ns < (until_ns ?? Infinity);

/** @param {Side} which */
function turnTo(which) {
  if (side === which || !duo) return;
  side = which;
  show();
}

function show() {
  const found = chosen;
  const present = now && carry(mine.now(now)).view;
  const views = { a: time.a === null ? present : then.a && mine.a(then.a), b: time.b === null ? present : then.b && mine.b(then.b) };
  const apart = duo && views.a && views.b ? differences(views.a, views.b) : [];
  for (const which of /** @type {Side[]} */ (["a", "b"])) {
    const at_ns = time[which];
    const name = duo ? `${which.toUpperCase()} · ` : "";
    const when = at_ns === null ? (now?.playing.playing ? say("where the replay is") : say("now")) : `${clock(at_ns)}${dated(at_ns)}`;
    tables[which].show(views[which], name + when);
    tables[which].mark({ differences: apart, found: found && holdsAt(found, at_ns) ? found : null });
    byId(which).classList.toggle("chosen", duo && which === side);
    byId(which).ariaBusy = String(!views[which]); // a touch finds nothing yet
  }
  byId("b").hidden = !duo;
  line.show({ ...time, side, duo });
  tools({ live: time[side] === null, duo, measuring, swapping: mayRestore() ? swapping : null, at_ns: time[side] ?? game?.ended_ns ?? 0, found: found?.number ?? null, known: game !== null, restores: time[side] !== null && mayRestore(), left: mayRestore() ? leftOf(now) : null, call: callToShow() !== null, again: mayRestore() && Boolean(now?.shown_call.call && game) });
  const at_ns = time[side];
  swap(now && swapping && mayRestore() ? { one: null, models: modelsOf(now, null), from: [at_ns === null ? FROM_NOW : { key: "then", words: say("Swapped since {at}", { at: clock(at_ns) }), since_ns: Math.round(at_ns) }] } : null);
  told({ duo, apart: apart.slice(0, TOLD).map((each) => `${named(each.model)} ${differenceSaid(each)}`), more: Math.max(0, apart.length - TOLD), length, measuring, from: from?.thing ?? null });
}

/** The time of day, where it is known. @param {number} at_ns */
const dated = (at_ns) => (game?.began_ms ? ` · ${new Date(game.began_ms + at_ns / 1e6).toLocaleTimeString()}` : "");

/** @param {{ live: boolean, duo: boolean, measuring: boolean, swapping: boolean | null, at_ns: number, found: number | null, known: boolean, restores: boolean, left: number | null, call: boolean, again: boolean }} data */
function toolBar(data) {
  const button = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {string} */ text, /** @type {boolean} */ on, /** @type {() => void} */ press) =>
    el("button", { class: "small", "data-key": key, "aria-pressed": String(on), onclick: press }, icon(sign), text);
  const query = data.found === null ? `?at_ns=${Math.round(data.at_ns)}` : `?at_ns=${Math.round(data.at_ns)}&finding=${data.found}`;
  return [
    button("live", "live", say("Now"), data.live, () => seek(null, false)),
    button("duo", "duo", say("Two moments"), data.duo, twofold),
    button("measure", "tape", say("Measure"), data.measuring, () => {
      measuring = !measuring;
      unmeasure();
      show();
    }),
    data.restores && button("restore", "back", say("Put the table back to this moment"), false, () => restore(data.at_ns)),
    data.left !== null &&
      button("restore-done", "legal", data.left ? say("Putting back is done: {n} not back", { n: data.left }) : say("Putting back is done"), false, () =>
        orSay(send)({ type: "restore-done", missing: data.left ?? 0 }),
      ),
    data.swapping !== null &&
      button("swap", "swap", say("Swapped markers"), data.swapping, () => {
        swapping = !swapping;
        show();
      }),
    data.call && button("call", "play", say("Show the call"), false, showChosenCall),
    data.again && button("call-again", "back", say("Last call again, on the stream"), false, () => airCall(now?.shown_call.call)),
    data.known && el("a", { href: addressOf(`/report${query}`), target: "_blank" }, say("Report of this moment")),
    data.known && el("a", { href: addressOf("/stats") }, say("Statistics")),
    data.known && el("a", { href: addressOf("/past/battle.html"), target: "_blank" }, say("Battle report")),
  ];
}

/** That somebody asks for the judge. @param {SummonsView | null} told */
function summoned(told) {
  if (!told) return [];
  const answer = () => orSay(send)({ type: "call-judge", needed: false });
  return [
    el(
      "div",
      { class: "summons", role: "alert" },
      el("span", { class: "grow" }, el("strong", {}, say("A judge is asked for")), el("small", {}, [new Date(1000 * told.since_s).toLocaleTimeString(), told.about].filter(Boolean).join(" · "))),
      el("button", { class: "primary", "data-key": "summons", onclick: answer }, say("I am coming")),
    ),
  ];
}

/** The call of what is looked into, at the moment that is shown. */
function callToShow() {
  const [found, at_ns, view] = [chosen, time[side], then[side]];
  if (!found || at_ns === null || !view || !holdsAt(found, at_ns)) return null;
  const about = [game?.recording, found.players.join(", "), found.rule, `${clock(found.at_ns)}${dated(found.at_ns)}`];
  return callOf(mine[side](view), found, found.witness_mm, about);
}

function showChosenCall() {
  const [call, found] = [callToShow(), chosen];
  if (!call || !found) return;
  showCall(call, partOf(call, time[side]));
  if (mayRestore()) airCall({ ...found, at_ns: Math.round(time[side] ?? found.at_ns) });
}

/** Lets the stream show a call. @param {{ rule: string, subjects: string[], at_ns: number | null } | undefined} call */
function airCall(call) {
  if (call) orSay(send)({ type: "show-call", rule: call.rule, subjects: call.subjects, at_ns: call.at_ns });
}

/** Whether the table can be put back from here. */
function mayRestore() {
  return Boolean(now && !onlyLooks(now));
}

/** How many models are not back yet, while the table is being put back. @param {View | null} view */
function leftOf(view) {
  const restoring = view?.restoring.restoring;
  return restoring ? restoring.count - restoring.back : null;
}

/** Lets people put every model back to where it stood then; the table shows where, and the tablet how far it has come. @param {number} at_ns */
function restore(at_ns) {
  if (orSay(send)({ type: "restore", at_ns: Math.round(at_ns) })) seek(null, false);
}

/** Shows a second moment beside the first, or no longer: at first the one when a move was begun that is now looked at. */
function twofold() {
  duo = !duo;
  unmeasure();
  if (duo) {
    side = "b";
    const here = time.a ?? game?.ended_ns ?? 0;
    const earlier = (game?.happened ?? []).filter((each) => each.at_ns < here);
    const before = earlier.findLast((each) => each.kind === "accept") ?? earlier.find((each) => each.kind === "told") ?? earlier[0];
    seek(before?.at_ns ?? 0, false);
  } else {
    side = "a";
    then.b = time.b = null;
  }
  show();
}

/** @param {{ duo: boolean, apart: string[], more: number, length: string, measuring: boolean, from: string | null }} data */
function sentence(data) {
  if (data.length) return [el("strong", {}, data.length)];
  if (data.measuring) return [data.from ? say("From {first}. Now touch what to measure to.", { first: nameOf(data.from) }) : say("Touch what to measure from.")];
  if (!data.duo) return [];
  if (!data.apart.length) return [say("Every model stands the same at A and B.")];
  return [say("From A to B: "), el("strong", {}, data.apart.join("; ")), data.more ? say("; and {n} more.", { n: data.more }) : "."];
}

/** @param {Side} which @param {Point} at @param {number} slack_mm */
async function touched(which, at, slack_mm) {
  const view = time[which] === null ? now : then[which];
  if (!measuring || !view) return;
  const model = modelAt(view, at, slack_mm);
  const piece = model ? undefined : Object.entries(view.terrain).find(([, { outline_mm }]) => inside(outline_mm, at));
  const thing = model ? `model:${model}` : piece ? `terrain:${piece[0]}` : `point:${at.x.toFixed(2)},${at.y.toFixed(2)}`;
  if (!from) {
    unmeasure();
    from = { thing, at };
    tables[which].mark({ from: at });
    return show();
  }
  const first = from;
  from = null;
  try {
    const measured = await measure(time[which] ?? game?.ended_ns ?? 0, first.thing, thing);
    length = say("{one} to {two}: {length} ({mm} ± {doubt} mm), edge to edge", {
      one: nameOf(first.thing),
      two: nameOf(thing),
      length: measured.text,
      mm: measured.mm.toFixed(2),
      doubt: (2 * measured.sigma_mm).toFixed(2),
    });
    tables[which].mark({ measured, from: null });
  } catch (error) {
    tables[which].mark({ from: null });
    toast(error instanceof Error ? error.message : String(error));
  }
  show();
}

/** @param {string} thing */
const nameOf = (thing) => (thing.startsWith("point:") ? say("a point") : named(thing.slice(thing.indexOf(":") + 1)));

function unmeasure() {
  from = null;
  length = "";
  for (const table of [tables.a, tables.b]) table.mark({ measured: null, from: null });
}

addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !measuring) return;
  if (!from && !length) measuring = false;
  unmeasure();
  show();
});

/** @param {View} view */
function allow(view) {
  const role = view.you.you?.role;
  const may = !view.table.table?.replay && (role === "host" || role === "judge");
  list.allow(may, mine.now(view).table.table?.unit ?? "in");
}

preferencesButton();
onPreference(() => {
  if (now) allow(now);
  show();
});

function showState() {
  showCamera(byId("camera"), link, now?.camera.camera, now?.table.table?.replay);
  if (now?.table.table) byId("title").textContent = now.table.table.title;
}
