// @ts-check
// A field whose value somebody enters and the server keeps: sent while it is typed, and never changed under the hand.

const QUIET_MS = 300;

/**
 * @template {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field
 * @param {Field} element
 * @param {(value: string) => void} send  called when the hand rests, and when it leaves the field
 * @returns {{ element: Field, show: (value: string) => void, flush: () => void }}  ``show`` shows what the server has,
 *   unless somebody is typing; ``flush`` sends what waits, before the field goes
 */
export function entered(element, send) {
  let known = element.value;
  /** @type {number | undefined} */
  let waiting;
  const tell = () => {
    clearTimeout(waiting);
    waiting = undefined;
    if (element.value === known) return;
    known = element.value;
    send(known);
  };
  element.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(tell, QUIET_MS);
  });
  element.addEventListener("change", tell);
  return {
    element,
    flush: tell,
    show(value) {
      if (waiting !== undefined || document.activeElement === element) return;
      known = value;
      if (element.value !== value) element.value = value;
    },
  };
}

/**
 * Holds back what a place shows while somebody types into it: a field that is remade under the hand loses what was
 * typed, and some browsers tell of its half as of a change.
 * @template Data
 * @param {HTMLElement} place
 * @param {(data: Data) => void} show
 * @returns {(data: Data) => void}
 */
export function afterTyping(place, show) {
  /** @type {(() => void) | undefined} */
  let held;
  const isTyped = (/** @type {EventTarget | null} */ field) =>
    field instanceof HTMLInputElement && place.contains(field) && field.value !== field.defaultValue;
  const release = () => {
    const waiting = held;
    held = undefined;
    waiting?.();
  };
  place.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement) target.defaultValue = target.value;
    release();
  });
  // A button does not take the focus from a field in every browser.
  place.addEventListener("pointerdown", ({ target }) => {
    const field = document.activeElement;
    if (field !== target && isTyped(field)) /** @type {HTMLInputElement} */ (field).blur();
  });
  place.addEventListener("focusout", release);
  return (data) => {
    held = () => show(data);
    if (!isTyped(document.activeElement)) release();
  };
}
