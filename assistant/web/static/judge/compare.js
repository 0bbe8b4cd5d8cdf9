// @ts-check
// What is otherwise at one moment than at another.

import { say } from "../common/language.js";

/** @import { View } from "../messages.js" */

/** A base at rest is measured no better than this. */
const SAME_MM = 0.5;
const SAME_DEG = 2;

/** @typedef {{ model: string, mm: number, deg: number, only: "a" | "b" | null }} Difference */

/**
 * The models that stand elsewhere, or are there at one of the moments only, the furthest first.
 * @param {View} a @param {View} b
 * @returns {Difference[]}
 */
export function differences(a, b) {
  /** @type {Difference[]} */
  const found = [];
  for (const model of new Set([...Object.keys(a.models), ...Object.keys(b.models)])) {
    const [one, other] = [a.models[model], b.models[model]];
    if (!one || !other) {
      found.push({ model, mm: Infinity, deg: 0, only: one ? "a" : "b" });
      continue;
    }
    const mm = Math.hypot(other.x_mm - one.x_mm, other.y_mm - one.y_mm);
    const turn = Math.abs(other.facing_deg - one.facing_deg) % 360;
    const deg = Math.min(turn, 360 - turn);
    if (mm > SAME_MM || deg > SAME_DEG) found.push({ model, mm, deg, only: null });
  }
  return found.sort((x, y) => y.mm - x.mm || y.deg - x.deg);
}

/** @param {Difference} difference */
export const differenceSaid = ({ mm, deg, only }) =>
  only ? say("only at {only}", { only: only.toUpperCase() }) : say("{mm} mm, {deg}°", { mm: mm.toFixed(1), deg: deg.toFixed(1) });
