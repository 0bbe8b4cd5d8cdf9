// @ts-check
// The set-up wizard: the steps, how far each is, and the one that is being taken.

/** @import { StepView, View } from "../messages.js" */
/** @import { Link } from "../common/live.js" */
/** @import { Send } from "./fields.js" */
import { block, byId, el, icon } from "../common/dom.js";
import { read, say } from "../common/language.js";
import { live } from "../common/live.js";
import { livePicture } from "../common/picture.js";
import { anchorsSeen } from "./anchors-seen.js";
import { orSay, toast } from "../common/toast.js";
import { showCamera } from "../common/words.js";
import { checkStep, lensStep, projectorStep } from "./calibration.js";
import { gameStep, readyStep } from "./game.js";
import { enrolStep, markStep } from "./markers.js";
import { printStep } from "./print.js";
import { sourceStep } from "./source.js";
import { tableStep } from "./table.js";

/** @typedef {(place: HTMLElement, send: Send) => (view: View) => void} Step */

/** In the order in which they are taken. @type {Record<string, Step>} */
const STEPS = {
  camera: sourceStep,
  table: tableStep,
  print: printStep,
  lens: lensStep,
  check: checkStep,
  projector: projectorStep,
  armies: gameStep,
  mark: markStep,
  enrol: enrolStep,
  ready: readyStep,
};
const NAMES = Object.keys(STEPS);
/** Where the guide tells of each. @type {Record<string, string>} */
const GUIDE = {
  camera: "what-to-buy",
  table: "set-up#4-let-pictures-tell-where-the-anchors-lie",
  print: "set-up#1-print-the-markers",
  lens: "set-up#3-calibrate-the-lens",
  check: "troubleshooting#anchors-and-calibration",
  projector: "set-up#6-light-the-table",
  armies: "bring-an-army",
  mark: "mark-an-army#2-see-what-suits-it",
  enrol: "mark-an-army#5-look-whether-they-are-read",
  ready: "first-evening",
};
/** A sign and a word for each state. @type {Record<StepView["state"], [string, string]>} */
const SIGNS = { todo: ["unobserved", say("to do")], good: ["legal", say("good")], weak: ["too-close", say("could be better")], bad: ["illegal", say("not right")] };

/** @type {View | null} */
let view = null;
/** @type {Link} */
let link = "connecting";
/** @type {string} the step that is shown, as far as it is built */
let built = "";
/** Steps that were taken are kept as they are. @type {Record<string, { element: HTMLElement, show: (view: View) => void }>} */
const taken = {};
/** Whether there was a picture to be looked at. */
let looking = false;

const send = live({
  changed(now, touched) {
    view = now;
    if (touched.has("camera") || touched.has("setup")) showState();
    if (!looking && now.camera.camera?.state === "live") {
      looking = true;
      livePicture(/** @type {HTMLImageElement} */ (byId("picture")), byId("no-picture"));
    }
    show();
  },
  link(now) {
    link = now;
    showState();
  },
  refused: toast,
});
const order = orSay(send);
const showAnchors = anchorsSeen(byId("anchors-seen"), /** @type {HTMLImageElement} */ (byId("picture")));

function showState() {
  const chip = byId("camera");
  showCamera(chip, link, view?.camera.camera);
  if (link !== "live" || !view?.setup.setup || view.setup.setup.entries.source) return;
  chip.dataset.state = "starting"; // one that was never chosen is not lost
  chip.textContent = say("No camera yet");
}

const list = block(byId("steps"), (/** @type {{ steps: Record<string, StepView>, chosen: string }} */ { steps, chosen }) =>
  NAMES.filter((name) => steps[name]).map((name) => {
    const { title, state, text } = steps[name];
    return el("button", { class: "row", "data-key": `step-${name}`, "data-state": state, ...(name === chosen ? { "aria-current": "step" } : {}), onclick: () => go(name) },
      el("span", { class: "sign" }, icon(SIGNS[state][0])),
      el("span", { class: "grow" }, el("strong", {}, read(title)), el("small", {}, state === "todo" || state === "good" ? text : `${capital(SIGNS[state][1])}: ${text}`)),
    );
  }),
);

const heading = block(byId("heading"), (/** @type {StepView} */ { title, state, text }) => [
  el("div", { class: "heading" }, el("h2", { class: "grow" }, read(title)), el("button", { class: "small", "data-key": "all", onclick: () => go("") }, say("All steps"))),
  el("p", { class: "state", "data-state": state, role: "status" }, el("span", { class: "sign" }, icon(SIGNS[state][0])), el("span", { class: "grow" }, el("strong", {}, `${capital(SIGNS[state][1])}. `), text)),
]);

const onward = block(byId("onward"), (/** @type {string} */ name) => {
  const at = NAMES.indexOf(name);
  return [
    at > 0 && el("button", { "data-key": "back", onclick: () => go(NAMES[at - 1]) }, say("Back")),
    at < NAMES.length - 1 && el("button", { "data-key": "next", class: "primary", onclick: () => go(NAMES[at + 1]) }, say("Next")),
  ];
});

/** The step that the address names; on a wide page the first that is not good, where it names none. @param {View} now */
function chosen(now) {
  const named = location.hash.slice(1);
  if (NAMES.includes(named)) return named;
  if (matchMedia("(max-width: 760px)").matches) return "";
  return built || (NAMES.find((name) => now.steps[name].state !== "good") ?? "ready");
}

function show() {
  if (!view?.table.table) return; // the program has only just begun
  if (!view.setup.setup) {
    document.body.classList.add("busy");
    return byId("work").replaceChildren(elsewhere());
  }
  const name = chosen(view);
  document.body.classList.toggle("busy", name !== "");
  list({ steps: view.steps, chosen: name });
  showAnchors(view);
  /** @type {HTMLAnchorElement} */ (byId("guide")).href = name ? `/help/guide/${GUIDE[name]}` : "/help/guide/quick-start";
  if (!name) return;
  if (name !== built) {
    built = name;
    document.body.dataset.step = name;
    const element = taken[name]?.element ?? el("div", { class: "part" });
    byId("work").replaceChildren(element);
    taken[name] ??= { element, show: STEPS[name](element, order) };
  }
  heading(view.steps[name]);
  onward(name);
  taken[name].show(view);
}

/** @param {string} name */
function go(name) {
  location.hash = name;
  scrollTo(0, 0);
}

const elsewhere = () =>
  el("div", { class: "card part" }, el("h2", {}, say("Set up your own table")), el("p", {}, say("This program shows a table that is set up already. End it with Ctrl-C in its terminal, then run:")), el("p", {}, el("code", {}, "overtable setup")), el("p", { class: "quiet" }, say("It needs nothing but this computer: it can begin with a virtual table.")));

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

addEventListener("hashchange", () => {
  show();
  byId("heading").querySelector("h2")?.scrollIntoView({ block: "nearest" });
});
