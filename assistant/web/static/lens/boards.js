// @ts-check
// Which board a lens is calibrated with: chosen from a list, with the figures that its kind needs.

import { block, el } from "../common/dom.js";
import { say } from "../common/language.js";

/** @typedef {Record<string, string>} Figures  by field */
/** @typedef {{ key: string, words: string, hint: string, fields: [string, string, string][], spec: (figures: Figures) => string }} Kind  fields: name, label, usual value */

const DICTIONARIES = ["4X4", "5X5", "6X6", "7X7"].flatMap((size) => [50, 100, 250, 1000].map((count) => `${size}_${count}`));

/** @type {Kind[]} */
export const KINDS = [
  { key: "printed", words: say("The board that overtable prints"), hint: say("Print it, check its ruler, and glue it on something stiff and flat."), fields: [], spec: () => "printed" },
  {
    key: "screen", words: say("A board on a tablet’s screen"), hint: say("Open the address of this page with /board in place of /lens on the tablet. It needs no printer: a card laid on the glass tells how large its pixels are."),
    fields: [["square", say("Squares, mm, as the tablet says"), ""]],
    spec: ({ square }) => `chess:9x6:${square}`,
  },
  {
    key: "charuco", words: say("A ChArUco board"), hint: say("A chessboard with markers in its white squares."),
    fields: [["across", say("Squares across"), "11"], ["down", say("Squares down"), "8"], ["square", say("Squares, mm"), "25"], ["marker", say("Markers, mm"), "18"], ["dictionary", say("Dictionary"), "5X5_100"], ["legacy", say("Drawn by"), "new"]],
    spec: ({ across, down, square, marker, dictionary, legacy }) => `charuco:${across}x${down}:${square}:${marker}:${dictionary}${legacy === "old" ? ":legacy" : ""}`,
  },
  {
    key: "chess", words: say("A plain chessboard"), hint: say("All of it has to be in the picture. Inner corners: one fewer than squares."),
    fields: [["across", say("Inner corners across"), "9"], ["down", say("Inner corners down"), "6"], ["square", say("Squares, mm"), "25"]],
    spec: ({ across, down, square }) => `chess:${across}x${down}:${square}`,
  },
];

/** What is chosen from among a few. @type {Record<string, [string, string][]>} */
const CHOICES = { dictionary: DICTIONARIES.map((name) => [name, name]), legacy: [["new", say("OpenCV 4.6 or newer")], ["old", say("an older OpenCV")]] };

/**
 * Builds the choice of a board.
 * @param {() => void} enter  called when somebody is done entering
 * @returns {{ element: HTMLElement, spec: () => string | null }}  spec: as the table takes it; null where a figure is missing, which is then asked for
 */
export function boardChoice(enter) {
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  let entries = {};
  const chosen = el("select", { id: "board", "data-key": "board", onchange: () => fill(chosen.value) }, ...KINDS.map(({ key, words }) => el("option", { value: key }, words)));
  const figures = el("div", { class: "figures-of" });
  const fill = block(figures, (/** @type {string} */ key) => {
    const kind = kindOf(key);
    entries = Object.fromEntries(kind.fields.map(([name, , usual]) => [name, entry(name, usual)]));
    return [el("p", { class: "quiet" }, kind.hint), ...kind.fields.map(([name, label]) => el("label", { class: "entry" }, label, entries[name]))];
  });
  fill(chosen.value);

  /** @param {string} name @param {string} usual */
  function entry(name, usual) {
    const choices = CHOICES[name];
    if (choices) return el("select", { "data-key": `board-${name}` }, ...choices.map(([value, words]) => el("option", { value, selected: value === usual }, words)));
    const input = el("input", { type: "text", inputmode: "decimal", value: usual, autocomplete: "off", "data-key": `board-${name}` });
    input.addEventListener("keydown", (event) => void (event.key === "Enter" && enter()));
    return input;
  }

  return {
    element: el("div", { class: "board-choice" }, el("label", { class: "entry", for: "board" }, say("Board"), chosen), figures),
    spec() {
      const missing = Object.values(entries).find(({ value }) => !value.trim());
      if (missing) return missing.focus(), null;
      return kindOf(chosen.value).spec(Object.fromEntries(Object.entries(entries).map(([name, { value }]) => [name, value.trim().replace(",", ".")])));
    },
  };
}

/** @param {string} key */
const kindOf = (key) => KINDS.find((kind) => kind.key === key) ?? KINDS[0];
