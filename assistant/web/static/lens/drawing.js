// @ts-check
// What is drawn over the camera's picture: the board now, where to hold it, and what was covered.

/** @import { LensView } from "../messages.js" */
import { svg } from "../common/dom.js";
import { say } from "../common/language.js";

/** @typedef {[number, number][]} Points */

/**
 * @param {{ lens: LensView | null, corners: Points, picked: number | null }} data
 * @param {(number: number | null) => void} pick  called with a view that is tapped
 */
export function drawing({ lens, corners, picked }, pick) {
  if (!lens || !lens.width_px) return [];
  const { width_px: width, height_px: height, columns, rows } = lens;
  const [w, h] = [width / columns, height / rows];
  const taking = lens.step === "taking";
  const cells = lens.covered.map((covered, cell) =>
    svg("rect", { class: covered ? "covered" : "bare", x: (cell % columns) * w, y: Math.floor(cell / columns) * h, width: w, height: h }),
  );
  const shots = lens.shots.map(({ number, outline_px, counts }) => {
    const shape = svg("polygon", { class: number === picked ? "shot picked" : counts ? "shot" : "shot odd", points: outline_px.join(" ") });
    shape.addEventListener("click", () => pick(number));
    return shape;
  });
  const target = taking && lens.target_px.length > 0 ? asked(lens) : [];
  const dots = corners.map(([x, y]) => svg("circle", { class: "corner", cx: x, cy: y, r: width / 270 }));
  const parts = [svg("g", {}, ...cells), svg("g", {}, ...shots), ...target, svg("g", { class: "corners" }, ...dots)];
  return [svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words(lens, corners.length) }, ...parts)];
}

const EDGES = { upper: 0, right: 1, lower: 2, left: 3 };

/** Where to hold the board, its edge nearer to the camera drawn strong. @param {LensView} lens */
function asked({ target_px: corners, nearer }) {
  const outline = svg("polygon", { class: "target", points: corners.join(" ") });
  if (nearer === null) return [outline];
  const [from, to] = [corners[EDGES[nearer]], corners[(EDGES[nearer] + 1) % 4]];
  return [outline, svg("line", { class: "nearer", x1: from[0], y1: from[1], x2: to[0], y2: to[1] })];
}

/** @param {LensView} lens @param {number} corners */
function words({ covered }, corners) {
  const done = covered.filter(Boolean).length;
  const seen = corners ? say("{corners} corners of the board are seen", { corners }) : say("no board is seen");
  return say("{done} of {all} parts of the picture are covered; {seen}", { done, all: covered.length, seen });
}
