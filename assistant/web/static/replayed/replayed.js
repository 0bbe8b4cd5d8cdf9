// @ts-check
// A recorded game in one file: play, pause, scrub, step from move to move, and look at what was found.

/** @import { FoundView } from "../messages.js" */
import { block, byId, el } from "../common/dom.js";
import { LANGUAGE, say } from "../common/language.js";
import { inUnit, personal } from "../common/personal.js";
import { shareButton } from "../common/sharing.js";
import { toast } from "../common/toast.js";
import { listOf } from "../judge/list.js";
import { clock } from "../judge/past.js";
import { tableIn } from "../judge/table.js";
import { timeline } from "../judge/timeline.js";
import { film, unpacked } from "./film.js";

/** While players think, nothing happens for minutes; who watches waits no longer than this. */
const LONGEST_WAIT_MS = 1500;
/** In how many moments a camera that has just started sees every model, if it does at all. */
const BEGINNING = 200;
const SPEEDS = [0.5, 1, 2, 4, 8, 16];

async function open() {
  const packed = await unpacked();
  const reel = film(packed);
  const mine = personal();
  const game = { ...packed.game, found: packed.game.found.filter((each) => !each.fleeting), began_ms: null, whole: true };
  let at = 0;
  let playing = false;
  let speed = 1;
  /** When the moment was reached that is shown: the game's time goes on from there. */
  let since_ms = 0;
  /** @type {FoundView | null} */
  let chosen = null;

  const table = tableIn(byId("a"), { tap() {}, zoomed() {} });
  const line = timeline(/** @type {HTMLCanvasElement} */ (byId("line")), {
    seek: (at_ns) => {
      play(false);
      go(at_ns === null ? reel.count - 1 : reel.at(at_ns));
    },
  });
  const list = listOf({
    reports: false,
    send: () => false,
    seek: (at_ns) => go(reel.at(at_ns)),
    chosen(found) {
      chosen = found;
      play(false);
      if (found) go(reel.at(found.at_ns));
      else show();
    },
  });
  const tools = block(byId("tools"), toolBar);
  const told = block(byId("told"), (/** @type {{ text: string, unit: "in" | "cm" }} */ { text, unit }) => [inUnit(text, unit)]);

  /** @param {number} to */
  function go(to) {
    at = Math.max(0, Math.min(reel.count - 1, to));
    since_ms = performance.now();
    const at_ns = reel.time(at);
    if (chosen && !(chosen.at_ns <= at_ns && at_ns < (chosen.until_ns ?? Infinity))) {
      chosen = null;
      list.drop();
    }
    show();
  }

  /** @param {boolean} on */
  function play(on) {
    if (on === playing) return;
    if (on && at === reel.count - 1) go(0);
    playing = on;
    since_ms = performance.now();
    show();
    if (on) requestAnimationFrame(tick);
  }

  /** @param {number} now_ms */
  function tick(now_ms) {
    if (!playing) return;
    let to = at;
    while (to < reel.count - 1) {
      const wait_ms = Math.min((reel.time(to + 1) - reel.time(to)) / 1e6 / speed, LONGEST_WAIT_MS);
      if (since_ms + wait_ms > now_ms) break;
      since_ms += wait_ms;
      to += 1;
    }
    if (to !== at) {
      const kept_ms = since_ms;
      go(to);
      since_ms = kept_ms;
    }
    if (at === reel.count - 1) play(false);
    else requestAnimationFrame(tick);
  }

  function show() {
    const view = mine(reel.view(at));
    const at_ns = reel.time(at);
    table.show(view, clock(at_ns));
    table.mark({ found: chosen });
    line.show({ a: at_ns, b: null, side: "a", duo: false });
    const unit = view.table.table?.unit ?? "in";
    list.allow(false, unit);
    tools({ playing, speed, before: reel.moves.some((move) => move.at < at), after: reel.moves.some((move) => move.at > at) });
    told({ unit, text: saidAt() });
    byId("clock").textContent = say("{time} of {whole}", { time: clock(at_ns, false), whole: clock(game.ended_ns, false) });
    byId("clock").dataset.state = playing ? "live" : "ended";
  }

  const saidAt = () => reel.moves.find((move) => move.at === at)?.text ?? lastHappened(reel.time(at));

  /** @param {number} at_ns */
  const lastHappened = (at_ns) => game.happened.findLast((each) => each.at_ns <= at_ns && each.kind !== "place" && each.kind !== "calibrated")?.text ?? "";

  /** @param {{ playing: boolean, speed: number, before: boolean, after: boolean }} data */
  function toolBar(data) {
    const select = el(
      "select",
      { "aria-label": say("Speed"), "data-key": "speed", onchange: () => faster(Number(select.value)) },
      ...SPEEDS.map((each) => el("option", { value: String(each), selected: each === data.speed }, `× ${each}`)),
    );
    const step = (/** @type {string} */ key, /** @type {string} */ text, /** @type {boolean} */ may, /** @type {() => void} */ press) =>
      el("button", { class: "small", "data-key": key, disabled: !may, onclick: press }, text);
    return [
      el("button", { class: "small primary play", "data-key": "play", onclick: () => play(!playing) }, say(data.playing ? "Pause" : "Play")),
      step("before", say("Previous move"), data.before, () => stop(reel.moves.findLast((move) => move.at < at)?.at)),
      step("after", say("Next move"), data.after, () => stop(reel.moves.find((move) => move.at > at)?.at)),
      select,
    ];
  }

  /** @param {number} to */
  function faster(to) {
    speed = to;
    since_ms = performance.now();
    show();
  }

  /** @param {number | undefined} to */
  function stop(to) {
    play(false);
    if (to !== undefined) go(to);
  }

  addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (event.key !== " " || target?.matches("button, select, summary, input, textarea")) return;
    event.preventDefault();
    play(!playing);
  });
  shareButton({
    game: false,
    viewAt: async (at_ns) => mine(reel.view(reel.at(at_ns))),
    photoAt: async () => null,
    link: (at_ns) => (location.protocol === "file:" ? "" : `${location.href.split("#")[0]}#${Math.round(at_ns)}`),
    moment: async () => ({
      view: mine(reel.view(at)),
      at_ns: reel.time(at),
      title: packed.title,
      when: clock(reel.time(at)),
      said: chosen?.text ?? saidAt(),
      about: packed.game.recording,
      photo: null,
    }),
  });
  document.title = `${packed.title} – overtable`;
  byId("title").textContent = packed.title;
  line.follow(game);
  list.follow(game);
  go(/^#\d{1,18}$/.test(location.hash) ? reel.at(Number(location.hash.slice(1))) : firstWhole());

  /** The first moment at which every model is seen, if that is near the beginning: before it, each is labelled as not seen. */
  function firstWhole() {
    for (let moment = 0; moment < Math.min(reel.count, BEGINNING); moment += 1) {
      if (Object.values(reel.view(moment).models).every(({ state }) => state !== "unseen")) return moment;
    }
    return 0;
  }
}

/** Says what the document says in the reader's language: there is no server here that does. */
function translate() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (!node.parentElement?.closest("script, svg")) node.data = node.data.replace(/\S.*\S/, (text) => say(text));
  }
  for (const element of document.querySelectorAll("[aria-label]")) {
    const label = element.getAttribute("aria-label") ?? "";
    element.setAttribute("aria-label", say(label));
  }
}

if (LANGUAGE !== "en") translate();
open().catch((error) => {
  byId("clock").textContent = say("Cannot be shown");
  toast(say("This browser cannot unpack the game ({why}): a newer one can.", { why: error instanceof Error ? error.message : String(error) }));
});
