// @ts-check
// What people should know of what the camera sees.

/** @import { NoticeView } from "../messages.js" */
import { el } from "./dom.js";

/** A sentence each. @param {NoticeView[]} notices */
export const noticeList = (notices) => notices.map(({ text }) => el("p", { class: "warning" }, text));
