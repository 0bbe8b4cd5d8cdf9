// @ts-check
// What a person says of a unit that no camera sees: its status, and models that are destroyed.

/** @import { FromPage } from "../messages.js" */
import { el } from "../common/dom.js";

/**
 * Builds the corrections of the picked unit.
 * @param {(message: FromPage) => void} send
 */
export function corrections(send) {
  let open = false;
  return (/** @type {{ id: string, model: string | null, status: string[], statuses: string[] } | null} */ data) => {
    if (!data) return [];
    const { id, model, status, statuses } = data;
    const turned = (/** @type {string} */ word) =>
      status.includes(word) ? status.filter((other) => other !== word) : [...status, word];
    const words = statuses.map((word) =>
      el(
        "button",
        {
          class: "small",
          "data-key": `status-${word}`,
          "aria-pressed": String(status.includes(word)),
          onclick: () => send({ type: "status", unit: id, status: turned(word) }),
        },
        word,
      ),
    );
    const destroyed =
      model &&
      el(
        "button",
        { class: "small", "data-key": "remove", onclick: () => send({ type: "remove", models: [model] }) },
        `${model} is destroyed`,
      );
    const details = el(
      "details",
      { open, ontoggle: () => (open = details.open) },
      el("summary", { "data-key": "corrections" }, "Correct what the camera cannot see"),
      el("div", { class: "chips" }, ...words, destroyed),
    );
    return [details];
  };
}
