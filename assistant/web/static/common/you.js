// @ts-check
// Who this page is to the table.  What is not for it carries `data-for` with the roles that it is for, and is hidden.

/** @import { View, YouView } from "../messages.js" */

/** @typedef {YouView["role"]} Role */

/** How it is said. @type {Record<Role, string>} */
export const AS = { host: "as the host", judge: "as a judge", player: "as a player", viewer: "as a viewer" };
/** Who may play: the roles for `data-for`. */
export const AT_THE_TABLE = "host judge player";

/** Whether nothing can be done here but look: the game is a recording, or this page is a viewer's. @param {View} view */
export const onlyLooks = (view) => Boolean(view.table.table?.replay) || view.you.you?.role === "viewer";
