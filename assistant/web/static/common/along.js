// @ts-check
// Shapes that go along with a model: they are told once, in its own frame, and placed where it stands now.

/** @import { ModelView, View } from "../messages.js" */
import { inTable } from "./geometry.js";

/**
 * Returns a view's shapes in the table's frame, without those whose model is not there; the same object where none
 * goes along with a model, and the same shapes otherwise.
 * @param {View} view
 * @returns {View["shapes"]}
 */
export function placed({ shapes, models }) {
  const entries = Object.entries(shapes);
  if (entries.every(([, { on }]) => on === null)) return shapes;
  return Object.fromEntries(
    entries.flatMap(([key, shape]) => {
      if (shape.on === null) return [[key, shape]];
      /** @type {ModelView | undefined} */
      const model = models[shape.on];
      return model ? [[key, { ...shape, rings_mm: shape.rings_mm.map((ring) => inTable(model, ring)) }]] : [];
    }),
  );
}
