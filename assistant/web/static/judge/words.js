// @ts-check
// What was found, in words and figures.

/** @import { FoundView } from "../messages.js" */
import { said } from "../common/dom.js";
import { OUTCOMES } from "../common/words.js";
import { clock } from "./past.js";

/** @type {Record<FoundView["fate"], string>} */
const FATES = { stands: "stands now", accepted: "accepted as it stood", gone: "over" };

/** @param {FoundView} found */
export const about = (found) =>
  [
    clock(found.at_ns),
    found.turn !== null && `turn ${found.turn}`,
    found.margin_mm !== null && `${found.margin_mm > 0 ? "+" : ""}${found.margin_mm.toFixed(2)} mm${found.sigma_mm === null ? "" : ` ± ${(2 * found.sigma_mm).toFixed(2)}`}`,
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
    margin_mm !== null && `margin ${margin_mm.toFixed(2)} mm`,
    sigma_mm !== null && `sigma ${sigma_mm.toFixed(2)} mm`,
    p_legal !== null && `legal with a chance of ${share(p_legal)}`,
  ]
    .filter(Boolean)
    .join(", ");
}
