// @ts-check
// Saying that two models carry each other's markers, on the tablet from now on, at the judge's desk from any moment.

/** @import { FromPage, View } from "../messages.js" */
import { el } from "./dom.js";
import { listed, named, say } from "./language.js";
import { toast } from "./toast.js";

/**
 * What may be said of which models, and when.
 * @typedef {object} Swap
 * @property {string | null} one  the model that it is said of; null asks for it
 * @property {string[]} models  to choose from
 * @property {{ key: string, words: string, since_ns: number | null }[]} from  since when; null: from now on
 */

/**
 * Builds the choice of the models and of since when.
 * @param {(message: FromPage) => unknown} send
 * @param {() => void} [done]  called when it was said
 */
export function swapEntry(send, done = () => {}) {
  /** @type {(string | null)[]} outlives the choices, which are built anew when models come and go */
  let chosen = [null, null];

  /** @param {Swap} swap */
  return ({ one, models, from }) => {
    const first = one ?? chosen[0] ?? models[0];
    const other = models.find((id) => id === chosen[1] && id !== first) ?? models.find((id) => id !== first) ?? "";
    const select = (/** @type {number} */ at, /** @type {string} */ label, /** @type {string} */ value) => {
      const made = el(
        "select",
        { "data-key": `swap-${at}`, onchange: () => (chosen[at] = made.value) },
        ...models.filter((id) => at === 0 || id !== one).map((id) => el("option", { value: id, selected: id === value }, named(id))),
      );
      return { made, label: el("label", { class: "entry" }, label, made) };
    };
    const a = one === null ? select(0, say("This model"), first) : null;
    const b = select(1, one === null ? say("and this one carry each other's markers") : say("{one} carries the marker of", { one: named(one) }), other);
    const swap = (/** @type {number | null} */ since_ns) => {
      const swapped = [a ? a.made.value : first, b.made.value];
      if (send({ type: "swapped", models: swapped, since_ns }) !== false) {
        toast(say("{swapped} were swapped. Undo takes it back.", { swapped: listed(swapped.map(named)) }));
      }
      chosen = [null, null];
      done();
    };
    const press = (/** @type {Swap["from"][number]} */ { key, words, since_ns }) =>
      el("button", { class: "small", "data-key": `swap-${key}`, onclick: () => swap(since_ns) }, words);
    return el("div", { class: "swap", role: "group", "aria-label": say("Swapped markers") }, a?.label, b.label, el("div", { class: "chips" }, ...from.map(press)));
  };
}

/** Every model of a game, a unit's own first. @param {View} view @param {string | null} own */
export const modelsOf = (view, own) =>
  Object.entries(view.units)
    .sort(([a], [b]) => Number(b === own) - Number(a === own))
    .flatMap(([, unit]) => unit.models);
