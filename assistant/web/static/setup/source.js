// @ts-check
// The camera's step: where the pictures come from.

/** @import { SetupView, View } from "../messages.js" */
/** @import { Send } from "./fields.js" */
import { block, el } from "../common/dom.js";
import { invite, PHONE } from "../common/inviting.js";
import { cameraStep } from "./camera.js";
import { enter, line } from "./fields.js";
import { say } from "../common/language.js";

const VIRTUAL = "virtual:";

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function sourceStep(place, send) {
  const found = el("div", { class: "part" });
  const other = line("source", say("Or another: a film, pictures or a network address"), send, { hint: say("usb:0 · phone: · file:game.mp4 · images:folder · rtsp://… · http://… (MJPEG)") });
  const sight = el("div", { hidden: true });
  const invited = el("div", { class: "part", hidden: true });
  place.replaceChildren(
    found,
    invited,
    other.element,
    el("p", { class: "quiet" }, say("Hang the camera over the middle of the table, looking straight down, so that it sees all of it. Focus on the table; turn autofocus off.")),
    sight,
  );
  /** @type {((view: View) => void) | null} */
  let optics = null;
  const offered = block(found, (/** @type {{ sources: SetupView["sources"], chosen: string }} */ { sources, chosen }) => {
    const known = sources ?? [{ spec: "usb:0", name: say("the first camera") }, { spec: "usb:1", name: say("the second camera") }];
    return [
      el("div", { class: "choices", role: "group", "aria-label": say("Cameras") },
        ...known.map(({ spec, name }) => pick(spec, name, spec)),
        pick(PHONE, say("A phone"), say("its camera, by the network: nothing to buy and nothing to install")),
        pick(VIRTUAL, say("The virtual table"), say("no camera needed: everything is rendered, to try it out")),
      ),
      known.length === 0 && el("p", { class: "quiet" }, say("No USB camera is plugged in.")),
      el("button", { class: "small", "data-key": "look", onclick: () => send({ type: "setup-look" }) }, say("Search again")),
    ];
    /** @param {string} spec @param {string} name @param {string} small */
    function pick(spec, name, small) {
      return el("button", { "data-key": spec, "aria-pressed": String(spec === chosen), onclick: () => enter(send, { source: spec }) }, el("strong", {}, name), el("small", {}, small));
    }
  });
  return (view) => {
    const { setup } = view.setup;
    offered({ sources: setup.sources, chosen: setup.entries.source ?? "" });
    invited.hidden = setup.entries.source !== PHONE;
    if (!invited.hidden && !invited.hasChildNodes()) void invite(invited);
    other.show(setup);
    sight.hidden = view.camera.camera?.state !== "live";
    if (!sight.hidden) (optics ??= cameraStep(sight, send))(view);
  };
}
