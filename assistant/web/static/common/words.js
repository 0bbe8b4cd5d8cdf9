// @ts-check
// The same words for the same things on every page.

/** @import { CameraView, FindingView, ModelView } from "../messages.js" */
/** @import { Link } from "./live.js" */
import { read, say } from "./language.js";

/** @type {Record<FindingView["outcome"], string>} */
export const OUTCOMES = {
  legal: say("Legal"),
  illegal: say("Not legal"),
  "too-close": say("Too close to call"),
  unobserved: say("Not seen"),
  note: say("Note"),
};

/** A unit's name as people read it: ids have hyphens where names had spaces. @param {string} id @param {{ name: string } | undefined} [unit] */
export const unitWords = (id, unit) => unit?.name || id.replaceAll("-", " ");

/** A status as players say it: one with a colon is about what is named after it. @param {string} status */
export const statusWords = (status) => read(status.replace(":", " in "));

/** How a model is shown: one that was hidden only just now as if it were seen, lest it flicker. @param {ModelView} model */
export const shownAs = (model) => (model.just_hidden ? "seen" : model.state);

/** @type {Record<CameraView["state"], string>} */
export const CAMERA = {
  starting: say("Camera starting …"),
  live: say("Camera live"),
  lost: say("Camera lost"),
  ended: say("Recording ended"),
};

/**
 * Shows the camera's state, or that there is no connection to know it by.
 * @param {HTMLElement} chip @param {Link} link @param {CameraView | undefined} camera
 * @param {boolean} [replay]  what is shown was recorded: no camera looks at a table now
 */
export function showCamera(chip, link, camera, replay = false) {
  const state = link === "live" ? (camera?.state ?? "starting") : link;
  const unrecorded = state === "live" && camera?.unrecorded;
  chip.dataset.state = unrecorded ? "lost" : state;
  chip.textContent = unrecorded
    ? say("Not recorded")
    : link === "live"
      ? replay && state === "live" ? say("Recorded game") : CAMERA[camera?.state ?? "starting"]
      : link === "connecting" ? say("Connecting …") : say("Reconnecting …");
}

/** Which round it is, of how many where that is known. @param {{ round: number, rounds: number | null }} turn */
export const roundOf = ({ round, rounds }) => (rounds ? say("Round {round} of {rounds}", { round, rounds }) : say("Round {round}", { round }));
