// @ts-check
// What was found, in words and figures.

/** @import { FoundView } from "../messages.js" */
import { said } from "../common/dom.js";
import { localised, say } from "../common/language.js";
import { OUTCOMES } from "../common/words.js";
import { clock } from "./past.js";

/** @type {Record<FoundView["fate"], string>} */
const FATES = { stands: say("open"), accepted: say("accepted as it stood"), gone: say("resolved") };

/** @param {number} margin_mm @param {number | null} sigma_mm */
export const marginSaid = (margin_mm, sigma_mm) =>
  say(margin_mm < 0 ? "{length} mm past the limit" : "{length} mm to spare", {
    length: Math.abs(margin_mm).toFixed(2) + (sigma_mm === null ? "" : ` ± ${(2 * sigma_mm).toFixed(2)}`),
  });

/** @param {FoundView} found */
export const about = (found) =>
  [
    say("No. {number}", { number: found.number }),
    clock(found.at_ns),
    found.turn !== null && say("turn {turn}", { turn: found.turn }),
    found.margin_mm !== null && marginSaid(found.margin_mm, found.sigma_mm),
    found.rule,
    FATES[found.fate],
  ]
    .filter(Boolean)
    .join(" · ");

/** @param {FoundView["rulings"][number]} ruling */
export const ruled = ({ by, outcome, note }) =>
  `${by === "judge" ? say("The judge ruled") : say("The players agreed")}: ${outcome === "again" ? say("redone") : OUTCOMES[outcome].toLowerCase()}${note ? ` – ${note}` : ""}`;

/** @param {number} p */
const share = (p) => (p < 0.001 ? say("less than 0.1 %") : p > 0.999 ? say("more than 99.9 %") : localised(`${(100 * p).toFixed(1)} %`));

/** @param {FoundView} found @param {"in" | "cm"} unit */
export function figures({ measured_mm, limit_mm, margin_mm, sigma_mm, p_legal }, unit) {
  const length = (/** @type {number} */ mm) => `${localised(mm.toFixed(2))} mm (${said(mm, unit)})`;
  return [
    measured_mm !== null && say("Measured {measured}", { measured: length(measured_mm) }),
    limit_mm !== null && say("limit {limit}", { limit: length(limit_mm) }),
    margin_mm !== null && marginSaid(margin_mm, null),
    sigma_mm !== null && say("sigma {sigma} mm", { sigma: sigma_mm.toFixed(2) }),
    p_legal !== null && say("legal with a chance of {share}", { share: share(p_legal) }),
  ]
    .filter(Boolean)
    .join(", ");
}
