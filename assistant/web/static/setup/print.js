// @ts-check
// The step in which what the table needs is printed, and the printer is checked.

/** @import { View } from "../messages.js" */
/** @import { Send } from "./fields.js" */
import { block, el } from "../common/dom.js";
import { choice, enter, line } from "./fields.js";
import { say } from "../common/language.js";

/** @type {[string, string, string][]} */
const SHEETS = [
  ["anchors", say("Anchors"), say("to lie on the table")],
  ["board", say("Calibration board"), say("for the lens; glue it on something flat")],
];

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function printStep(place, send) {
  const paper = choice([["a4", "A4"], ["letter", say("Letter")]], ({ entries }) => entries.paper ?? "a4", (value) => enter(send, { paper: value }));
  const sheets = el("div", { class: "choices" });
  const ruler = line("ruler", say("How long is the ruler at the foot of a sheet, mm?"), send, { number: true, usual: () => "100", hint: say("print at 100 %, not fitted to the page; what is off is allowed for") });
  const done = choice([["yes", say("They are printed")], ["", say("Not yet")]], ({ entries }) => entries.printed ?? "", (value) => enter(send, { printed: value }));
  const nothing = el("p", { class: "note", hidden: true }, say("There is nothing to print for the virtual table. These are the sheets that you will need for a real one."));
  place.replaceChildren(nothing, paper.element, sheets, ruler.element, done.element);
  const offered = block(sheets, (/** @type {{ paper: string, ready: boolean[] }} */ now) =>
    SHEETS.map(([name, title, small], at) =>
      now.ready[at]
        ? el("a", { class: "button", href: `/sheets/${name}.pdf?paper=${now.paper}`, target: "_blank", "data-key": `sheet-${name}` }, el("strong", {}, title), el("small", {}, small))
        : el("button", { disabled: true }, el("strong", {}, title), el("small", {}, say("the table comes first"))),
    ),
  );
  return ({ setup: { setup }, steps }) => {
    nothing.hidden = !setup.virtual;
    for (const field of [paper, ruler, done]) field.show(setup);
    offered({ paper: setup.entries.paper ?? "a4", ready: [steps.table.state === "good" || steps.table.state === "weak", true] });
  };
}
