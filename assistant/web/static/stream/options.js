// @ts-check
// What the stream page's address asks for.

import { listed, say } from "../common/language.js";

/** @typedef {{ camera: boolean, calls: boolean, lower: boolean, bar: boolean, scenes: boolean, ground: boolean, photo: boolean, scale: number }} Options */

const [LEAST, MOST] = [0.5, 3];
/** @type {Record<string, string[]>} */
const KNOWN = { view: ["table", "camera"], "lower-third": ["on", "off"], bar: ["on", "off"], scenes: ["on", "off"], calls: ["on", "off"], ground: ["on", "off", "camera"] };

/**
 * Reads the options; what is wrong with them is said in a sentence.
 * @param {string} search  of the address, such as ``?view=camera&scale=1.2``
 * @returns {{ options: Options, wrong: string }}
 */
export function optionsOf(search) {
  const given = new URLSearchParams(search);
  const scale = Number(given.get("scale") ?? 1);
  /** @type {string[]} */
  const wrong = [];
  for (const [name, value] of given) {
    if (name in KNOWN && !KNOWN[name].includes(value)) wrong.push(say("{name} is {known}, not “{value}”.", { name, known: listed(KNOWN[name], "disjunction"), value }));
    else if (name === "scale" && !(scale >= LEAST && scale <= MOST)) wrong.push(say("scale is a number from {least} to {most}, not “{value}”.", { least: LEAST, most: MOST, value }));
    else if (!(name in KNOWN) && name !== "scale") wrong.push(say("“{name}” is not known here: use view, bar, lower-third, scenes, calls, ground or scale.", { name }));
  }
  return {
    options: {
      camera: given.get("view") === "camera",
      calls: given.get("calls") !== "off",
      bar: given.get("bar") !== "off",
      scenes: given.get("scenes") !== "off",
      lower: given.get("lower-third") !== "off",
      ground: given.get("ground") !== "off",
      photo: given.get("ground") === "camera",
      scale: scale >= LEAST && scale <= MOST ? scale : 1,
    },
    wrong: wrong.join(" "),
  };
}
