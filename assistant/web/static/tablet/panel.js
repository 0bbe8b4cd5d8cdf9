// @ts-check
// The words beside the table: units, actions, dice, the verdict and its findings.

/** @import { FindingView, FromPage, View } from "../messages.js" */
import { alertTo } from "../common/alerts.js";
import { announce } from "../common/announce.js";
import { block, byId } from "../common/dom.js";
import { say } from "../common/language.js";
import { noticeList } from "../common/notices.js";
import { unitWords } from "../common/words.js";
import { onlyLooks } from "../common/you.js";
import { actionEntry, lossEntry } from "./actions.js";
import { modelsOf } from "../common/swapping.js";
import { corrections } from "./corrections.js";
import { decisionBar } from "./deciding.js";
import { toldOf } from "./fields.js";
import { restoringEntry } from "./restoring.js";
import { turnEntry } from "./turns.js";
import { paintOf, pickedUnit, states, unitEntry } from "./units.js";
import { nameOf, refereed, verdictEntry, wordsOf } from "./verdict.js";

/**
 * Builds the panel; the function returned shows a view in it.
 * @param {(message: FromPage) => unknown} send  returns true once it is sent
 * @param {(finding: string | null) => void} look  called with the finding that is to be looked at on the table
 * @param {import("./showing.js").ShowCall} showCall
 * @param {() => void} moveTerrain  begins to move terrain
 */
export function panel(send, look, showCall, moveTerrain) {
  const notices = block(byId("notices"), noticeList);
  const turn = block(byId("turn"), turnEntry(send));
  const units = block(byId("units"), unitEntry(send));
  const picked = block(byId("picked"), pickedUnit);
  const actions = block(byId("actions"), actionEntry(send, (action) => (announcing = action)));
  const losses = block(byId("losses"), lossEntry(send));
  const restoring = block(byId("restoring"), restoringEntry(send));
  const corrected = block(byId("corrections"), corrections(send, moveTerrain));
  const decide = decisionBar(byId("commands"), send, showCall, () => last && show(last));
  const verdict = verdictEntry(send, lookAt, (name) => showCall(name, decide.answersTo(name)), () => last && show(last));
  /** @type {View | null} */
  let last = null;
  /** @type {string | null} the finding that is looked at */
  let looked = null;
  /** @type {string | null} the action that was just announced here: what it asks for must not stay out of sight */
  let announcing = null;
  /** @type {string | null} the unit that was shown last */
  let before = null;
  return show;

  /** @param {View} view */
  function show(view) {
    last = view;
    const touched_px = placeOfAction(announcing);
    const move = view.move.move;
    const frozen = onlyLooks(view);
    const back = view.restoring.restoring ?? null;
    const played = move && !frozen && !back;
    const unit = move?.unit && view.units[move.unit] ? move.unit : null;
    const action = move?.action ? view.actions[move.action] : undefined;
    const { can_undo = false, contenders = [] } = move ?? {};
    const table = view.table.table;
    const length = table?.unit ?? "in";
    const own = unit === null ? null : view.units[unit];
    // What is judged is the announced move, whichever unit this device looks at.
    const elsewhere = move?.announced && move.announced !== unit && own ? move.announced : null;
    const mover = elsewhere ? view.units[elsewhere] : own;
    const moved = move?.moved.filter((model) => mover === null || mover.models.includes(model)) ?? [];
    notices(Object.values(view.notices));
    // Who goes first is asked where turns are counted, or before anything else is done.
    const asked = view.turn.turn || !own ? contenders : [];
    turn(table && move ? { turn: view.turn.turn ?? null, can_undo, contenders: asked, counts: !contenders.length, frozen, decided: move.decided } : null);
    const hint = table?.replay ? say("A recorded game") : frozen ? say("You are watching.") : say("Touch a model on the table, or choose a unit.");
    restoring(back && { restoring: back, places: view.places, frozen });
    units(own || back ? null : { units: view.units, palette: view.palette, frozen, hint, player: view.turn.turn?.player ?? null, done: view.turn.turn?.done ?? [] });
    picked(
      own && move?.unit
        ? { id: move.unit, unit: own, model: move.model, paint: paintOf(view, move.unit), states: states(view, move.unit) }
        : null,
    );
    corrected(
      played
        ? { id: unit, model: own && move.model, moved, status: own?.status ?? [], statuses: (own && table?.statuses) ?? [], models: own ? modelsOf(view, unit) : [], terrain: own === null && Object.keys(view.terrain).length > 0 }
        : null,
    );
    losses(played && own && move.costs ? { move, models: own.models } : null);
    actions(played && unit !== null ? { told: toldOf(unit, move), tests: move.tests, actions: view.actions, fields: view.fields, length } : null);
    const finding = judged(view, { mover, elsewhere, moved: moved.length, length, frozen });
    const rests = !(mover?.models ?? Object.keys(view.models)).some((id) => view.models[id]?.moving);
    const lacking = (action?.dice ?? 0) > (move?.rolls.length ?? 0) || move?.costs !== move?.lost.length;
    const acceptable = !lacking && (move?.action !== null || move.moved.length > 0);
    decide.show(played ? { move, elsewhere, acceptable, mayAgree: Boolean(move.action && move.outcome), finding, rests, summoned: Boolean(view.summons.judge), about: textOf(view, finding) } : null);
    if (unit !== before) byId("sheet").scrollTop = 0;
    before = unit;
    const now_px = placeOfAction(announcing);
    if (touched_px !== null && now_px !== null) byId("sheet").scrollTop += now_px - touched_px; // it stays under the finger
    if (announcing !== null && announcing === move?.action) {
      const asked = byId("actions").querySelector(".pips, .field");
      asked?.scrollIntoView({ block: "nearest" });
      announcing = null;
    }
  }

  /**
   * @param {View} view
   * @param {{ mover: View["units"][string] | null, elsewhere: string | null, moved: number, length: "in" | "cm", frozen: boolean }} of
   *   mover: the unit that is judged; elsewhere: its name, if another one is looked at
   * @returns {string | null} the finding that the verdict rests on, by its name
   */
  function judged(view, { mover: own, elsewhere, moved, length, frozen }) {
    const move = view.move.move;
    const models = own?.models ?? Object.keys(view.models);
    // What is only worth knowing of others is in the way of a unit's own.
    const matters = (/** @type {FindingView} */ { outcome, subjects }) =>
      own === null || outcome !== "note" || subjects.some((id) => id === (elsewhere ?? move?.unit) || models.includes(id));
    const findings = Object.values(view.findings).filter(matters);
    const rulings = Object.values(view.rulings);
    if (looked !== null && !findings.some((finding) => nameOf(finding) === looked)) lookAt(null, true);
    const card = move && {
      outcome: move.outcome,
      note: move.note,
      unit: elsewhere && unitWords(elsewhere, view.units[elsewhere]),
      announced: move.announced !== null || move.action !== null,
      waits: elsewhere !== null || (view.actions[move.action ?? ""]?.limit_mm ?? 0) > 0,
      moved,
      moving: models.some((id) => view.models[id]?.moving),
      others: move.announced ?? move.action ? unitsOf(view, move.moved.filter((id) => !models.includes(id))) : [],
      setting: elsewhere ? null : settingUp(view, own, findings),
      returning: move.returning,
      rulings,
      referee: move.outcome && refereed(findings),
    };
    const mayAgree = !frozen && Boolean(move?.action && move.outcome);
    verdict(card ?? null, { findings, rulings, looked, mayAgree, length }, Object.values(view.effects));
    const worst = findings.find((finding) => card?.referee && finding.outcome === card.referee && card.referee !== "legal");
    if (card) {
      const words = card.moving ? null : wordsOf(card);
      const why = worst && !card.rulings.length ? worst.text : words?.why;
      announce([words && `${words.title}.`, words && why, card.note !== why && card.note].filter(Boolean).join(" "), () => alertTo(words?.tone ?? ""));
      if (!words) alertTo("");
    }
    return worst ? nameOf(worst) : null;
  }

  /** @param {string | null} finding @param {boolean} [showing]  it is being shown already */
  function lookAt(finding, showing = false) {
    looked = finding;
    look(finding);
    if (last && !showing) show(last);
  }
}

/** Where the row of an action is on the page. @param {string | null} action */
function placeOfAction(action) {
  const row = action && byId("actions").querySelector(`[data-key="${CSS.escape(action)}"]`);
  return row ? row.getBoundingClientRect().top : null;
}

/** What units of models are called. @param {View} view @param {string[]} models */
const unitsOf = ({ units }, models) =>
  Object.entries(units).filter(([, unit]) => unit.models.some((model) => models.includes(model))).map(([id, unit]) => unitWords(id, unit));

/** What a finding says, by its name; empty where there is none. @param {View} view @param {string | null} name */
const textOf = ({ findings }, name) => Object.values(findings).find((finding) => nameOf(finding) === name)?.text ?? "";

/**
 * How far a unit has been set up, if that is what its action does; what does not stand yet is only told while the
 * referee finds nothing else wrong.
 * @param {View} view @param {View["units"][string] | null} own @param {FindingView[]} findings
 */
function settingUp({ move, actions }, own, findings) {
  const action = move.move?.action;
  if (!own || !action || !actions[action]?.sets_up) return null;
  const wrong = findings.filter(({ outcome }) => outcome === "illegal");
  const only = wrong.length > 0 && wrong.every(({ subjects }) => subjects.every((id) => own.off.includes(id)));
  return { up: own.models.length - own.off.length, off: only ? own.off : [] };
}
