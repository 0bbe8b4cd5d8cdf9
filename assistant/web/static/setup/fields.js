// @ts-check
// What is entered: every keystroke is on its way to the disk, and what somebody is typing is never replaced.

/** @import { FromPage, SetupView } from "../messages.js" */
import { el } from "../common/dom.js";

/** @typedef {(message: FromPage) => void} Send */
/** @typedef {{ element: HTMLElement, show: (setup: SetupView) => void }} Field */

const PAUSE_MS = 350;

/** Makes entries. @param {Send} send @param {Record<string, string>} values */
export const enter = (send, values) => send({ type: "setup-enter", values });

/**
 * A line to write in.
 * @param {string} name  the entry's
 * @param {string} label
 * @param {Send} send
 * @param {{ usual?: (setup: SetupView) => string, number?: boolean, hint?: string, bare?: boolean }} [how]
 *   usual: what counts where nothing was entered; bare: without a visible label
 * @returns {Field}
 */
export function line(name, label, send, { usual, number = false, hint = "", bare = false } = {}) {
  const id = `entry-${name.replace(/[^\w-]/g, "-")}`;
  const input = el("input", { id, type: "text", autocomplete: "off", spellcheck: "false", "data-key": name, ...(number ? { inputmode: "decimal" } : { autocapitalize: "none" }), ...(bare ? { "aria-label": label } : {}) });
  /** @type {number | undefined} */
  let waiting;
  const tell = () => {
    clearTimeout(waiting);
    waiting = undefined;
    enter(send, { [name]: input.value });
  };
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(tell, PAUSE_MS);
  });
  input.addEventListener("change", () => waiting !== undefined && tell());
  const wrong = el("span", { class: "wrong", id: `${id}-wrong`, hidden: true });
  input.setAttribute("aria-describedby", wrong.id);
  return {
    element: bare ? input : el("label", { class: "entry", for: id }, label, input, hint ? el("small", {}, hint) : null, wrong),
    show(setup) {
      const text = setup.entries[name] ?? "";
      if (waiting === undefined && document.activeElement !== input) input.value = text;
      input.placeholder = usual?.(setup) ?? "";
      said(input, wrong, setup.wrong[name] ?? "");
    },
  };
}

/** Says what is wrong with an entry, or that nothing is. @param {HTMLElement} input @param {HTMLElement} place @param {string} text */
function said(input, place, text) {
  input.setAttribute("aria-invalid", String(Boolean(text)));
  place.textContent = text;
  place.hidden = !text;
}

/**
 * Buttons of which one is pressed.
 * @param {[string, string, string?][]} choices  value, words, small words
 * @param {(setup: SetupView) => string} pressed  the value that holds
 * @param {(value: string) => void} choose
 * @param {string} [look]
 * @returns {Field}
 */
export function choice(choices, pressed, choose, look = "chips") {
  const buttons = choices.map(([value, words, small]) =>
    el("button", { "data-key": value, "aria-pressed": "false", onclick: () => choose(value) }, small ? el("strong", {}, words) : words, small ? el("small", {}, small) : null),
  );
  return {
    element: el("div", { class: look, role: "group" }, ...buttons),
    show(setup) {
      const now = pressed(setup);
      buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(choices[at][0] === now)));
    },
  };
}

/** A link that looks like a button. @param {string} href @param {string} text @param {{ primary?: boolean, apart?: boolean }} [how] apart: in a page of its own */
export const link = (href, text, { primary = false, apart = false } = {}) =>
  el("a", { class: primary ? "button primary" : "button", href, ...(apart ? { target: "_blank", rel: "noopener" } : {}) }, text);
