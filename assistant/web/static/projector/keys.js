// @ts-check
// The keys of the projector page: the light itself, where it lies, and for whom words are upright.

/** @import { FromPage, LightsView } from "../messages.js" */
import { say } from "../common/language.js";
import { ROUND } from "../common/reading.js";

/** @typedef {LightsView["seats"][string]} Edge */

/** What the keys do, a line each. */
export const KEYS = [
  say("F full screen"),
  say("B brighter, Shift B darker"),
  say("W wider lines, Shift W finer"),
  say("R turns the words"),
  say("Arrows move the light, Shift: finer"),
  say("[ ] turn it, + − stretch it"),
  say("Backspace undoes, 0 undoes all"),
];
const BRIGHTER = 0.1;
const WIDER = 0.25;

/**
 * What a key changes of the light's settings, if anything.
 * @param {KeyboardEvent} event @param {LightsView} lights @param {{ player: string, edge: Edge } | null} reader
 * @returns {Partial<LightsView> | null}
 */
export function lightChange({ key, shiftKey, ctrlKey, metaKey, altKey }, { brightness, line_width }, reader) {
  if (ctrlKey || metaKey || altKey) return null;
  const way = shiftKey ? -1 : 1;
  switch (key.toLowerCase()) {
    case "b":
      return { brightness: step(brightness, way * BRIGHTER, 0.2, 1) };
    case "w":
      return { line_width: step(line_width, way * WIDER, 0.5, 3) };
    case "r": {
      const next = reader && ROUND[(ROUND.indexOf(reader.edge) + (way === 1 ? 1 : ROUND.length - 1)) % ROUND.length];
      return reader && next ? { seats: { [reader.player]: next } } : null;
    }
  }
  return null;
}

/** @param {number} value @param {number} by @param {number} least @param {number} most */
const step = (value, by, least, most) => Math.round(100 * Math.min(most, Math.max(least, value + by))) / 100;

/** @param {KeyboardEvent} event @returns {FromPage | null} */
export function nudgeOrder({ key, shiftKey, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return null;
  const far = shiftKey ? 0.1 : 1;
  switch (key) {
    case "ArrowLeft":
      return { type: "nudge-light", x_mm: -far };
    case "ArrowRight":
      return { type: "nudge-light", x_mm: far };
    case "ArrowUp":
      return { type: "nudge-light", y_mm: far };
    case "ArrowDown":
      return { type: "nudge-light", y_mm: -far };
    case "[":
      return { type: "nudge-light", turn_deg: 0.02 };
    case "]":
      return { type: "nudge-light", turn_deg: -0.02 };
    case "+":
    case "=":
      return { type: "nudge-light", scale: 1.0005 };
    case "-":
      return { type: "nudge-light", scale: 1 / 1.0005 };
    case "Backspace":
      return { type: "nudge-back" };
    case "0":
      return { type: "nudge-back", all: true };
  }
  return null;
}
