// @ts-check
// What a finger is on stays: a control that is replaced between press and release never hears of the press.

/** After a finger has left, so long at most until the browser tells of the click. */
const CLICK_MS = 300;
const CONTROLS = "button, a, summary, label, select, input";

/** What is pressed, by pointer. @type {Map<number, Element>} */
const pressed = new Map();
/** What is to be done when nothing in a place is pressed any more. @type {Map<Element, () => void>} */
const waiting = new Map();

/** @param {Element} place */
const isPressed = (place) => [...pressed.values()].some((control) => place.contains(control));

function release() {
  for (const [place, act] of [...waiting]) {
    if (isPressed(place)) continue;
    waiting.delete(place);
    act();
  }
}

/** @param {number} pointer */
function letGo(pointer) {
  pressed.delete(pointer);
  release();
}

/**
 * Does something to a place at once, or else when no control in it is pressed any more; of several only the last.
 * @param {Element} place
 * @param {() => void} act
 */
export function onceLetGo(place, act) {
  waiting.set(place, act);
  release();
}

addEventListener("pointerdown", ({ target, pointerId }) => {
  const control = target instanceof Element && target.closest(CONTROLS);
  if (control) pressed.set(pointerId, control);
}, true);
addEventListener("pointerup", ({ pointerId }) => void setTimeout(letGo, CLICK_MS, pointerId), true);
addEventListener("pointercancel", ({ pointerId }) => letGo(pointerId), true);
// What a click does shows at once; what came meanwhile waits for it to be done.
addEventListener("click", () => {
  pressed.clear();
  setTimeout(release);
}, true);
addEventListener("blur", () => {
  pressed.clear();
  release();
});
