// @ts-check
// The words beside the table: units, actions, dice, the verdict and its findings.

/** @import { Told } from "./fields.js" */
/** @import { EffectView, FindingView, FromPage, MoveView, NoticeView, Shown, TurnView, View } from "../messages.js" */
import { block, byId, el, icon, said } from "../common/dom.js";
import { OUTCOMES, shownAs, statusWords } from "../common/words.js";
import { onlyLooks } from "../common/you.js";
import { corrections } from "./corrections.js";
import { diceEntry } from "./dice.js";
import { fieldEntry, keptBy, toldOf } from "./fields.js";

/**
 * Builds the panel; the function returned shows a view in it.
 * @param {(message: FromPage) => unknown} send  returns true once it is sent
 */
export function panel(send) {
  const notices = block(byId("notices"), noticeList);
  const turn = block(byId("turn"), turnBar);
  const units = block(byId("units"), unitList);
  const picked = block(byId("picked"), pickedUnit);
  const actions = block(byId("actions"), actionList);
  const dice = block(byId("dice"), diceEntry(send));
  const entry = fieldEntry(send);
  const losses = block(byId("losses"), lossList);
  const verdict = block(byId("verdict"), verdictCard);
  const findings = block(byId("findings"), findingList);
  const effects = block(byId("effects"), effectList);
  const corrected = block(byId("corrections"), corrections(send));
  const commands = block(byId("commands"), commandBar);
  /** @type {string | null} the action that was just announced here: its fields must not stay below the fold */
  let announcing = null;

  /** @param {View} view */
  return (view) => {
    const move = view.move.move;
    const unit = move?.unit ?? null;
    const frozen = onlyLooks(view);
    const action = move?.action ? view.actions[move.action] : undefined;
    const { can_undo = false, contenders = [] } = move ?? {};
    notices(Object.values(view.notices));
    turn(view.table.table && move ? { turn: view.turn.turn ?? null, can_undo, contenders, frozen, decided: move.decided } : null);
    const hint = view.table.table?.replay ? "A recorded game" : frozen ? "You are watching." : "Touch a model on the table, or choose a unit.";
    units(unit === null ? { units: view.units, palette: view.palette, frozen, hint, done: view.turn.turn?.done ?? [] } : null);
    picked(
      unit === null || !view.units[unit]
        ? null
        : { id: unit, unit: view.units[unit], model: move.model, colour: colour(view, unit), states: states(view, unit) },
    );
    losses(unit === null || frozen || !move.costs || !view.units[unit] ? null : { move, models: view.units[unit].models });
    corrected(
      unit === null || frozen || !view.units[unit]
        ? null
        : { id: unit, model: move.model, status: view.units[unit].status, statuses: view.table.table?.statuses ?? [] },
    );
    const length = view.table.table?.unit ?? "in";
    actions(unit === null || frozen ? null : { told: toldOf(unit, move), actions: view.actions, fields: view.fields, length });
    dice(unit === null || frozen || !action ? null : { move, action });
    const own = unit === null ? null : (view.units[unit]?.models ?? []);
    const moved = move?.moved.filter((model) => own === null || own.includes(model)).length ?? 0;
    verdict(move ? { outcome: move.outcome, note: move.note, moved } : null);
    findings(Object.values(view.findings));
    effects(Object.values(view.effects));
    const chosen = move?.costs === move?.lost.length;
    commands(
      frozen || !move
        ? null
        : { picked: unit !== null, acceptable: chosen && (move.action !== null || move.moved.length > 0), shown: shownBy(move) },
    );
    if (announcing !== null && announcing === move?.action) {
      byId("actions").querySelector(".field")?.scrollIntoView({ block: "nearest" });
      announcing = null;
    }
  };

  /** What the camera sees and people should know of. @param {NoticeView[]} data */
  function noticeList(data) {
    return data.map(({ text }) => el("p", { class: "warning" }, text));
  }

  /** @param {{ turn: TurnView | null, can_undo: boolean, contenders: string[], frozen: boolean, decided: number } | null} data */
  function turnBar(data) {
    if (!data || (data.frozen && !data.turn)) return [];
    const { turn, can_undo, contenders, frozen, decided } = data;
    return [
      el(
        "div",
        { class: "heading" },
        turn
          ? el("span", { class: "grow" }, el("strong", {}, `${turn.player}, turn ${turn.number}`), el("small", {}, turn.step))
          : el("span", { class: "grow quiet" }, "No turns are counted."),
        !frozen &&
          el(
            "button",
            { class: "small", "data-key": "undo", disabled: !can_undo, onclick: () => send({ type: "undo", decided }) },
            icon("back"),
            "Undo",
          ),
        !frozen &&
          !contenders.length &&
          el(
            "button",
            { class: "small", "data-key": "go-on", onclick: () => send({ type: "go-on", decided }) },
            turn ? "Next" : "Count turns",
          ),
      ),
      ...(frozen || !contenders.length
        ? []
        : [
            el("p", { class: "quiet" }, turn ? "Who goes first in the next turn?" : "To count turns: who goes first?"),
            el("div", { class: "chips" }, ...contenders.map((player) => priority(player, decided))),
          ]),
    ];
  }

  /** Begins the turn in which a player goes first. @param {string} player @param {number} decided */
  function priority(player, decided) {
    const goOn = () => send({ type: "go-on", player, decided });
    return el("button", { class: "small", "data-key": `first-${player}`, onclick: goOn }, `${player} has priority`);
  }

  /** @param {{ units: View["units"], palette: View["palette"], frozen: boolean, hint: string, done: string[] } | null} data */
  function unitList(data) {
    if (!data) return [];
    const players = [...new Set(Object.values(data.units).map((unit) => unit.player))];
    return [
      el("p", { class: "quiet" }, data.hint),
      ...players.flatMap((player) => [
        el("h2", {}, player),
        ...Object.entries(data.units)
          .filter(([, unit]) => unit.player === player)
          .map(([id, unit]) =>
            el(
              "button",
              { class: "row", "data-key": id, disabled: data.frozen, onclick: () => send({ type: "declare", unit: id }) },
              dot(data.palette[`side-${unit.side % 4}`]?.fill),
              el("span", { class: "grow" }, el("strong", {}, id), el("small", {}, about(unit, data.done.includes(id)))),
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
        el("span", { class: "quiet" }, [unit.player, ...unit.status.map(statusWords)].join(" · ")),
      ),
      data.model && el("p", { class: "quiet" }, data.model),
      unit.off.length > 0 && el("p", { class: "note" }, `Not on the table: ${unit.off.join(", ")}.`),
      ...data.states.map((text) => el("p", { class: "warning" }, text)),
    ];
  }

  /** @param {{ told: Told, actions: View["actions"], fields: View["fields"], length: "in" | "cm" } | null} data */
  function actionList(data) {
    if (!data) return [];
    const { told, fields, length } = data;
    const { unit, model, intent } = told;
    return Object.entries(data.actions).flatMap(([id, action]) => [
      el(
        "button",
        {
          class: "row action",
          "data-key": id,
          "aria-label": action.label,
          "aria-description": action.because.join(". "),
          "aria-pressed": String(id === told.action),
          disabled: !action.allowed,
          onclick: () => {
            announcing = id;
            send({ type: "declare", unit, model, action: id, intent: keptBy(intent, action.takes) });
          },
        },
        el(
          "span",
          { class: "grow" },
          el("strong", {}, action.label),
          action.reason && el("small", {}, action.reason),
          ...action.because.map((why) => el("small", {}, why)),
        ),
        action.dice > 0 && el("span", { class: "count" }, icon("dice"), action.dice > 1 && String(action.dice)),
        action.limit_mm !== null && action.limit_mm > 0 && el("span", { class: "count" }, `up to ${said(action.limit_mm, length)}`),
      ),
      ...(id === told.action ? entry(told, fields) : []),
    ]);
  }

  /** The models that failed tests cost. @param {{ move: MoveView, models: string[] } | null} data */
  function lossList(data) {
    if (!data) return [];
    const { unit, action, model, rolls, intent, lost, costs } = data.move;
    const choose = (/** @type {string} */ id) =>
      lost.includes(id) ? lost.filter((other) => other !== id) : [...lost, id].slice(-costs);
    return [
      el("h3", {}, costs === 1 ? "Which model is lost?" : `Which ${costs} models are lost?`),
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
            id,
          ),
        ),
      ),
    ];
  }

  /** What the move costs or brings. @param {EffectView[]} data */
  function effectList(data) {
    return data.map((effect) =>
      el(
        "div",
        { class: "finding", "data-outcome": "note" },
        icon("note"),
        el("span", { class: "grow" }, el("span", { class: "text" }, effect.text), el("small", {}, effect.rule)),
      ),
    );
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

  /** @param {{ picked: boolean, acceptable: boolean, shown: Shown } | null} data */
  function commandBar(data) {
    if (!data || (!data.picked && !data.acceptable)) return [];
    return [
      el("button", { "data-key": "withdraw", onclick: () => send({ type: "withdraw" }) }, icon("back"), "Withdraw"),
      el(
        "button",
        { class: "primary", "data-key": "accept", disabled: !data.acceptable, onclick: () => send({ type: "accept", shown: data.shown }) },
        icon("legal"),
        "Accept",
      ),
    ];
  }
}

/** What is accepted here, so that it is not something else if it changes under the finger. @param {MoveView} move @returns {Shown} */
const shownBy = ({ decided, outcome, moved }) => ({ decided, outcome, moved });

/** @param {View} view @param {string} unit */
const colour = (view, unit) => view.palette[`side-${view.units[unit].side % 4}`]?.fill ?? "";

/** What is worth knowing of a unit in a list. @param {View["units"][string]} unit @param {boolean} done */
function about(unit, done) {
  const known = [done && "has acted", ...unit.status.map(statusWords), ...unit.keywords].filter(Boolean).join(", ");
  return unit.may.length ? `${known} – may: ${unit.may.join(", ")}` : known;
}

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
    .filter((id) => view.models[id] && says[shownAs(view.models[id])])
    .map((id) => `${id} ${says[shownAs(view.models[id])]}`);
}

/** How near to the limit a close call is. @param {FindingView} finding */
function doubt({ outcome, margin_mm, sigma_mm }) {
  if (outcome !== "too-close" || margin_mm === null || sigma_mm === null) return "";
  return `${Math.abs(margin_mm).toFixed(1)} mm ${margin_mm < 0 ? "short" : "to spare"}, known to ± ${(2 * sigma_mm).toFixed(1)} mm`;
}

/** A spot in a player's colour. @param {string | undefined} fill */
function dot(fill) {
  const spot = el("span", { class: "dot", "aria-hidden": "true" });
  if (fill) spot.style.background = fill;
  return spot;
}
