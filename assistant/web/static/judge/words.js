// @ts-check
// What was found, in words and figures.

/** @import { FoundView } from "../messages.js" */
import { said } from "../common/dom.js";
import { OUTCOMES } from "../common/words.js";
import { clock } from "./past.js";

/** @type {Record<FoundView["fate"], string>} */
const FATES = { stands: "open", accepted: "accepted as it stood", gone: "resolved" };

/** @param {number} margin_mm @param {number | null} sigma_mm */
export const marginSaid = (margin_mm, sigma_mm) =>
  `${Math.abs(margin_mm).toFixed(2)}${sigma_mm === null ? "" : ` ± ${(2 * sigma_mm).toFixed(2)}`} mm ${margin_mm < 0 ? "past the limit" : "to spare"}`;

/** @param {FoundView} found */
export const about = (found) =>
  [
    `No. ${found.number}`,
    clock(found.at_ns),
    found.turn !== null && `turn ${found.turn}`,
    found.margin_mm !== null && marginSaid(found.margin_mm, found.sigma_mm),
    found.rule,
    FATES[found.fate],
  ]
    .filter(Boolean)
    .join(" · ");

/** @param {FoundView["rulings"][number]} ruling */
export const ruled = ({ by, outcome, note }) =>
  `${by === "judge" ? "The judge ruled" : "The players agreed"}: ${outcome === "again" ? "made again" : OUTCOMES[outcome].toLowerCase()}${note ? ` – ${note}` : ""}`;

/** @param {number} p */
const share = (p) => (p < 0.001 ? "less than 0.1 %" : p > 0.999 ? "more than 99.9 %" : `${(100 * p).toFixed(1)} %`);

/** @param {FoundView} found @param {"in" | "cm"} unit */
export function figures({ measured_mm, limit_mm, margin_mm, sigma_mm, p_legal }, unit) {
  const length = (/** @type {number} */ mm) => `${mm.toFixed(2)} mm (${said(mm, unit)})`;
  return [
    measured_mm !== null && `Measured ${length(measured_mm)}`,
    limit_mm !== null && `limit ${length(limit_mm)}`,
    margin_mm !== null && marginSaid(margin_mm, null),
    sigma_mm !== null && `sigma ${sigma_mm.toFixed(2)} mm`,
    p_legal !== null && `legal with a chance of ${share(p_legal)}`,
  ]
    .filter(Boolean)
    .join(", ");
}
