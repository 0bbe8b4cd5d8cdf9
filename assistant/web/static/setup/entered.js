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
