// @ts-check
// The words beside the table: units, actions, dice, the verdict and its findings.

/** @import { ActionView, FindingView, FromPage, View } from "./messages.js" */
import { block, byId, el, icon, inches } from "./dom.js";
import { OUTCOMES } from "./words.js";

/**
 * Builds the panel; the function returned shows a view in it.
 * @param {(message: FromPage) => void} send
 */
export function panel(send) {
  const units = block(byId("units"), unitList);
  const picked = block(byId("picked"), pickedUnit);
  const actions = block(byId("actions"), actionList);
  const dice = block(byId("dice"), diceEntry);
  const verdict = block(byId("verdict"), verdictCard);
  const findings = block(byId("findings"), findingList);
  const commands = block(byId("commands"), commandBar);

  /** @param {View} view */
  return (view) => {
    const move = view.move.move;
    const unit = move?.unit ?? null;
    const frozen = view.table.table?.replay ?? false;
    const action = move?.action ? view.actions[move.action] : undefined;
    units(unit === null ? { units: view.units, palette: view.palette, frozen } : null);
    picked(
      unit === null || !view.units[unit]
        ? null
        : { id: unit, unit: view.units[unit], model: move.model, colour: colour(view, unit), states: states(view, unit) },
    );
    actions(unit === null || frozen ? null : { unit, model: move.model, chosen: move.action, actions: view.actions });
    dice(
      unit === null || frozen || !move.action || !action?.dice
        ? null
        : { unit, model: move.model, action: move.action, label: action.label, needed: action.dice, rolls: move.rolls },
    );
    verdict(move ? { outcome: move.outcome, note: move.note, moved: move.moved.length } : null);
    findings(Object.values(view.findings));
    commands(frozen || !move ? null : { picked: unit !== null, acceptable: move.action !== null || move.moved.length > 0 });
  };

  /** @param {{ units: View["units"], palette: View["palette"], frozen: boolean } | null} data */
  function unitList(data) {
    if (!data) return [];
    const players = [...new Set(Object.values(data.units).map((unit) => unit.player))];
    return [
      el("p", { class: "quiet" }, data.frozen ? "A recorded game" : "Touch a model on the table, or choose a unit."),
      ...players.flatMap((player) => [
        el("h2", {}, player),
        ...Object.entries(data.units)
          .filter(([, unit]) => unit.player === player)
          .map(([id, unit]) =>
            el(
              "button",
              { class: "row", "data-key": id, disabled: data.frozen, onclick: () => send({ type: "declare", unit: id }) },
              dot(data.palette[`side-${unit.side % 4}`]?.fill),
              el("span", { class: "grow" }, el("strong", {}, id), el("small", {}, unit.keywords.join(", "))),
              el("span", { class: "count" }, `${unit.models.length} ${unit.models.length === 1 ? "model" : "models"}`),
            ),
          ),
      ]),
    ];
  }

  /** @param {{ id: string, unit: View["units"][string], model: string | null, colour: string, states: string[] } | null} data */
  function pickedUnit(data) {
    if (!data) return [];
    const { unit } = data;
    return [
      el(
        "div",
        { class: "heading" },
        dot(data.colour),
        el("h2", { class: "grow" }, data.id),
        el("span", { class: "quiet" }, [unit.player, ...unit.status].join(" · ")),
      ),
      data.model && el("p", { class: "quiet" }, data.model),
      ...data.states.map((text) => el("p", { class: "warning" }, text)),
    ];
  }

  /** @param {{ unit: string, model: string | null, chosen: string | null, actions: Record<string, ActionView> } | null} data */
  function actionList(data) {
    if (!data) return [];
    return Object.entries(data.actions).map(([id, action]) =>
      el(
        "button",
        {
          class: "row action",
          "data-key": id,
          "aria-pressed": String(id === data.chosen),
          disabled: !action.allowed,
          onclick: () => send({ type: "declare", unit: data.unit, model: data.model, action: id }),
        },
        el(
          "span",
          { class: "grow" },
          el("strong", {}, action.label),
          ...action.because.map((why) => el("small", {}, why)),
        ),
        action.dice > 0 && el("span", { class: "count" }, icon("dice"), action.dice > 1 && String(action.dice)),
        action.limit_mm !== null && action.limit_mm > 0 && el("span", { class: "count" }, `up to ${inches(action.limit_mm)}`),
      ),
    );
  }

  /** @param {{ unit: string, model: string | null, action: string, label: string, needed: number, rolls: number[] } | null} data */
  function diceEntry(data) {
    if (!data) return [];
    const { unit, model, action, label, needed, rolls } = data;
    const enter = (/** @type {number[]} */ now) => send({ type: "declare", unit, model, action, rolls: now });
    const title = needed === 1 ? `${label}: the die` : `${label}: the ${needed} dice`;
    if (rolls.length >= needed) {
      return [
        el(
          "div",
          { class: "heading" },
          el("h3", { class: "grow" }, title),
          ...rolls.map((roll) => el("span", { class: "die" }, String(roll))),
          el("button", { class: "small", "data-key": "again", onclick: () => enter([]) }, "Change"),
        ),
      ];
    }
    const missing = needed - rolls.length;
    return [
      el("h3", {}, rolls.length ? `${title} – ${rolls.join(", ")} and …` : title),
      el(
        "div",
        { class: "pips" },
        ...[1, 2, 3, 4, 5, 6].map((n) =>
          el("button", { "data-key": `die-${n}`, "aria-label": `Rolled a ${n}`, onclick: () => enter([...rolls, n]) }, `${n}`),
        ),
        el("button", { class: "roll", "data-key": "roll", onclick: () => enter([...rolls, ...roll(missing)]) }, icon("dice"), "Roll"),
      ),
    ];
  }

  /** @param {{ outcome: FindingView["outcome"] | null, note: string, moved: number } | null} data */
  function verdictCard(data) {
    if (!data) return [];
    const count = data.moved === 0 ? "nothing has moved" : `${data.moved} ${data.moved === 1 ? "model" : "models"} moved`;
    return [
      data.outcome &&
        el(
          "div",
          { class: "verdict", "data-outcome": data.outcome },
          icon(data.outcome),
          el("span", { class: "grow" }, el("strong", {}, OUTCOMES[data.outcome]), el("small", {}, count)),
        ),
      data.note && el("p", { class: "note" }, data.note),
    ];
  }

  /** @param {FindingView[]} data */
  function findingList(data) {
    return data.map((finding) =>
      el(
        "div",
        { class: "finding", "data-outcome": finding.outcome },
        icon(finding.outcome),
        el(
          "span",
          { class: "grow" },
          el("span", { class: "text" }, finding.text),
          el("small", {}, [OUTCOMES[finding.outcome], finding.rule, doubt(finding)].filter(Boolean).join(" · ")),
        ),
      ),
    );
  }

  /** @param {{ picked: boolean, acceptable: boolean } | null} data */
  function commandBar(data) {
    if (!data || (!data.picked && !data.acceptable)) return [];
    return [
      el("button", { "data-key": "withdraw", onclick: () => send({ type: "withdraw" }) }, icon("back"), "Withdraw"),
      el(
        "button",
        { class: "primary", "data-key": "accept", disabled: !data.acceptable, onclick: () => send({ type: "accept" }) },
        icon("legal"),
        "Accept",
      ),
    ];
  }
}

/** @param {View} view @param {string} unit */
const colour = (view, unit) => view.palette[`side-${view.units[unit].side % 4}`]?.fill ?? "";

/** What the camera cannot vouch for. @param {View} view @param {string} unit */
function states(view, unit) {
  const says = {
    seen: "",
    held: "is hidden; this is its last known place",
    lifted: "is lifted",
    lost: "has been hidden for long; its place is not certain",
    unseen: "has not been seen by the camera yet",
  };
  return view.units[unit].models
    .filter((id) => view.models[id] && says[view.models[id].state])
    .map((id) => `${id} ${says[view.models[id].state]}`);
}

/** How near to the limit a close call is. @param {FindingView} finding */
function doubt({ outcome, margin_mm, sigma_mm }) {
  if (outcome !== "too-close" || margin_mm === null || sigma_mm === null) return "";
  return `${Math.abs(margin_mm).toFixed(1)} mm ${margin_mm < 0 ? "short" : "to spare"}, known to ± ${(2 * sigma_mm).toFixed(1)} mm`;
}

/** @param {number} count */
const roll = (count) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * 6));

/** A spot in a player's colour. @param {string | undefined} fill */
function dot(fill) {
  const spot = el("span", { class: "dot", "aria-hidden": "true" });
  if (fill) spot.style.background = fill;
  return spot;
}
