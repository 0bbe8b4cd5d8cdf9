// @ts-check
// Whether players may measure at any time, by what, and the house rule that they may change where the rules do not say.

/** @import { FromPage, MeasuringView } from "../messages.js" */
import { el } from "../common/dom.js";
import { say } from "../common/language.js";

/** @param {MeasuringView} rules @param {(message: FromPage) => unknown} send */
export const houseRule = ({ allowed, note, agreed }, send) =>
  el(
    "div",
    { class: "house-rule" },
    el("p", { class: allowed ? "note" : "warning" }, note),
    agreed &&
      el(
        "button",
        { class: "small", "data-key": "house-rule", onclick: () => send({ type: "allow-measuring", allowed: !allowed }) },
        allowed ? say("Do not allow it") : say("Allow it in this game"),
      ),
  );
