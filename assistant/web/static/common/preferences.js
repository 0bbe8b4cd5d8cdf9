// @ts-check
// What a person prefers on this device: lengths, hand, palette, alerts, size of type.  Kept by the browser, not by the table.

import { byId, el, icon } from "./dom.js";
import { languageChoice, say } from "./language.js";

/**
 * @typedef {object} Preferences
 * @property {"rulebook" | "in" | "cm"} length  what lengths are said in
 * @property {"right" | "left"} hand  at which side the panel is
 * @property {string} palette  by its name in the view
 * @property {"touch" | "close"} calls  which calls are shown without being asked for
 * @property {"drawn" | "camera"} ground  what the game is drawn on
 * @property {"none" | "sound" | "vibration" | "both"} alerts  how it alerts to a verdict that wants a person
 * @property {"sleeps" | "awake"} screen  whether it goes dark by itself
 * @property {"normal" | "large" | "largest"} type
 */

/** @type {{ [Name in keyof Preferences]: { label: string, choices: Record<string, string> } }} the first is the default */
const OFFERED = {
  length: { label: say("Lengths"), choices: { rulebook: say("The rulebook's"), in: say("Inches"), cm: say("Centimetres") } },
  hand: { label: say("Panel"), choices: { right: say("On the right"), left: say("On the left") } },
  palette: {
    label: say("Colours"),
    choices: { standard: say("Standard"), contrast: say("High contrast"), patterns: say("Patterns without colour") },
  },
  calls: { label: say("Calls"), choices: { touch: say("On touch"), close: say("Close calls automatically") } },
  ground: { label: say("Table"), choices: { drawn: say("Drawn"), camera: say("As the camera sees it") } },
  alerts: { label: say("Not legal, or close"), choices: { none: say("Silent"), sound: say("Sound"), vibration: say("Vibration"), both: say("Both") } },
  screen: { label: say("Screen"), choices: { sleeps: say("Sleeps as usual"), awake: say("Stays on") } },
  type: { label: say("Text size"), choices: { normal: say("Normal"), large: say("Large"), largest: say("Largest") } },
};
const NAMES = /** @type {(keyof Preferences)[]} */ (Object.keys(OFFERED));
const KEPT_AS = "overtable.preferences";
/** How much larger type on the table is drawn. */
const TYPE = { normal: 1, large: 1.25, largest: 1.5 };

/** @type {Set<() => void>} */
const heard = new Set();
let kept = read();
apply();

/** What is preferred now; a new object whenever that has changed. */
export const preferences = () => kept;

/** How many times as large as usual words on the table are to be. */
export const typeScale = () => TYPE[kept.type];

/** Calls back whenever a preference has changed, here or in another window. @param {() => void} changed */
export function onPreference(changed) {
  heard.add(changed);
}

/** @returns {Preferences} */
function read() {
  /** @type {unknown} */
  let stored = null;
  try {
    stored = JSON.parse(localStorage.getItem(KEPT_AS) ?? "null");
  } catch {
    // A browser that keeps nothing, or kept something else: the defaults do.
  }
  const said = /** @type {Record<string, unknown>} */ (typeof stored === "object" && stored ? stored : {});
  const each = NAMES.map((name) => {
    const known = Object.keys(OFFERED[name].choices);
    return [name, known.find((choice) => choice === said[name]) ?? known[0]];
  });
  return /** @type {Preferences} */ (Object.fromEntries(each));
}

function apply() {
  const { hand, type } = kept;
  Object.assign(document.documentElement.dataset, { hand, type });
}

/** @param {Preferences} now */
function take(now) {
  kept = now;
  apply();
  for (const changed of heard) changed();
}

/** @param {keyof Preferences} name @param {string} choice */
function choose(name, choice) {
  const now = { ...kept, [name]: choice };
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(now));
  } catch {
    // It then lasts as long as the page.
  }
  take(now);
}

addEventListener("storage", (event) => {
  if (event.key === KEPT_AS) take(read());
});

/** Puts a button that opens the preferences at the end of the page's bar. @param {HTMLElement} [bar] */
export function preferencesButton(bar = /** @type {HTMLElement} */ (document.querySelector(".bar"))) {
  const dialog = el(
    "dialog",
    { id: "preferences", class: "dialog", "aria-labelledby": "preferences-title" },
    el("h2", { id: "preferences-title" }, say("Preferences on this device")),
    ...NAMES.map(entry),
    el("label", { class: "choice" }, say("Language"), languageChoice()),
    el("button", { class: "primary", onclick: () => dialog.close() }, say("Done")),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  const open = () => {
    for (const name of NAMES) /** @type {HTMLInputElement} */ (byId(`${name}-${kept[name]}`)).checked = true;
    dialog.showModal();
  };
  bar.append(el("button", { class: "round", "aria-label": say("Preferences"), title: say("Preferences"), onclick: open }, icon("preferences")));
}

/** @param {keyof Preferences} name */
function entry(name) {
  const { label, choices } = OFFERED[name];
  return el(
    "fieldset",
    { class: "choice" },
    el("legend", {}, label),
    ...Object.entries(choices).map(([choice, words]) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name, id: `${name}-${choice}`, value: choice, onchange: () => choose(name, choice) }),
        el("span", {}, words),
      ),
    ),
  );
}
