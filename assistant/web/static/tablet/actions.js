// @ts-check
// What the picked unit may do, and which models failed tests cost.

/** @import { Told } from "./fields.js" */
/** @import { FromPage, MoveView, View } from "../messages.js" */
import { el, icon, said } from "../common/dom.js";
import { diceEntry } from "./dice.js";
import { fieldEntry, keptBy } from "./fields.js";
import { named, say, sayCount } from "../common/language.js";

/**
 * Builds the list of actions, the announced one with its fields.
 * @param {(message: FromPage) => unknown} send  returns true once it is sent
 * @param {(action: string) => void} announcing  called when one is announced here
 */
export function actionEntry(send, announcing) {
  const entry = fieldEntry(send);
  const dice = diceEntry(send);
  return actionList;

  /** @param {{ told: Told, tests: number, actions: View["actions"], fields: View["fields"], length: "in" | "cm" } | null} data */
  function actionList(data) {
    if (!data) return [];
    const { told, tests, fields, length } = data;
    const { unit, model, intent } = told;
    return Object.entries(data.actions).flatMap(([id, action]) => [
      el(
        "button",
        {
          class: "row action",
          "data-key": id,
          "aria-label": action.label,
          "aria-description": action.because.map((why) => reasonOf(why, named(unit))).join(". "),
          "aria-pressed": String(id === told.action),
          disabled: !action.allowed,
          onclick: () => {
            announcing(id);
            send({ type: "declare", unit, model, action: id, intent: keptBy(intent, action.takes) });
          },
        },
        el(
          "span",
          { class: "grow" },
          el("strong", {}, action.label),
          action.reason && el("small", {}, action.reason),
          ...action.because.map((why) => el("small", {}, reasonOf(why, named(unit)))),
        ),
        action.dice > 0 && el("span", { class: "count" }, icon("dice"), action.dice > 1 && String(action.dice)),
        action.limit_mm !== null && action.limit_mm > 0 && el("span", { class: "count" }, say("up to {limit}", { limit: said(action.limit_mm, length) })),
      ),
      // Beneath what was touched, which stays where it is.
      ...(id === told.action ? [el("div", { id: "dice" }, ...dice({ told, tests, action })), ...entry(told, fields)] : []),
    ]);
  }
}

/** A reason why a unit may not, beneath its name, which need not be said again. @param {string} why @param {string} unit  as sentences call it */
function reasonOf(why, unit) {
  const said = [say("{unit} is ", { unit }), say("{unit} are ", { unit }), `${unit} `].find((beginning) => why.startsWith(beginning)) ?? "";
  const rest = why.slice(said.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Builds the choice of models that are lost. @param {(message: FromPage) => unknown} send */
export function lossEntry(send) {
  return lossList;

  /** The models that failed tests cost. @param {{ move: MoveView, models: string[] } | null} data */
  function lossList(data) {
    if (!data) return [];
    const { unit, action, model, rolls, intent, lost, costs } = data.move;
    const choose = (/** @type {string} */ id) =>
      lost.includes(id) ? lost.filter((other) => other !== id) : [...lost, id].slice(-costs);
    return [
      el("h3", {}, sayCount(costs, "Which model is lost?", "Which {n} models are lost?")),
      el(
        "div",
        { class: "chips" },
        ...data.models.map((id) =>
          el(
            "button",
            {
              class: "small",
              "data-key": `lose-${id}`,
              "aria-pressed": String(lost.includes(id)),
              onclick: () => unit && send({ type: "declare", unit, action, model, rolls, intent, lost: choose(id) }),
            },
            named(id),
          ),
        ),
      ),
    ];
  }
}
