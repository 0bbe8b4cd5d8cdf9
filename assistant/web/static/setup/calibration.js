// @ts-check
// The steps that are about how good it is: lens, anchors and projector.

/** @import { SetupView, View } from "../messages.js" */
/** @import { Send } from "./fields.js" */
import { block, el, icon } from "../common/dom.js";
import { say } from "../common/language.js";
import { projectorCard } from "../landing/projecting.js";
import { choice, enter, link } from "./fields.js";

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function lensStep(place, send) {
  const skipped = choice([["skip", say("Skip it for now")], ["", say("I want to calibrate it")]], ({ entries }) => entries.lens ?? "", (value) => enter(send, { lens: value }));
  place.replaceChildren(
    el("p", {}, say("Every lens distorts the picture a little. Show it the printed board from several sides, and the distortion is known from then on. That takes about three minutes.")),
    link("/lens?from=setup", say("Calibrate the lens"), { primary: true }),
    el("p", { class: "quiet" }, say("Without it, the distortion is worked out from the anchors: well near them, less well far from them. The sentence above says how well, in millimetres.")),
    skipped.element,
  );
  return ({ setup: { setup } }) => skipped.show(setup);
}

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function checkStep(place, send) {
  const fill = block(place, (/** @type {{ anchors: SetupView["anchors"], unplaced: string, live: boolean }} */ { anchors, unplaced, live }) => {
    const open = anchors.some(({ lay }) => lay !== "measured");
    return [
      el("p", {}, say("Lay the anchors on the table where they belong, uncovered. Then look here which of them are seen, and how far off each lies.")),
      el("ul", { class: "tags" },
        ...anchors.map(({ tag, off_mm }) =>
          el("li", { "data-state": off_mm === null ? "todo" : off_mm > 1.5 ? "bad" : off_mm > 0.5 ? "weak" : "good" },
            el("span", { class: "sign" }, off_mm === null ? "–" : icon(off_mm > 1.5 ? "illegal" : off_mm > 0.5 ? "too-close" : "legal")),
            el("span", { class: "grow" }, say("Anchor {tag}", { tag })),
            el("span", {}, off_mm === null ? say("not seen") : say("{length} mm off", { length: off_mm.toFixed(2) })),
          ),
        ),
      ),
      open && el("p", { class: "quiet" }, unplaced ? say("Their positions are measured in a picture. Keep hands and shadows off the table, then press.") : say("Their positions were measured in a picture. If one was moved, measure again.")),
      open && el("button", { class: unplaced ? "primary" : "", "data-key": "measure", disabled: !live, onclick: () => send({ type: "setup-measure" }) }, unplaced ? say("Measure anchor positions") : say("Measure again")),
    ];
  });
  return ({ setup: { setup }, camera }) => fill({ anchors: setup.anchors, unplaced: setup.unplaced, live: camera.camera?.state === "live" });
}

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function projectorStep(place, send) {
  const wanted = choice([["none", say("No projector")], ["yes", say("A projector lights the table")]], ({ entries }) => entries.projector ?? "", (value) => enter(send, { projector: value }));
  const how = el("div", { class: "part", hidden: true },
    el("p", {}, say("Open its page, drag that window to the projector’s screen, and press F there. Then calibrate: tags of light are thrown on the table, and the camera finds them.")),
    link("/projector", say("Open the projector’s page"), { apart: true }),
    el("section", { id: "light-card", class: "card light", hidden: true }, el("div", { id: "lamp", class: "part" }), el("div", { id: "lighting", hidden: true })),
  );
  place.replaceChildren(wanted.element, how);
  const card = projectorCard(send);
  return (view) => {
    wanted.show(view.setup.setup);
    how.hidden = view.setup.setup.entries.projector !== "yes";
    card(view);
  };
}
