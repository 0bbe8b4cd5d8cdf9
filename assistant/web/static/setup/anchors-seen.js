// @ts-check
// The anchors drawn over the camera's picture: which are found, how far each lies from where it is said to, and which the
// others contradict.

/** @import { AnchorView, View } from "../messages.js" */
import { block, svg } from "../common/dom.js";
import { localised, say } from "../common/language.js";

/** What an anchor strays by is drawn so many times as long: a millimetre is a pixel or two of the picture. */
const TIMES = 40;
/** An error that is told beside the number. */
const TOLD_MM = 0.5;
/** Of an error that is drawn at all. */
const LEAST = 0.002;

/**
 * Builds the drawing; the function returned shows a view in it.
 * @param {HTMLElement} place  over the picture, as large @param {HTMLImageElement} picture
 */
export function anchorsSeen(place, picture) {
  const fill = block(place, (/** @type {{ anchors: AnchorView[], width: number, height: number }} */ { anchors, width, height }) => [
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said(anchors) }, ...anchors.map((anchor) => drawn(anchor, width, height))),
  ]);
  /** @type {AnchorView[]} */
  let anchors = [];
  const show = () => fill({ anchors, width: picture.naturalWidth || 1920, height: picture.naturalHeight || 1080 });
  picture.addEventListener("load", show); // it may come after the anchors, with another shape than was assumed
  return (/** @type {View} */ view) => {
    anchors = view.setup.setup?.anchors.filter(({ corners }) => corners.length) ?? [];
    show();
  };
}

/** @param {AnchorView[]} anchors */
function said(anchors) {
  if (!anchors.length) return say("No anchor is seen");
  const each = (/** @type {AnchorView} */ { tag, off_mm, left_out }) => {
    const seen = say(left_out ? "anchor {tag} is left out" : "anchor {tag} is seen", { tag });
    return off_mm === null ? seen : `${seen}, ${say("{length} mm off", { length: off_mm.toFixed(2) })}`;
  };
  return anchors.map(each).join("; ");
}

/** @param {AnchorView} anchor @param {number} width @param {number} height */
function drawn({ tag, off_mm, corners, expected, left_out }, width, height) {
  const points = corners.map(([x, y]) => [x * width, y * height]);
  const middle = [0, 1].map((at) => points.reduce((sum, point) => sum + point[at], 0) / points.length);
  const size = height / 20;
  // Of one that lies right its number says enough; the list beside has all figures.
  const told = off_mm !== null && (left_out || off_mm >= TOLD_MM) ? localised(`${tag} · ${off_mm.toFixed(1)} mm`) : String(tag);
  const half = 0.32 * told.length * size;
  const words = svg("text", { x: Math.min(Math.max(middle[0], half), width - half), y: Math.max(...points.map(([, y]) => y)) + 1.1 * size, "font-size": size });
  words.textContent = told;
  const parts = [svg("polygon", { points: points.map(String).join(" ") }), words];
  if (expected) {
    const [dx, dy] = [middle[0] - expected[0] * width, middle[1] - expected[1] * height];
    // What lies quite elsewhere is shown as it is; an arrow of forty times would leave the picture.
    const times = Math.min(TIMES, (0.2 * height) / Math.max(1e-9, Math.hypot(dx, dy)));
    const [x, y] = [middle[0] + dx * times, middle[1] + dy * times];
    if (Math.hypot(dx, dy) * times > LEAST * height) parts.push(arrow(middle[0], middle[1], x, y, size / 2));
  }
  return svg("g", { class: left_out ? "outlier" : "" }, ...parts);
}

/** @param {number} x @param {number} y @param {number} to_x @param {number} to_y @param {number} size  of its head */
function arrow(x, y, to_x, to_y, size) {
  const turn = Math.atan2(to_y - y, to_x - x);
  const back = (/** @type {number} */ by) => `${to_x - size * Math.cos(turn + by)} ${to_y - size * Math.sin(turn + by)}`;
  return svg("path", { d: `M ${x} ${y} L ${to_x} ${to_y} M ${back(0.5)} L ${to_x} ${to_y} L ${back(-0.5)}` });
}
