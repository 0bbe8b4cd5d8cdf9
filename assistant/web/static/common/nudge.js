// @ts-check
// Moving the light by hand: the words for it.

/** @import { NudgeView } from "../messages.js" */

/** By how much a person has moved the light, in words; empty if not at all. @param {NudgeView | null} nudge */
export function nudgeOf(nudge) {
  if (!nudge) return "";
  const parts = [
    nudge.x_mm && `${Math.abs(nudge.x_mm).toFixed(1)} mm to the ${nudge.x_mm > 0 ? "right" : "left"}`,
    nudge.y_mm && `${Math.abs(nudge.y_mm).toFixed(1)} mm ${nudge.y_mm > 0 ? "away" : "nearer"}`,
    nudge.turn_deg && `turned by ${nudge.turn_deg.toFixed(2)}°`,
    nudge.scale !== 1 && `${nudge.scale > 1 ? "larger" : "smaller"} by ${(Math.abs(nudge.scale - 1) * 1000).toFixed(1)} ‰`,
  ].filter(Boolean);
  return parts.length ? `Moved by hand: ${parts.join(", ")}.` : "";
}
