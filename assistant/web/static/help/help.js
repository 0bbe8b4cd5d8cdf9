// @ts-check
// The guide's search: the sections in which all words stand, those first that have them in a heading.

import { byId, el } from "../common/dom.js";

/** @typedef {[address: string, page: string, heading: string, words: string]} Section */

const AROUND = 60; // letters to each side of a word that was found
const SHOWN = 20;

const wanted = /** @type {HTMLInputElement} */ (byId("wanted"));
const hits = byId("hits");
/** @type {Promise<Section[]> | undefined} */
let sections;

/**
 * The words around the first one that is wanted.
 * @param {string} words
 * @param {string[]} all
 */
function quote(words, all) {
  const at = Math.max(0, words.toLowerCase().indexOf(all[0] ?? ""));
  const from = Math.max(0, at - AROUND);
  return `${from > 0 ? "… " : ""}${words.slice(from, at + 2 * AROUND)}${words.length > at + 2 * AROUND ? " …" : ""}`;
}

/**
 * @param {Section[]} among
 * @param {string[]} all
 */
function find(among, all) {
  const found = among.filter((section) => {
    const text = section.slice(1).join(" ").toLowerCase();
    return all.every((word) => text.includes(word));
  });
  const heads = (/** @type {Section} */ [, page, heading]) => {
    const head = `${page} ${heading}`.toLowerCase();
    return all.filter((word) => head.includes(word)).length;
  };
  return found.sort((one, other) => heads(other) - heads(one)).slice(0, SHOWN);
}

wanted.addEventListener("input", async () => {
  const text = wanted.value.trim().toLowerCase();
  sections ??= fetch("/help/sections.json").then((answer) => answer.json());
  const among = await sections;
  if (text !== wanted.value.trim().toLowerCase()) return; // typed on in the meantime
  const all = text.split(/\s+/);
  hits.hidden = !text;
  byId("groups").hidden = !!text;
  hits.replaceChildren(
    ...find(among, all).map(([address, page, heading, words]) => {
      const title = heading && heading !== page ? `${page}: ${heading}` : page;
      return el("li", {}, el("a", { href: address }, el("strong", {}, title), el("small", {}, quote(words, all))));
    }),
  );
  if (!hits.firstChild) hits.append(el("li", { class: "quiet" }, "Nothing in the guide has all of these words."));
});
