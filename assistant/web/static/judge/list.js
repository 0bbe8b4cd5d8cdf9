// @ts-check
// What was found in the whole game, or everything that happened: filtered, and ruled on.

/** @import { FoundView, FromPage, HappeningView } from "../messages.js" */
/** @import { Game } from "./past.js" */
import { addressOf } from "../common/address.js";
import { block, byId, el, foldout, icon } from "../common/dom.js";
import { named, say } from "../common/language.js";
import { inUnit } from "../common/personal.js";
import { OUTCOMES } from "../common/words.js";
import { clock } from "./past.js";
import { about, figures, ruled } from "./words.js";

/** @typedef {FoundView["outcome"]} Outcome */
/**
 * Which of all are shown.
 * @typedef {object} Filter
 * @property {boolean} events  everything that happened instead of what was found
 * @property {Outcome[]} outcomes  empty: all
 * @property {boolean} undecided @property {boolean} open
 * @property {string} unit @property {string} player @property {string} rule @property {string} turn  empty: all
 */

/** @type {Outcome[]} */
const OUTCOMES_FOUND = ["illegal", "too-close", "unobserved", "legal"];
/** What is legal is listed only where it could have been called the other way. @type {Record<Outcome, string>} */
const LISTED_AS = { ...OUTCOMES, legal: say("Legal, but close") };
/** @type {Record<HappeningView["kind"], string>} */
const KINDS = {
  place: say("seen"), move: say("moved"), told: say("announced"), accept: say("accepted"), turn: say("turn"), status: say("corrected"),
  undo: say("taken back"), camera: say("camera"), calibrated: say("calibrated"), calibration: say("calibration"), ruling: say("ruling"),
  differs: say("judged differently now"),
};
/** So many rows are made at once: a long game has thousands. */
const SHOWN = 300;

/** Whether people have still to decide it. @param {FoundView} found */
const undecided = (found) => !["illegal", "legal"].includes(found.outcome) && !found.rulings.length;
/** Whether it stood, or was accepted, and nobody ruled on it. @param {FoundView} found */
const open = (found) => found.fate !== "gone" && found.outcome !== "legal" && !found.rulings.length;

/**
 * @param {object} on
 * @param {(found: FoundView | null) => void} on.chosen
 * @param {(at_ns: number) => void} on.seek
 * @param {(message: FromPage) => boolean | void} on.send
 * @param {boolean} [on.reports]  there is a server that writes them
 */
export function listOf({ chosen: choose, seek, send, reports = true }) {
  /** @type {Game | null} */
  let game = null;
  /** @type {Filter} */
  let filter = { events: false, outcomes: [], undecided: false, open: false, unit: "", player: "", rule: "", turn: "" };
  /** @type {number | null} */
  let chosen = null;
  let may = false;
  let unfolded = false;
  /** @type {"in" | "cm"} */
  let unit = "in";
  /** @type {Map<number, string>} what was begun to be written, by finding: no news may take it away */
  const notes = new Map();
  const filters = block(byId("filters"), filterBar);
  const list = block(byId("list"), rows);

  function refresh() {
    if (!game) return;
    filters({ filter, known: known(game), count: game.found.length });
    list({ events: filter.events, shown: filter.events ? [] : shownFound(), happened: filter.events ? shownHappened() : [], chosen, may, unit, whole: game.whole, judged_ns: game.whole ? 0 : game.judged_ns });
  }

  const shownFound = () => (game?.found ?? []).filter(fits).toReversed().slice(0, SHOWN);
  const shownHappened = () =>
    (game?.happened ?? [])
      .filter((each) => each.kind !== "place" && each.kind !== "calibrated")
      .filter((each) => (!filter.unit || each.units.includes(filter.unit)) && (!filter.player || each.player === filter.player))
      .filter((each) => !filter.turn || String(each.turn) === filter.turn)
      .toReversed()
      .slice(0, SHOWN);

  /** @param {FoundView} found */
  const fits = (found) =>
    (!filter.outcomes.length || filter.outcomes.includes(found.outcome)) &&
    (!filter.undecided || undecided(found)) &&
    (!filter.open || open(found)) &&
    (!filter.unit || found.units.includes(filter.unit)) &&
    (!filter.player || found.players.includes(filter.player)) &&
    (!filter.rule || found.rule === filter.rule) &&
    (!filter.turn || String(found.turn) === filter.turn);

  /** @param {Partial<Filter>} now */
  function set(now) {
    filter = { ...filter, ...now };
    refresh();
  }

  /** @param {{ filter: Filter, known: ReturnType<typeof known>, count: number }} data */
  function filterBar({ filter: now, known: all, count }) {
    const chip = (/** @type {string} */ key, /** @type {string} */ text, /** @type {boolean} */ on, /** @type {() => void} */ turn, sign = "") =>
      el("button", { class: "small", "data-key": key, "aria-pressed": String(on), onclick: turn }, sign && icon(sign), text);
    const only = (/** @type {Outcome} */ outcome) =>
      now.outcomes.includes(outcome) ? now.outcomes.filter((each) => each !== outcome) : [...now.outcomes, outcome];
    const narrowed = [named(now.unit), now.player, !now.events && now.rule, now.turn && say("turn {turn}", { turn: now.turn })].filter(Boolean);
    const selects = foldout(
      { key: "narrow", open: unfolded, fold: (open) => (unfolded = open) },
      narrowed.length ? say("Only {narrowed}", { narrowed: narrowed.join(", ") }) : say("By unit, player, rule or turn"),
      el(
        "div",
        { class: "selects" },
        select("unit", say("Every unit"), all.units, now.unit, named),
        select("player", say("Every player"), all.players, now.player),
        !now.events && select("rule", say("Every rule"), all.rules, now.rule),
        select("turn", say("Every turn"), all.turns, now.turn, (turn) => `${say("Turn")} ${turn}`),
      ),
    );
    return [
      el(
        "div",
        { class: "chips" },
        chip("found", say("Findings ({count})", { count }), !now.events, () => set({ events: false })),
        chip("events", say("Everything"), now.events, () => set({ events: true })),
      ),
      !now.events &&
        el(
          "div",
          { class: "chips", role: "group", "aria-label": say("Show only") },
          ...OUTCOMES_FOUND.map((each) => chip(each, LISTED_AS[each], now.outcomes.includes(each), () => set({ outcomes: only(each) }), each)),
          chip("undecided", say("Undecided"), now.undecided, () => set({ undecided: !now.undecided })),
          chip("open", say("Open"), now.open, () => set({ open: !now.open })),
        ),
      selects,
    ];
  }

  /** @param {"unit" | "player" | "rule" | "turn"} name @param {string} all @param {string[]} values @param {string} value @param {(value: string) => string} [words] */
  function select(name, all, values, value, words = (each) => each) {
    const option = (/** @type {string} */ each, /** @type {string} */ text) => el("option", { value: each, selected: each === value }, text);
    const made = el(
      "select",
      { "data-key": name, "aria-label": all, onchange: () => set({ [name]: made.value }) },
      option("", all),
      ...values.map((each) => option(each, words(each))),
    );
    return made;
  }

  /** @param {{ events: boolean, shown: FoundView[], happened: HappeningView[], chosen: number | null, may: boolean, unit: "in" | "cm", whole: boolean, judged_ns: number }} data */
  function rows(data) {
    const waiting = !data.whole && el("p", { class: "quiet" }, say("Still judging the game: {judged} so far …", { judged: clock(data.judged_ns, false) }));
    if (data.events) return [waiting, ...data.happened.map(happening), !data.happened.length && el("p", { class: "quiet" }, say("Nothing of that kind happened."))];
    return [
      waiting,
      ...data.shown.map((found) => item(found, data)),
      !data.shown.length && data.whole && el("p", { class: "quiet" }, game?.found.length ? say("Nothing matches the filter.") : say("Nothing illegal or undecided was accepted.")),
    ];
  }

  /** @param {HappeningView} each */
  const happening = ({ at_ns, kind, text }) =>
    el(
      "div",
      { class: "item", role: "listitem" },
      el(
        "button",
        { "data-key": `event-${at_ns}-${text}`, onclick: () => seek(at_ns) },
        kind === "differs" && icon("swap"),
        el("span", { class: "grow" }, inUnit(text, unit), el("small", {}, `${clock(at_ns)} · ${KINDS[kind]}`)),
      ),
    );

  /** @param {FoundView} found @param {{ chosen: number | null, may: boolean, unit: "in" | "cm" }} data */
  function item(found, { chosen: now, may: allowed, unit: length }) {
    const on = found.number === now;
    return el(
      "div",
      { class: `item${on ? " chosen" : ""}`, role: "listitem", "data-outcome": found.outcome, "data-fate": found.fate },
      el(
        "button",
        { "data-key": `found-${found.number}`, "aria-expanded": String(on), onclick: () => pick(on ? null : found) },
        icon(found.outcome),
        el(
          "span",
          { class: "grow" },
          el("span", { class: "text" }, inUnit(found.text, length)),
          el("small", {}, about(found)),
          ...found.rulings.map((each) => el("small", { class: "decided" }, ruled(each))),
        ),
      ),
      on && detail(found, allowed, length),
    );
  }

  /** @param {FoundView} found @param {boolean} allowed @param {"in" | "cm"} length */
  function detail(found, allowed, length) {
    const note = el("textarea", {
      "aria-label": say("Reason, in a sentence"),
      placeholder: say("Reason, in a sentence"),
      maxlength: "1000",
      "data-key": "note",
      oninput: () => notes.set(found.number, note.value),
    });
    note.value = notes.get(found.number) ?? "";
    const rule = (/** @type {"legal" | "illegal"} */ outcome) => {
      if (!note.value.trim()) return note.focus();
      const sent = send({ type: "rule-past", at_ns: found.at_ns, found: found.number, outcome, note: note.value.trim() });
      if (sent) notes.delete(found.number);
    };
    const query = `?at_ns=${found.at_ns}&finding=${found.number}`;
    const last = found.rulings.findLast((each) => each.on_past);
    return el(
      "div",
      { class: "ruling-form" },
      el("p", { class: "quiet" }, figures(found, length)),
      allowed && note,
      allowed &&
        el(
          "div",
          { class: "chips" },
          el("button", { class: "small", "data-key": "rule-legal", onclick: () => rule("legal") }, icon("legal"), say("Rule it legal")),
          el("button", { class: "small", "data-key": "rule-illegal", onclick: () => rule("illegal") }, icon("illegal"), say("Rule it not legal")),
          last &&
            el(
              "button",
              { class: "small", "data-key": "unrule", onclick: () => send({ type: "unrule-past", ruling: last.number }) },
              say("Take back: {ruling} ({when})", { ruling: ruled({ ...last, note: "" }), when: clock(last.at_ns) }),
            ),
        ),
      reports && el(
        "p",
        { class: "links" },
        el("a", { href: addressOf(`/report${query}`), target: "_blank" }, say("Incident report")),
        el("a", { href: addressOf(`/report.pdf${query}`), target: "_blank" }, say("as PDF")),
      ),
    );
  }

  /** @param {FoundView | null} found */
  function pick(found) {
    chosen = found?.number ?? null;
    refresh();
    choose(found);
  }

  return {
    /** @param {Game} now */
    follow(now) {
      game = now;
      refresh();
    },
    /** @param {boolean} now @param {"in" | "cm"} length */
    allow(now, length) {
      may = now;
      unit = length;
      refresh();
    },
    drop() {
      chosen = null;
      refresh();
    },
  };
}

/** What may be chosen from. @param {Game} game */
function known(game) {
  const all = (/** @type {(found: FoundView) => string[]} */ of) => [...new Set(game.found.flatMap(of))].sort();
  const turns = game.happened.flatMap((each) => (each.turn === null ? [] : [each.turn]));
  return {
    units: [...new Set([...all((found) => found.units), ...game.happened.flatMap((each) => each.units)])].sort(),
    players: [...new Set([...all((found) => found.players), ...game.happened.flatMap((each) => each.player ?? [])])].sort(),
    rules: all((found) => [found.rule]),
    turns: [...new Set(turns)].sort((a, b) => a - b).map(String),
  };
}
