// @ts-check
// What units may come to threaten: shown for the picked unit on request, with the range that a person enters.

/** @import { FromPage, ThreatView, View } from "../messages.js" */
import { block, el, icon, said } from "../common/dom.js";
import { say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";
import { houseRule } from "./house-rule.js";

const MM = { in: 25.4, cm: 10 };
const UNITS = { in: say("inches"), cm: say("centimetres") };

/**
 * Builds the block; the function returned shows a view in it.
 * @param {HTMLElement} place
 * @param {(message: FromPage) => unknown} send
 */
export function threats(place, send) {
  /** @type {View | null} */
  let view = null;
  let asking = false;
  let typed = "";
  const fill = block(place, build);

  /** The picked unit's toggle. */
  function ask() {
    const unit = view?.move.move?.unit;
    const rules = view && !onlyLooks(view) ? view.measuring.measuring : null;
    if (!view || !unit || !rules) return;
    if (view.threats[unit]) send({ type: "hide-threat", unit });
    else if (rules.allowed) show(unit);
    else asking = true;
    refresh();
  }

  /** @param {string} unit */
  function show(unit) {
    const length = view?.table.table?.unit ?? "in";
    const range = Number(typed);
    const range_mm = typed.trim() === "" || !(range >= 0) ? null : range * MM[length];
    send({ type: "show-threat", unit, range_mm });
  }

  function refresh() {
    if (!view) return;
    const unit = view.move.move?.unit ?? null;
    const rules = onlyLooks(view) ? null : (view.measuring.measuring ?? null);
    fill({ unit, rules, shown: view.threats, asking, length: view.table.table?.unit ?? "in" });
  }

  /** @param {{ unit: string | null, rules: View["measuring"][string] | null, shown: View["threats"], asking: boolean, length: "in" | "cm" }} data */
  function build({ unit, rules, shown, asking, length }) {
    const list = Object.entries(shown).map(([id, threat]) => row(id, threat, rules !== null));
    if (!unit || !rules) return list.length ? [el("h2", {}, say("Threat ranges")), ...list] : [];
    const on = Boolean(shown[unit]);
    if (asking && !rules.allowed) return [el("h2", {}, say("Threat range")), houseRule(rules, send), ...list];
    const enter = el("input", {
      "data-key": "threat-range",
      type: "number",
      min: "0",
      max: "390",
      step: "any",
      inputmode: "decimal",
      value: typed,
      placeholder: "engagement",
      oninput: () => (typed = enter.value),
      onchange: () => on && unit && show(unit),
    });
    return [
      el(
        "div",
        { class: "threat-entry" },
        el(
          "button",
          { class: "small", "data-key": "threat", "aria-pressed": String(on), "aria-keyshortcuts": "t", onclick: ask },
          icon("threat"),
          on ? say("Hide threat") : say("Show threat"),
        ),
        el("label", { class: "entry" }, say("Its range, {units}", { units: UNITS[length] }), enter),
      ),
      ...list,
    ];
  }

  /** @param {string} unit @param {ThreatView} threat @param {boolean} may */
  function row(unit, threat, may) {
    return el(
      "div",
      { class: "tape" },
      icon("threat"),
      el(
        "span",
        { class: "grow" },
        el("strong", {}, threat.text || unit),
        threat.note && el("small", {}, threat.note),
        threat.working && el("small", { role: "status" }, say("calculating …")),
      ),
      may && el(
        "button",
        { class: "small", "data-key": `hide-${unit}`, "aria-label": say("Hide the threat of {unit}", { unit }), onclick: () => send({ type: "hide-threat", unit }) },
        icon("illegal"),
      ),
    );
  }

  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.matches("input, select");
    if (event.key.toLowerCase() !== "t" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    ask();
  });

  return (/** @type {View} */ now) => {
    if (now.move.move?.unit !== view?.move.move?.unit) {
      asking = false;
      typed = rangeShown(now);
    }
    view = now;
    refresh();
  };
}

/** The range that the picked unit's threat is shown with, as it is typed. @param {View} view */
function rangeShown(view) {
  const range_mm = view.threats[view.move.move?.unit ?? ""]?.range_mm ?? null;
  return range_mm === null ? "" : String(parseFloat(said(range_mm, view.table.table?.unit ?? "in")));
}
