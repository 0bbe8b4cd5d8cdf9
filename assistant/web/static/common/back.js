// @ts-check
// The way back to the set-up, on pages that it has led to (`?from=setup`).

import { el, icon } from "./dom.js";
import { say } from "./language.js";

/** Puts it into the page's bar, if this page was opened from the set-up. @param {string} step  where to go on */
export function wayBack(step) {
  if (new URLSearchParams(location.search).get("from") !== "setup") return;
  const bar = document.querySelector(".bar");
  bar?.querySelector(".brand")?.replaceWith(el("a", { class: "brand", href: `/setup#${step}`, "data-key": "back" }, icon("back"), say("Set-up")));
}
