// @ts-check
// What a touch draws at once: where the touched model may go, as the table has told ahead, until it answers the touch.

/** @import { AheadView, View } from "../messages.js" */

/** A table that has not answered for so long is not going to; what was told ahead may not be so any more. */
const ANSWERS_MS = 1000;

/**
 * @param {object} page
 * @param {() => void} page.begun  called when something is to be shown
 * @param {() => void} page.ended  called when it is to be shown no longer
 */
export function lookingAhead({ begun, ended }) {
  /** @type {{ model: string, unit: string, told: AheadView } | null} */
  let touched = null;
  /** @type {number | undefined} */
  let ends;

  return {
    /** Shows where a model may go, if that is known. @param {View} view @param {string} model */
    touch(view, model) {
      const told = view.ahead[model];
      if (!told) return this.drop();
      clearTimeout(ends);
      ends = setTimeout(() => this.drop(), ANSWERS_MS);
      const shown = touched?.told === told;
      touched = { model, unit: view.models[model].unit, told };
      if (!shown) begun();
    },

    /** Shows nothing ahead any more. */
    drop() {
      if (!touched) return;
      touched = null;
      clearTimeout(ends);
      ended();
    },

    /** A view with what is told ahead in it, until it says that itself. @param {View} view @returns {View} */
    show(view) {
      const move = view.move.move;
      if (!touched || !move) return view;
      const shapes = Object.entries(view.shapes);
      if (move.model === touched.model && shapes.some(([, { layer }]) => layer === "zone")) {
        touched = null;
        return view;
      }
      const { model, unit, told } = touched;
      const others = shapes.filter(([, { layer }]) => layer !== "zone");
      const ahead = told.shapes.map((shape, at) => [`ahead:${at}`, shape]);
      return {
        ...view,
        shapes: Object.fromEntries([...ahead, ...others]),
        move: { move: { ...move, model, unit, limit_mm: told.limit_mm } },
      };
    },
  };
}
