// @ts-check
// Shows the call of a finding that is being judged now.

/** @import { Choice } from "../common/call.js" */
/** @import { FromPage, View } from "../messages.js" */
import { callOf, callShow, partOf } from "../common/call.js";
import { onlyLooks } from "../common/you.js";
import { nameOf } from "./verdict.js";

/** @typedef {(finding: string, choices?: Choice[]) => void} ShowCall  a finding by its name */

/**
 * Builds what shows calls.
 * @param {() => View | null} current
 * @param {(message: FromPage) => unknown} send  tells the stream
 * @returns {ShowCall}
 */
export function callShowing(current, send) {
  const show = callShow();
  return (name, choices = []) => {
    const view = current();
    const [number, finding] = Object.entries(view?.findings ?? {}).find(([, each]) => nameOf(each) === name) ?? [];
    if (!view || !finding) return;
    const player = view.units[view.move.move?.unit ?? ""]?.player;
    const measured = view.shapes[`witness:${number}`]?.rings_mm[0] ?? [];
    const call = callOf(view, finding, measured, [view.table.table?.title, player, finding.rule, new Date().toLocaleTimeString()]);
    if (!call) return;
    show(call, view.lookout.lookout ? partOf(call) : null, choices);
    if (!onlyLooks(view)) send({ type: "show-call", rule: finding.rule, subjects: finding.subjects });
  };
}

/** What is judged now, in a sentence; empty where nothing is. @param {View | null} view */
export function saidNow(view) {
  const outcome = view?.move.move?.outcome;
  const finding = Object.values(view?.findings ?? {}).find((each) => each.outcome === outcome && outcome !== "legal");
  return finding?.text ?? "";
}
