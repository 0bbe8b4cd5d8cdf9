// @ts-check
// What a person says of a unit that no camera sees: what was pushed by mistake, its status, models that are destroyed,
// and markers that are on the wrong model.

/** @import { FromPage } from "../messages.js" */
import { el, foldout } from "../common/dom.js";
import { named, say } from "../common/language.js";
import { swapEntry } from "../common/swapping.js";

/** @typedef {{ id: string | null, model: string | null, moved: string[], status: string[], statuses: string[], models: string[], terrain: boolean }} Corrected */

/** @type {import("../common/swapping.js").Swap["from"]} */
const SINCE = [
  { key: "now", words: say("Swap them"), since_ns: null },
  { key: "begun", words: say("Swapped since the game began"), since_ns: 0 },
];

/**
 * Builds the corrections of the picked unit, or of the table while none is picked.
 * @param {(message: FromPage) => void} send
 * @param {() => void} moveTerrain  begins to move terrain
 */
export function corrections(send, moveTerrain) {
  let open = false;
  /** @type {string | null} whose corrections are open: another unit's are not asked for */
  let of = null;
  const swap = swapEntry(send);
  return (/** @type {Corrected | null} */ data) => {
    if (!data) return [];
    const { id, model, moved, status, statuses, models, terrain } = data;
    if (id !== of) open = false;
    of = id;
    const turned = (/** @type {string} */ word) =>
      status.includes(word) ? status.filter((other) => other !== word) : [...status, word];
    const words = statuses.map((word) =>
      el(
        "button",
        {
          class: "small",
          "data-key": `status-${word}`,
          "aria-pressed": String(status.includes(word)),
          onclick: () => id !== null && send({ type: "status", unit: id, status: turned(word) }),
        },
        word,
      ),
    );
    const destroyed = model && press("remove", say("{model} is destroyed", { model: named(model) }), { type: "remove", models: [model] });
    const details = foldout(
      {
        key: "corrections",
        open,
        fold: (now) => {
          open = now;
          if (now) requestAnimationFrame(() => details.scrollIntoView({ block: "start" })); // it opens below what is in sight
        },
      },
      id === null ? say("Correct the table") : say("Correct what the camera cannot see"),
      el(
        "div",
        { class: "chips" },
        ...(model && moved.includes(model) ? mistaken("one", model, [model]) : []),
        ...(moved.length > 1 ? mistaken("all", say("All {count} that moved", { count: moved.length }), moved) : []),
        ...words,
        destroyed,
        press("restore", say("Put everything back"), { type: "restore" }),
        terrain && el("button", { class: "small", "data-key": "move-terrain", onclick: moveTerrain }, say("Move terrain")),
      ),
      model && models.length > 1 && swap({ one: model, models, from: SINCE }),
    );
    return [details];
  };

  /** What may be said of models that were pushed by mistake. @param {string} key @param {string} who @param {string[]} models */
  function mistaken(key, who, models) {
    const many = models.length > 1;
    return [
      press(`bumped-${key}`, say(many ? "{who} were bumped: stay here" : "{who} was bumped: stay here", { who }), { type: "bumped", models }),
      press(`put-back-${key}`, say(many ? "{who} go back" : "{who} goes back", { who }), { type: "put-back", models }),
    ];
  }

  /** @param {string} key @param {string} words @param {FromPage} message */
  function press(key, words, message) {
    return el("button", { class: "small", "data-key": key, onclick: () => send(message) }, words);
  }
}
