// @ts-check
// The bar of a replay: play, pause, speed, step and scrub, by touch and by keys; there only in a replay.

/** @import { FromPage, PlayingView, View } from "../messages.js" */
import { block, el, icon } from "./dom.js";
import { clock, following } from "../judge/past.js";
import { say } from "./language.js";
import { AT_THE_TABLE } from "./you.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const SCRUB_MS = 80;
/** Half of the handle, by which the line is shorter than the field. */
const HANDLE_PX = 8;
/** A touch so near to a mark means it. */
const TOUCH_PX = 14;
/** What of all that happened is marked on the line, besides what was found. */
const MARKED = new Set(["turn", "ruling"]);

/** @typedef {{ kind: string, at_ns: number, text: string }} Mark */

/**
 * Builds the bar; the function returned shows a view in it.
 * @param {HTMLElement} place  hidden until there is a replay
 * @param {(message: FromPage) => unknown} send
 */
export function playingBar(place, send) {
  /** @type {PlayingView | null} */
  let now = null;
  let held = false;
  let last_ms = 0;
  /** @type {number | null} where the finger came down on the line; null before */
  let touched = null;
  /** @type {Mark[]} */
  let marked = [];
  const line = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "range",
      min: "0",
      step: "any",
      "aria-label": say("Game time"),
      oninput: () => scrub(false),
      onchange: () => scrub(true),
      onpointerdown: () => ((held = true), (touched = null)),
      onpointerup: () => (held = false),
      onpointercancel: () => (held = false),
    })
  );
  const time = el("span", { class: "time" });
  const before = el("span", { class: "keys" });
  const after = el("span", { class: "keys" });
  place.dataset.for = AT_THE_TABLE;
  const ticks = el("div", { class: "ticks", "aria-hidden": "true" });
  const meant = el("output", { class: "meant", hidden: true });
  place.replaceChildren(before, el("div", { class: "along" }, ticks, line, meant), time, after);
  let isFollowed = false;
  const mark = block(ticks, (/** @type {{ marks: Mark[], length_ns: number }} */ { marks, length_ns }) =>
    marks.map(({ kind, at_ns }) => {
      const tick = el("i", { "data-kind": kind });
      const share = Math.min(1, at_ns / Math.max(1, length_ns));
      tick.style.left = `calc(${HANDLE_PX}px + (100% - ${2 * HANDLE_PX}px) * ${share.toFixed(5)})`;
      return tick;
    }),
  );

  /** Marks turns, calls and findings as they become known: of a long game they come in pieces. */
  function follow() {
    if (isFollowed) return;
    isFollowed = true;
    following(({ happened, found, ended_ns }) => {
      const told = happened.filter(({ kind }) => MARKED.has(kind));
      const lasting = found.filter(({ fleeting }) => !fleeting).map(({ outcome, at_ns, text }) => ({ kind: outcome, at_ns, text }));
      marked = [...told, ...lasting];
      mark({ marks: marked, length_ns: now?.length_ns || ended_ns });
    }, () => {});
  }

  const controls = block(before, (/** @type {{ playing: boolean }} */ { playing }) => [
    button("step-back", "step-back", say("Previous move"), () => send({ type: "step", back: true })),
    button("play", playing ? "pause" : "play", playing ? say("Pause") : say("Play"), toggle),
    button("step", "step", say("Next move"), () => send({ type: "step", back: false })),
  ]);
  const speeds = block(after, (/** @type {{ speed: number }} */ { speed }) => [
    el(
      "select",
      {
        "aria-label": say("Speed"),
        "data-key": "speed",
        onchange: (event) => send({ type: "speed", speed: Number(/** @type {HTMLSelectElement} */ (event.target).value) }),
      },
      ...[...new Set([...SPEEDS, speed])]
        .sort((a, b) => a - b)
        .map((each) => el("option", { value: String(each), selected: each === speed }, `${each} ×`)),
    ),
  ]);

  function toggle() {
    if (now) send({ type: now.playing ? "pause" : "play" });
  }

  /** The mark that a touch means, if it did not go along the line. */
  function touchedMark() {
    const perMs = (line.clientWidth - 2 * HANDLE_PX) / Math.max(1, Number(line.max));
    const far = (/** @type {number} */ ms) => Math.abs(ms - Number(line.value)) * perMs;
    if (touched === null || far(touched) > TOUCH_PX) return undefined;
    const near = marked.filter(({ at_ns }) => far(at_ns / 1e6) <= TOUCH_PX);
    return near.sort((a, b) => far(a.at_ns / 1e6) - far(b.at_ns / 1e6))[0];
  }

  /** Shows where the finger is, not more often than the table can follow. @param {boolean} done */
  function scrub(done) {
    touched ??= Number(line.value);
    const mark = done ? touchedMark() : undefined;
    meant.hidden = !mark;
    meant.textContent = mark ? `${clock(mark.at_ns, false)} ${mark.text}` : "";
    const at_ns = mark ? mark.at_ns : Math.round(Number(line.value) * 1e6);
    time.textContent = said(at_ns);
    if (!done && performance.now() - last_ms < SCRUB_MS) return;
    last_ms = performance.now();
    send({ type: "seek", at_ns });
  }

  /** @param {number} at_ns */
  const said = (at_ns) => clock(at_ns, false) + (now?.length_ns ? ` / ${clock(now.length_ns, false)}` : "");

  /** @type {Record<string, () => void>} */
  const does = {
    " ": toggle,
    ArrowLeft: () => send({ type: "step", back: true }),
    ArrowRight: () => send({ type: "step", back: false }),
  };
  addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (!now || place.hidden || ctrlKey || metaKey || altKey || !Object.hasOwn(does, key)) return;
    if (document.querySelector("dialog[open]")) return;
    if (target instanceof Element && target.closest("input, select, textarea, a, summary")) return;
    if (key === " " && target instanceof Element && target.closest("button")) return; // presses it
    event.preventDefault();
    does[key]();
  });

  /** @param {View} view */
  return (view) => {
    now = view.playing.playing ?? null;
    place.hidden = now === null;
    if (!now) return;
    follow();
    controls({ playing: now.playing });
    speeds({ speed: now.speed });
    line.max = String(now.length_ns / 1e6); // in milliseconds
    if (held) return;
    line.value = String(now.at_ns / 1e6);
    line.setAttribute("aria-valuetext", said(now.at_ns));
    time.textContent = said(now.at_ns);
  };
}

/** @param {string} key @param {string} sign @param {string} words @param {() => void} press */
const button = (key, sign, words, press) =>
  el("button", { class: "small", "data-key": key, "aria-label": words, title: words, onclick: press }, icon(sign));
