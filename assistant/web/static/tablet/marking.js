// @ts-check
// The mark of a piece of terrain that is being laid: which one it is, until the camera knows it.

/** @import { FromPage, View } from "../messages.js" */
import { block, el } from "../common/dom.js";
import { say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";

/** What was typed last: the next mark is likely to be alike. */
const typed = { kind: "tag", id: "540", size: "24", height: "" };

/**
 * Builds the form; the function returned shows a view in it.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => unknown} send
 */
export function markForm(place, send) {
  let open = false;
  const fill = block(place, build);
  return (/** @type {View} */ view) => {
    const laying = view.laying.laying;
    const step = laying?.steps.find(({ id }) => id === laying.following);
    const wanted = laying?.marks && !step?.mark && !onlyLooks(view);
    fill({ piece: wanted && step && step.id in view.terrain ? step.id : null });
  };

  /** @param {{ piece: string | null }} data */
  function build({ piece }) {
    if (piece === null) return [];
    const made = el("details", { class: "marking", open, ontoggle: () => (open = made.open) },
      el("summary", { "data-key": "marking" }, say("Give {piece} a mark that the camera knows", { piece })),
      el("form", { onsubmit: (event) => (event.preventDefault(), give(piece)) },
        el("label", {}, say("Kind"), kind()),
        number(say("Number"), "id", "1"),
        number(say("Size, mm"), "size", "any"),
        number(say("Height above the table, mm"), "height", "any"),
        el("button", { class: "small", type: "submit", "data-key": "mark-give" }, say("Keep"))));
    return [made];
  }

  /** @param {string} piece */
  function give(piece) {
    const [id, size_mm, height_mm] = [typed.id, typed.size, typed.height].map(Number);
    const sent = send({ type: "lay-mark", step: piece, kind: typed.kind === "ring" ? "ring" : "tag", id, size_mm, height_mm });
    if (sent) typed.id = String(id + 1);
  }
}

function kind() {
  const select = el("select", { "data-key": "mark-kind", onchange: () => (typed.kind = select.value) },
    el("option", { value: "tag" }, say("Tag")), el("option", { value: "ring" }, say("Ring")));
  select.value = typed.kind;
  return select;
}

/** @param {string} label @param {"id" | "size" | "height"} name @param {string} step */
function number(label, name, step) {
  const input = el("input", { type: "number", min: "0", step, required: true, inputmode: "decimal", "data-key": `mark-${name}`, oninput: () => (typed[name] = input.value) });
  input.value = typed[name];
  return el("label", {}, label, input);
}
