// @ts-check
// The table's step: how large it is, and where the anchors lie.

/** @import { AnchorView, SetupView, View } from "../messages.js" */
/** @import { Field, Send } from "./fields.js" */
import { block, el, svg } from "../common/dom.js";
import { choice, enter, line } from "./fields.js";
import { say } from "../common/language.js";

/** Common tables, in inches. @type {[number, number][]} */
const SIZES = [[60, 44], [44, 30], [30, 22], [36, 36], [48, 48], [72, 48]];
const CORNERS = ["near-left", "near-right", "far-right", "far-left"];
/** @type {[string, string][]} */
const WAYS = [["measured", say("measured place")], ["near-left", say("near left corner")], ["near-right", say("near right corner")], ["far-right", say("far right corner")], ["far-left", say("far left corner")], ["anywhere", say("anywhere")]];
const UNIT_MM = { in: 25.4, cm: 10, mm: 1 };

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function tableStep(place, send) {
  const sizes = choice(
    SIZES.map(([width, depth]) => /** @type {[string, string]} */ ([`${width}x${depth}`, `${width} × ${depth}"`])),
    ({ entries }) => (unitOf(entries) === "in" ? `${entries.width}x${entries.depth}` : ""),
    (value) => enter(send, { unit: "in", width: value.split("x")[0], depth: value.split("x")[1] }),
  );
  const units = choice([["in", say("inches")], ["cm", say("centimetres")], ["mm", say("millimetres")]], ({ entries }) => unitOf(entries), (unit) => enter(send, { unit }));
  const width = line("width", say("Width, left to right"), send, { number: true });
  const depth = line("depth", say("Depth, away from you"), send, { number: true });
  const ways = choice(
    [["measured", say("At places that I measure"), say("the surest: the centre of each tag, from the table’s near left corner")], ["corners", say("Flush in the corners"), say("four cards in the corners, the others anywhere; a picture tells the rest")]],
    layout,
    (way) => send({ type: "setup-enter", values: laid(way, tags) }),
    "choices",
  );
  const ids = line("anchors", say("Their tags"), send, { usual: () => "580-585", hint: say("four or more; any of tag36h11 but 560-567") });
  const size = line("anchor_mm", say("Edge of their black squares, mm"), send, { usual: () => "40", number: true });
  const plan = el("div", {});
  const list = el("div", { class: "anchors" });
  place.replaceChildren(
    el("h3", {}, say("How large is it?")),
    sizes.element,
    el("div", { class: "pair" }, width.element, depth.element),
    units.element,
    el("h3", {}, say("Where do the anchors lie?")),
    el("p", { class: "quiet" }, say("Anchors are printed tags that stay on the table, so that the camera knows where it is. Lay them flat, their upper edges away from you.")),
    ways.element,
    plan,
    list,
    el("div", { class: "pair" }, ids.element, size.element),
  );
  /** @type {number[]} */
  let tags = [];
  /** @type {Row[]} */
  let rows = [];
  const drawn = block(plan, planOf);
  return ({ setup: { setup } }) => {
    for (const field of [sizes, units, width, depth, ways, ids, size]) field.show(setup);
    const now = setup.anchors.map(({ tag }) => tag);
    if (String(now) !== String(tags)) {
      tags = now;
      rows = tags.map((tag) => row(tag, send));
      list.replaceChildren(heads(), ...rows.map(({ element }) => element));
    }
    rows.forEach((each, at) => each.show(setup, setup.anchors[at]));
    drawn({ anchors: setup.anchors.map(({ tag, lay, x_mm, y_mm }) => ({ tag, lay, x_mm, y_mm })), size: sizeOf(setup) });
  };
}

/** @param {SetupView["entries"]} entries @returns {"in" | "cm" | "mm"} */
const unitOf = ({ unit }) => (unit === "cm" || unit === "mm" ? unit : "in");

/** The table's measures in millimetres, as far as they are numbers. @param {SetupView} setup @returns {[number, number] | null} */
function sizeOf({ entries, wrong }) {
  if (!entries.width || !entries.depth || wrong.width || wrong.depth) return null;
  const mm = (/** @type {string} */ text) => Number(text.replace(",", ".")) * UNIT_MM[unitOf(entries)];
  return [mm(entries.width), mm(entries.depth)];
}

/** @param {SetupView} setup */
function layout({ anchors }) {
  if (anchors.every(({ lay }) => lay === "measured")) return "measured";
  return anchors.every(({ lay }, at) => lay === (CORNERS[at] ?? "anywhere")) ? "corners" : "";
}

/** @param {string} way @param {number[]} tags */
const laid = (way, tags) => Object.fromEntries(tags.map((tag, at) => [`lay.${tag}`, way === "corners" ? (CORNERS[at] ?? "anywhere") : ""]));

const heads = () => el("div", { class: "anchor heads", "aria-hidden": "true" }, el("span", {}, say("No.")), el("span", {}, say("lies")), el("span", {}, say("x, mm")), el("span", {}, say("y, mm")));

/** @typedef {{ element: HTMLElement, show: (setup: SetupView, anchor: AnchorView) => void }} Row */

/** @param {number} tag @param {Send} send @returns {Row} */
function row(tag, send) {
  const way = el("select", { "aria-label": say("Anchor {tag} lies", { tag }), "data-key": `lay.${tag}`, onchange: () => enter(send, { [`lay.${tag}`]: way.value }) }, ...WAYS.map(([value, words]) => el("option", { value }, words)));
  /** @type {AnchorView | null} */
  let shown = null;
  const usual = (/** @type {"x_mm" | "y_mm"} */ key) => () => (shown?.[key] === null || !shown ? "" : String(Math.round(shown[key] ?? 0)));
  const x = line(`x.${tag}`, say("Anchor {tag}, x in millimetres", { tag }), send, { number: true, bare: true, usual: usual("x_mm") });
  const y = line(`y.${tag}`, say("Anchor {tag}, y in millimetres", { tag }), send, { number: true, bare: true, usual: usual("y_mm") });
  const wrong = el("span", { class: "wrong" });
  return {
    element: el("div", { class: "anchor" }, el("strong", {}, String(tag)), way, x.element, y.element, wrong),
    show(setup, anchor) {
      shown = anchor;
      if (document.activeElement !== way) way.value = anchor.lay;
      for (const [field, name] of /** @type {[Field, string][]} */ ([[x, "x"], [y, "y"]])) {
        field.element.hidden = anchor.lay !== "measured";
        field.show(setup);
        field.element.setAttribute("aria-invalid", String(Boolean(setup.wrong[`${name}.${tag}`])));
      }
      wrong.textContent = setup.wrong[`lay.${tag}`] ?? setup.wrong[`x.${tag}`] ?? setup.wrong[`y.${tag}`] ?? "";
      wrong.hidden = !wrong.textContent;
    },
  };
}

/** The table from above, with the anchors where they are to lie. @param {{ anchors: { tag: number, lay: string, x_mm: number | null, y_mm: number | null }[], size: [number, number] | null }} data */
function planOf({ anchors, size }) {
  if (!size) return [];
  const [width, depth] = size;
  const cards = anchors.flatMap(({ tag, lay, x_mm, y_mm }) => {
    const at = x_mm !== null && y_mm !== null ? [x_mm, y_mm] : CORNERS.includes(lay) ? [lay.endsWith("left") ? 25 : width - 25, lay.startsWith("near") ? 25 : depth - 25] : null;
    if (!at) return [];
    const [x, y] = [at[0], depth - at[1]];
    return [
      svg("g", {}, svg("rect", { class: "card-of", x: x - 25, y: y - 25, width: 50, height: 50 }), svg("rect", { class: "ink", x: x - 20, y: y - 20, width: 40, height: 40 }), label(tag, x, y, depth)),
    ];
  });
  return [svg("svg", { class: "plan", viewBox: `-20 -20 ${width + 40} ${depth + 90}`, role: "img", "aria-label": say("The table from above, with its anchors") }, svg("rect", { class: "ground", x: 0, y: 0, width, height: depth }), ...cards, words(say("you stand here"), width / 2, depth + 55))];
}

/** @param {number} tag @param {number} x @param {number} y @param {number} depth */
const label = (tag, x, y, depth) => words(String(tag), Math.max(x, 40), y > depth / 2 ? y - 40 : y + 75);

/** @param {string} text @param {number} x @param {number} y */
function words(text, x, y) {
  const made = svg("text", { x, y });
  made.textContent = text;
  return made;
}
