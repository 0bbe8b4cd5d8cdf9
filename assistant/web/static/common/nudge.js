// @ts-check
// Moving the light by hand: the words for it.

import { say } from "./language.js";

/** @import { NudgeView } from "../messages.js" */

/** By how much a person has moved the light, in words; empty if not at all. @param {NudgeView | null} nudge */
export function nudgeOf(nudge) {
  if (!nudge) return "";
  const parts = [
    nudge.x_mm && say(nudge.x_mm > 0 ? "{length} mm to the right" : "{length} mm to the left", { length: Math.abs(nudge.x_mm).toFixed(1) }),
    nudge.y_mm && say(nudge.y_mm > 0 ? "{length} mm away" : "{length} mm nearer", { length: Math.abs(nudge.y_mm).toFixed(1) }),
    nudge.turn_deg && say("turned by {turn}°", { turn: nudge.turn_deg.toFixed(2) }),
    nudge.scale !== 1 && say(nudge.scale > 1 ? "larger by {share} ‰" : "smaller by {share} ‰", { share: (Math.abs(nudge.scale - 1) * 1000).toFixed(1) }),
  ].filter(Boolean);
  return parts.length ? say("Moved by hand: {parts}.", { parts: parts.join(", ") }) : "";
}
