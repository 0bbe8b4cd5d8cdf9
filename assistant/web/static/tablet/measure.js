// @ts-check
// The measuring tool: touch one thing, then another, or draw from one to the other; and the tapes that lie on the table.

/** @import { End, FromPage, MeasuringView, TapeView, View } from "../messages.js" */
/** @import { Mapping, Point } from "../common/geometry.js" */
import { block, byId, el, icon } from "../common/dom.js";
import { inPixels } from "../common/draw.js";
import { inside, modelAt, toScreen } from "../common/geometry.js";
import { say } from "../common/language.js";
import { toast } from "../common/toast.js";
import { lengthOf } from "../common/way.js";
import { onlyLooks } from "../common/you.js";
import { houseRule } from "./house-rule.js";

/** @typedef {"models" | "units" | "points"} Grasp  what a touch takes hold of */

/** @type {Record<Grasp, string>} */
const GRASPS = { models: say("Models and terrain"), units: say("Whole units"), points: say("Points") };
/** @typedef {{ tapes: View["tapes"], length: "in" | "cm", may: boolean }} Lying  the tapes on the table, and whether they may be taken away here */

/**
 * Builds the tool.
 * @param {{ send: (message: FromPage) => unknown, changed: () => void }} page
 */
export function measuring({ send, changed }) {
  /** @type {View | null} */
  let view = null;
  let on = false;
  /** @type {Grasp} */
  let grasp = "models";
  /** @type {End | null} the first thing, once it is chosen */
  let first = null;
  /** @type {Point | null} where a finger draws to, millimetres */
  let pointer = null;
  /** What is chosen by name so far. */
  const chosen = { From: "", To: "" };
  const fill = block(byId("measure"), card);
  const lying = block(byId("measured"), list);
  const tool = block(byId("tools"), (/** @type {{ on: boolean, shown: boolean }} */ data) => [
    data.shown &&
      el(
        "button",
        { "data-key": "measure", "aria-pressed": String(data.on), "aria-keyshortcuts": "m", onclick: () => turn(!on) },
        icon("tape"),
        el("span", {}, say("Measure")),
      ),
  ]);

  /** @param {boolean} now */
  function turn(now) {
    on = now && Boolean(view?.measuring.measuring && !onlyLooks(view));
    first = pointer = null;
    refresh();
    if (on) byId("measure").scrollIntoView({ block: "nearest" });
  }

  /** Lets keys go on where the next choice is. */
  function focus() {
    const card = byId("measure");
    /** @type {HTMLElement | null} */ (card.querySelector("select") ?? card.querySelector("button"))?.focus();
  }

  function refresh() {
    if (!view) return;
    const rules = onlyLooks(view) ? null : (view.measuring.measuring ?? null);
    tool({ on, shown: rules !== null });
    const length = view.table.table?.unit ?? "in";
    const tapes = { tapes: view.tapes, length, may: rules !== null };
    fill(on && rules ? { ...tapes, rules, grasp, first, things: things(view) } : null);
    lying(on ? null : tapes); // what lies on the table is no matter of now: it leaves the sheet's top to the move
    changed();
  }

  const allowed = () => Boolean(view?.measuring.measuring?.allowed);

  /** @param {End} end */
  function choose(end) {
    if (!allowed()) return focus(); // the house rule stands there
    if (first === null) first = end;
    else {
      send({ type: "measure", ends: [first, end] });
      first = null;
    }
    refresh();
  }

  /** The tapes that lie on the table. @param {Lying | null} data */
  function list(data) {
    const tapes = rows(data);
    return tapes.length ? [el("h2", {}, say("Measured")), ...tapes] : [];
  }

  /** @param {Lying | null} data */
  function rows(data) {
    if (!data) return [];
    const { length, may } = data;
    const tapes = Object.entries(data.tapes).map(([number, tape]) => row(number, tape, length, may));
    const all = el("button", { class: "small", "data-key": "unmeasure", onclick: () => send({ type: "unmeasure" }) }, say("Remove all tapes"));
    return may && tapes.length > 1 ? [...tapes, all] : tapes;
  }

  /** @param {(Lying & { rules: MeasuringView, grasp: Grasp, first: End | null, things: [string, End][] }) | null} data */
  function card(data) {
    if (!data) return [];
    const done = el("button", { class: "small", "data-key": "measured", onclick: () => turn(false) }, say("Done"));
    const heading = el("div", { class: "heading" }, el("h2", { class: "grow" }, say("Measure")), done);
    if (!data.rules.allowed) return [heading, houseRule(data.rules, send)];
    const step = data.first
      ? say("From {first}. Now touch what to measure to.", { first: named(data.first) })
      : say("Touch what to measure from, or draw from one thing to another.");
    const chip = (/** @type {Grasp} */ each) =>
      el(
        "button",
        { class: "small", "data-key": `grasp-${each}`, "aria-pressed": String(each === data.grasp), onclick: () => ((grasp = each), refresh()) },
        GRASPS[each],
      );
    return [
      heading,
      el("p", { class: "note", role: "status" }, step),
      ...rows(data),
      el("div", { class: "chips" }, .../** @type {Grasp[]} */ (Object.keys(GRASPS)).map(chip)),
      byName(data.things),
      houseRule(data.rules, send),
    ];
  }

  /** Both things chosen by name: the way without touching the table. @param {[string, End][]} things */
  function byName(things) {
    const [from, to] = /** @type {const} */ (["From", "To"]).map((end) => {
      const label = end === "From" ? say("From") : say("To");
      const options = things.map(([name]) => el("option", { value: name, selected: name === chosen[end] }, name));
      const choice = el(
        "select",
        { "data-key": `end-${end}`, "aria-label": label, onchange: () => (chosen[end] = choice.value) },
        el("option", { value: "" }, `${label} …`),
        ...options,
      );
      return choice;
    });
    const lay = () => {
      const [a, b] = [chosen.From, chosen.To].map((name) => things.find((thing) => thing[0] === name)?.[1]);
      if (a && b) send({ type: "measure", ends: [a, b] });
      else toast(say("Choose what to measure from and what to measure to."));
    };
    return el(
      "div",
      { class: "by-name" },
      from,
      to,
      el("button", { class: "small", "data-key": "lay", onclick: lay }, say("Measure these")),
    );
  }

  /** @param {string} number @param {TapeView} tape @param {"in" | "cm"} length @param {boolean} may */
  function row(number, tape, length, may) {
    const between = tape.ends.join(" – ");
    return el(
      "div",
      { class: "tape" },
      icon("tape"),
      el("span", { class: "grow" }, el("strong", {}, lengthOf(tape, length)), el("small", {}, tape.note ? `${between}: ${tape.note}` : between)),
      may && el(
        "button",
        { class: "small", "data-key": `unmeasure-${number}`, "aria-label": say("Remove the tape {between}", { between }), onclick: () => send({ type: "unmeasure", tape: number }) },
        icon("illegal"),
      ),
    );
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches("input, select")) {
      if (event.key === "Escape") turn(false);
      return;
    }
    if (event.key.toLowerCase() === "m") {
      event.preventDefault(); // the list that is focused would look for it
      turn(!on);
      if (on) focus();
    } else if (event.key === "Escape" && on) {
      if (first) ((first = null), refresh());
      else turn(false);
    }
  });

  /** What a touch takes hold of. @param {Point} at @param {number} slack_mm @returns {End} */
  function thingAt(at, slack_mm) {
    const model = view && grasp !== "points" ? modelAt(view, at, slack_mm) : null;
    if (view && model) return grasp === "units" ? { kind: "unit", id: view.models[model].unit } : { kind: "model", id: model };
    const piece = view && grasp !== "points" && Object.entries(view.terrain).find(([, { outline_mm }]) => inside(outline_mm, at));
    return piece ? { kind: "terrain", id: piece[0] } : { kind: "point", x_mm: at.x, y_mm: at.y };
  }

  return {
    /** Whether touches measure, rather than pick and push. */
    active: () => on,

    /** @param {View} now */
    show(now) {
      view = now;
      if (on && !now.measuring.measuring) on = false;
      refresh();
    },

    /** @param {Point} at  millimetres @param {number} slack_mm */
    tap(at, slack_mm) {
      choose(thingAt(at, slack_mm));
    },

    /** Draws from one thing to another. @param {Point} at  millimetres @param {number} slack_mm */
    drag(at, slack_mm) {
      return {
        to: (/** @type {Point} */ to) => {
          if (!allowed()) return;
          first ??= thingAt(at, slack_mm);
          pointer = to;
          changed();
        },
        done: () => {
          const end = pointer;
          pointer = null;
          if (end && first) choose(thingAt(end, slack_mm));
        },
      };
    },

    /** Shows what is chosen so far. @param {CanvasRenderingContext2D} ctx @param {Mapping} mapping @param {View} now */
    draw(ctx, mapping, now) {
      const start = first && middle(now, first);
      if (!on || !start) return;
      inPixels(ctx);
      const from = toScreen(mapping, start.x, start.y);
      ctx.strokeStyle = "#ffe9b8";
      ctx.lineWidth = 2;
      ctx.setLineDash([7, 5]);
      ctx.beginPath();
      ctx.arc(from.x, from.y, 14, 0, 2 * Math.PI);
      if (pointer) {
        const to = toScreen(mapping, pointer.x, pointer.y);
        ctx.moveTo(from.x, from.y);
        ctx.lineTo(to.x, to.y);
      }
      ctx.stroke();
      ctx.setLineDash([]);
    },
  };
}

/** @param {End} end */
const named = (end) => end.id ?? say("a point");

/** Everything that has a name and can be measured to. @param {View} view @returns {[string, End][]} */
function things(view) {
  return [
    ...Object.entries(view.units).flatMap(([unit, { models }]) => [
      /** @type {[string, End]} */ ([say("{unit}, the nearest model", { unit }), { kind: "unit", id: unit }]),
      ...models.filter((id) => view.models[id]).map((id) => /** @type {[string, End]} */ ([id, { kind: "model", id }])),
    ]),
    ...Object.keys(view.terrain).map((id) => /** @type {[string, End]} */ ([say("{id}, terrain", { id }), { kind: "terrain", id }])),
  ];
}

/** About where a thing is, millimetres. @param {View} view @param {End} end @returns {Point | null} */
function middle(view, { kind, id, x_mm, y_mm }) {
  if (kind === "point") return { x: x_mm ?? 0, y: y_mm ?? 0 };
  const models = kind === "unit" ? (view.units[id ?? ""]?.models ?? []) : [id ?? ""];
  const places = kind === "terrain" ? (view.terrain[id ?? ""]?.outline_mm ?? []) : models.flatMap((each) => placeOf(view, each));
  const sum = places.reduce((total, [x, y]) => [total[0] + x, total[1] + y], [0, 0]);
  return places.length ? { x: sum[0] / places.length, y: sum[1] / places.length } : null;
}

/** @param {View} view @param {string} model @returns {[number, number][]} */
const placeOf = (view, model) => (view.models[model] ? [[view.models[model].x_mm, view.models[model].y_mm]] : []);
