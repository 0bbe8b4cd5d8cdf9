// @ts-check
// The bar of decisions: what is made of the move, in the order of what its verdict asks for.

/** @import { FromPage, MoveView } from "../messages.js" */
import { block, el, icon } from "../common/dom.js";
import { say } from "../common/language.js";
import { preferences } from "../common/preferences.js";

/**
 * What there is to be decided.
 * @typedef {object} Decision
 * @property {MoveView} move
 * @property {string | null} elsewhere  the unit that is being moved, if another one is looked at here
 * @property {boolean} acceptable  nothing that the move needs is lacking
 * @property {boolean} mayAgree  there is an announced move with a verdict that players may agree about
 * @property {string | null} finding  by its name, what the verdict rests on
 * @property {boolean} rests  nothing of it moves any more
 * @property {boolean} summoned  a judge is asked for already
 * @property {string} about  what is in doubt, in a sentence
 */
/** @import { ShowCall } from "./showing.js" */
/** @typedef {{ key: string, words: string, does: () => unknown, sign?: "back" | "legal" | "illegal" | "play", primary?: boolean, may?: boolean, begun?: boolean }} Choice  begun: models have moved, so that a key alone does not do it */

/**
 * Builds the bar, which shows what there is to be decided.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => unknown} send
 * @param {ShowCall} showCall
 * @param {() => void} changed  called when the bar is to be shown anew
 */
export function decisionBar(place, send, showCall, changed) {
  /** What is asked once more before it is accepted: the move as it was then. */
  let asked = "";
  /** The close call that was shown by itself: the move as it was then. */
  let played = "";
  const fill = block(place, build);
  /** @type {{ finding: string, choices: Choice[] } | null} what may be answered to a call that is shown */
  let answers = null;
  return {
    show: (/** @type {Decision | null} */ data) => fill(data && { ...data, asked }),
    /** What is asked where a finding's call is shown. @param {string} finding */
    answersTo: (finding) => (answers?.finding === finding ? answers.choices : []),
  };

  /** @param {(Decision & { asked: string }) | null} data */
  function build(data) {
    answers = null;
    const { move, acceptable } = data ?? {};
    if (!data || !move || (move.unit === null && !acceptable)) return [];
    const shown = { decided: move.decided, outcome: move.outcome, moved: move.moved };
    const about = JSON.stringify(shown);
    const ask = (/** @type {string} */ now) => ((asked = now), changed());
    const accept = () => ((asked = ""), send({ type: "accept", shown }));
    const agree = (/** @type {"legal" | "illegal" | "again"} */ outcome) => () =>
      send({ type: "rule", rule: null, subjects: [], note: "", outcome });
    if (data.elsewhere) {
      const unit = data.elsewhere;
      return [
        button({ key: "withdraw", words: say("Stop showing"), does: () => send({ type: "withdraw" }) }),
        button({ key: "follow", words: say("Back to {unit}", { unit }), primary: true, does: () => send({ type: "declare", unit }) }),
      ];
    }
    const begun = move.action !== null || move.moved.length > 0;
    const cancel = {
      key: "withdraw",
      words: begun ? say("Cancel move") : say("Cancel"),
      sign: /** @type {const} */ ("illegal"),
      begun: move.moved.length > 0,
      does: () => send({ type: "withdraw" }),
    };
    if (data.asked === about) {
      return [
        el("p", { class: "warning" }, say("The referee says that this move is not legal.")),
        ...[
          { key: "keep-asking", words: say("Do not accept"), does: () => ask("") },
          { key: "accept", words: say("Accept it as not legal"), sign: /** @type {const} */ ("illegal"), does: accept },
        ].map(button),
      ];
    }
    /** @type {Choice[]} */
    const agreeing = [
      { key: "call-legal", words: say("Agree: legal"), sign: "legal", does: agree("legal") },
      { key: "call-illegal", words: say("Agree: not legal"), sign: "illegal", does: agree("illegal") },
    ];
    /** @type {Choice[]} */
    let choices = [cancel, { key: "accept", words: say("Accept"), sign: "legal", primary: true, may: acceptable, does: accept }];
    if (data.mayAgree && acceptable && move.moved.length > 0) {
      if (move.outcome === "too-close") {
        const offered = [...agreeing, ...judging(data)];
        answers = data.finding ? { finding: data.finding, choices: offered } : null;
        choices = [...agreeing, ...showing(data.finding, offered), ...judging(data), cancel];
        if (data.finding && data.rests && played !== about && preferences().calls === "close") {
          played = about;
          showCall(data.finding, offered);
        }
      } else if (move.outcome === "illegal") {
        const redo = { key: "call-again", words: say("Redo the move"), primary: true, does: agree("again") };
        choices = [
          ...(move.returning.length ? [] : [redo]),
          { key: "accept-anyway", words: say("Accept anyway"), does: () => ask(about) },
          ...showing(data.finding, []),
          ...judging(data),
          cancel,
        ];
      }
    }
    return choices.map(button);
  }

  /** @param {Decision} data @returns {Choice[]} */
  function judging({ summoned, about }) {
    const words = summoned ? say("The judge is called") : say("Call a judge");
    return [{ key: "call-judge", words, may: !summoned, does: () => send({ type: "call-judge", needed: true, about }) }];
  }

  /** @param {string | null} finding @param {Choice[]} agreeing @returns {Choice[]} */
  function showing(finding, agreeing) {
    return finding ? [{ key: "call-show", words: say("Show the call"), sign: "play", does: () => showCall(finding, agreeing) }] : [];
  }
}

/** @param {Choice} choice */
const button = ({ key, words, does, sign, primary = false, may = true, begun = false }) =>
  el(
    "button",
    { class: primary ? "primary" : "", "data-key": key, "data-begun": String(begun), disabled: !may, onclick: does },
    sign && icon(sign),
    words,
  );
