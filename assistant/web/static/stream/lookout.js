// @ts-check
// Where on a page the table is that a camera sees, when the page shows exactly what is in its picture.

/** @import { LookoutView, TableView } from "../messages.js" */
/** @import { Edge } from "../common/reading.js" */
/** @import { Warp } from "../common/warp.js" */
import { warpThrough } from "../common/warp.js";

/** @type {Edge[]} by the quarter turns that words are turned clockwise for who sits there */
const EDGES = ["near", "left", "far", "right"];
/** Nearer to the lens than this (mm) nothing is looked at. */
const NEAREST_MM = 1;

/**
 * The warp from places at a height over the table to the pixels of a canvas that the whole picture is fitted into.
 * @param {LookoutView} lookout @param {number} width @param {number} height  of the canvas @param {number} z_mm
 * @returns {Warp}
 */
export function warpOver({ image_size, camera_from_table: m, focal_px, centre_px, distortion, model }, width, height, z_mm = 0) {
  const scale = Math.min(width / image_size[0], height / image_size[1]);
  const [left, top] = [(width - scale * image_size[0]) / 2, (height - scale * image_size[1]) / 2];
  const [k1, k2, p1, p2, k3] = distortion;
  const furthest = bendsBack(k1, k2, k3);
  return warpThrough((x_mm, y_mm) => {
    const row = (/** @type {number} */ at) => m[at] * x_mm + m[at + 1] * y_mm + m[at + 2] * z_mm + m[at + 3];
    const [aside, down, ahead] = [row(0), row(4), row(8)];
    const reach = Math.hypot(aside, down);
    // A fisheye shows what is seen under an angle as far from the middle as the angle, not as its tangent.
    const share = model === "fisheye" && reach > 0 ? Math.atan2(reach, ahead) / reach : 1 / Math.max(NEAREST_MM, ahead);
    const [x, y] = [share * aside, share * down];
    // Far outside of the picture the lens's formula turns back into it: from there on straight away instead.
    const beyond = Math.max(1, Math.hypot(x, y) / furthest);
    const [a, b] = [x / beyond, y / beyond];
    const r2 = a * a + b * b;
    const swell = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
    const u = beyond * (a * swell + 2 * p1 * a * b + p2 * (r2 + 2 * a * a));
    const v = beyond * (b * swell + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b);
    // The calibration counts pixels from the middle of the first, a canvas from its corner.
    return [left + scale * (focal_px[0] * u + centre_px[0] + 0.5), top + scale * (focal_px[1] * v + centre_px[1] + 0.5)];
  });
}

/** How far from the middle a lens's formula goes outwards, in the unit of its distortion. @param {number} k1 @param {number} k2 @param {number} k3 */
function bendsBack(k1, k2, k3) {
  for (let r = 0.02; r < 4; r += 0.02) {
    const r2 = r * r;
    if (1 + r2 * (3 * k1 + r2 * (5 * k2 + r2 * 7 * k3)) < 0.05) return r;
  }
  return Infinity;
}

/** The edge of the table for whose reader words are upright in the picture. @param {Warp} warp @param {TableView} table @returns {Edge} */
export function uprightEdge(warp, { width_mm, depth_mm }) {
  const [along, down] = warp.slope(width_mm / 2, depth_mm / 2);
  const quarters = Math.round(-Math.atan2(down, along) / (Math.PI / 2));
  return EDGES[(quarters + 4) % 4];
}
