// @ts-check
// Who this page is to the table.  What is not for it carries `data-for` with the roles that it is for, and is hidden.

import { say } from "./language.js";

/** @import { View, YouView } from "../messages.js" */

/** @typedef {YouView["role"]} Role */

/** How it is said. @type {Record<Role, string>} */
export const AS = { host: say("as the host"), judge: say("as a judge"), player: say("as a player"), viewer: say("as a viewer") };
/** Who may play: the roles for `data-for`. */
export const AT_THE_TABLE = "host judge player";

/** Whether nothing can be done here but look: the game is a recording, or this page is a viewer's. @param {View} view */
export const onlyLooks = (view) => Boolean(view.table.table?.replay) || view.you.you?.role === "viewer";

const KEPT_AS = "overtable.device";

/** A name that no other device has drawn. */
export const drawName = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** By what the table knows this page again when it is loaded anew, and keeps what it has picked; another tab has its own. */
export function ownName() {
  try {
    const kept = sessionStorage.getItem(KEPT_AS);
    if (kept) return kept;
    const drawn = drawName();
    sessionStorage.setItem(KEPT_AS, drawn);
    return drawn;
  } catch {
    return ""; // a browser that keeps nothing is a new device each time
  }
}
