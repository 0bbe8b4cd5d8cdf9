// @ts-check
// How the light is set, for any page that shows it: brightness, width of lines, what shines, who sits where.

/** @import { FromPage, LightsView, View } from "../messages.js" */
import { block, el } from "./dom.js";
import { say } from "./language.js";

/** @typedef {Omit<import("../messages.js").LightSettings, "type">} Change */

/** @type {[LightsView["hidden"][number], string][]} */
const SHINING = [
  ["deployment", say("Deployment")],
  ["objective", say("Objectives")],
  ["zone", say("Zones")],
  ["threat", say("Threats")],
  ["engagement", say("Engagement")],
  ["coherency", say("Coherency")],
  ["labels", say("Labels")],
];
/** @type {[LightsView["colours"], string][]} */
const COLOURS = [
  ["mat", say("For this mat")],
  ["usual", say("As on pages")],
];
/** @type {[LightsView["seats"][string], string][]} */
const EDGES = [
  ["near", say("Near edge")],
  ["right", say("Right")],
  ["far", say("Far edge")],
  ["left", say("Left")],
];

/**
 * Builds the controls; the function returned shows a view in them.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => void} send
 */
export function lightingControls(place, send) {
  const set = (/** @type {Change} */ change) => send({ type: "light-settings", ...change });
  const bright = slider(say("Brightness"), 0.2, 1, 0.05, (n) => `${Math.round(100 * n)} %`, (brightness, keep) => set({ brightness, keep }));
  const width = slider(say("Line width"), 0.5, 3, 0.25, (n) => `× ${n}`, (line_width, keep) => set({ line_width, keep }));
  const [colours, layers, seats] = [el("div", { class: "lit" }), el("div", { class: "lit" }), el("div", { class: "lit" })];
  const fillColours = block(colours, (/** @type {Pick<LightsView, "colours" | "mat" | "samples">} */ { colours: now, mat, samples }) => [
    el("p", { id: "lit-colours" }, say("Colours")),
    choice("lit-colours", COLOURS, (key) => key === now, (key) => set({ colours: key })),
    samples.length > 0 && preview(mat, samples, now),
  ]);
  const fillLayers = block(layers, (/** @type {LightsView["hidden"]} */ hidden) => [
    el("p", { id: "lit-layers" }, say("Show on the table")),
    choice("lit-layers", SHINING, (key) => !hidden.includes(key), (key, on) => set({ hidden: on ? [...hidden, key] : hidden.filter((other) => other !== key) })),
  ]);
  const fillSeats = block(seats, (/** @type {LightsView["seats"]} */ now) =>
    Object.entries(now).flatMap(([player, edge], at) => [
      el("p", { id: `lit-seat-${at}` }, say("{player} reads from", { player })),
      choice(`lit-seat-${at}`, EDGES, (key) => key === edge, (key) => set({ seats: { [player]: key } })),
    ]),
  );
  place.classList.add("lighting");
  place.replaceChildren(bright.element, width.element, colours, layers, seats);
  /** @param {View} view */
  return (view) => {
    const lights = view.lights.lights;
    place.hidden = !lights;
    if (!lights) return;
    bright.show(lights.brightness);
    width.show(lights.line_width);
    fillColours({ colours: lights.colours, mat: lights.mat, samples: lights.samples });
    fillLayers(lights.hidden);
    fillSeats(lights.seats);
  };
}

/** How the light looks on the mat that the camera sees. @param {string} mat @param {LightsView["samples"]} samples @param {LightsView["colours"]} colours */
function preview(mat, samples, colours) {
  const made = el("ul", { class: "on-mat", "aria-label": say("How it looks on the mat") });
  made.style.background = mat;
  for (const { label, usual, seen } of samples) {
    const ring = el("span", { class: "ring" });
    ring.style.borderColor = colours === "mat" ? seen : usual;
    made.append(el("li", {}, ring, el("span", { class: "name" }, label)));
  }
  return made;
}

/**
 * A slider that follows the table, but not while a finger is on it.
 * @param {string} label @param {number} min @param {number} max @param {number} step @param {(n: number) => string} said
 * @param {(value: number, keep: boolean) => void} moved  to be kept once the finger lets go
 */
function slider(label, min, max, step, said, moved) {
  const input = el("input", { type: "range", min: String(min), max: String(max), step: String(step) });
  const output = el("strong", { "aria-hidden": "true" }); // the slider itself says it
  let held = false;
  const show = (/** @type {number} */ value) => {
    if (!held) input.value = String(value);
    output.textContent = said(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  const pass = (/** @type {boolean} */ keep) => {
    held = !keep;
    show(Number(input.value));
    moved(Number(input.value), keep);
  };
  input.addEventListener("input", () => pass(false));
  input.addEventListener("change", () => pass(true));
  return { element: el("label", {}, el("span", {}, label, output), input), show };
}

/**
 * Buttons side by side, of which some are on.
 * @template {string} Key
 * @param {string} labelled @param {[Key, string][]} keys @param {(key: Key) => boolean} on
 * @param {(key: Key, was: boolean) => void} press
 */
function choice(labelled, keys, on, press) {
  return el(
    "div",
    { class: "chips", role: "group", "aria-labelledby": labelled },
    ...keys.map(([key, label]) =>
      el(
        "button",
        { class: "small", "aria-pressed": String(on(key)), "data-key": `${labelled} ${key}`, onclick: () => press(key, on(key)) },
        `${on(key) ? "✓ " : ""}${label}`,
      ),
    ),
  );
}
