// @ts-check
// What the players agree on against the referee: of the whole verdict, or of one finding.

/** @import { FromPage } from "../messages.js" */
import { el, said } from "../common/dom.js";
import { say } from "../common/language.js";

/**
 * What is agreed on.
 * @typedef {object} Matter
 * @property {string | null} rule  the finding, by its rule and its subjects; null for the verdict as a whole
 * @property {string[]} subjects
 * @property {number | null} limit_mm  what the length might have been, too
 * @property {{ rule: string, subjects: string[] } | null} [measured]  the finding that has the length, if it is not the matter
 * @property {boolean} [elsewhere]  several findings have lengths, each to be agreed on by itself
 * @property {"in" | "cm"} length  what lengths are said in
 */

/** @typedef {Pick<Extract<FromPage, { type: "rule" }>, "outcome" | "agreed_mm"> & { rule?: string, subjects?: string[] }} Agreed */

/**
 * Builds the choices of what may be agreed on.
 * @param {(message: FromPage) => unknown} send
 * @param {() => void} done  called when something was agreed on
 */
export function agreementEntry(send, done) {
  let note = ""; // outlives the choices, which are built anew when the verdict changes

  /** @param {Matter | null} matter */
  return (matter) => {
    if (!matter) return [];
    const { rule, subjects, limit_mm, measured, elsewhere, length } = matter;
    const named = measured ? { rule: measured.rule, subjects: measured.subjects } : {};
    const agree = (/** @type {Agreed} */ agreed) => {
      send({ type: "rule", rule, subjects, note: note.trim(), ...agreed });
      note = "";
      done();
    };
    const choice = (/** @type {string} */ key, /** @type {string} */ words, /** @type {Agreed} */ agreed) =>
      el("button", { class: "small", "data-key": `agree-${key}`, onclick: () => agree(agreed) }, words);
    const why = el("input", { "data-key": "agree-note", maxlength: "1000", value: note, oninput: () => (note = why.value) });
    return [
      el(
        "div",
        { class: "agree", role: "group", "aria-label": say("By agreement") },
        el("p", { class: "quiet" }, say("The players agree that it is:")),
        el(
          "div",
          { class: "chips" },
          choice("legal", say("Legal"), { outcome: "legal" }),
          choice("illegal", say("Not legal"), { outcome: "illegal" }),
          choice("again", say("Redo the move"), { outcome: "again" }),
          limit_mm !== null &&
            choice("limit", say("{limit} and legal", { limit: said(limit_mm, length) }), { outcome: "legal", agreed_mm: limit_mm, ...named }),
        ),
        elsewhere && el("p", { class: "quiet" }, say("To agree on a length, touch its finding below.")),
        el("label", { class: "entry" }, say("Reason (optional)"), why),
      ),
    ];
  };
}
