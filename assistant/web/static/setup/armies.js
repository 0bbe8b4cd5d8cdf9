// @ts-check
// The armies' step of the set-up: per player a list to paste, and what was understood of it as a table to correct.

/** @import { ArmiesView, ArmyRowView, ForceView, FromPage, View } from "../messages.js" */
import { arrange, block, el, foldout, icon } from "../common/dom.js";
import { afterTyping, entered } from "./entered.js";
import { PIECE_BYTES, sendPieces } from "./file-pieces.js";
import { listed, say, sayCount } from "../common/language.js";

/** @typedef {(message: FromPage) => void} Send */
/** @typedef {{ show: (force: ForceView, armies: ArmiesView) => void, element: HTMLElement }} ForceCard */
/** @typedef {{ show: (row: ArmyRowView) => void, flush: () => void, element: HTMLElement }} RowCard */
/** @typedef {{ rows: ArmyRowView[], bases: string[], move: string, unit: string, unfolded: Set<string> }} Questions  move: the rulebook's key for how far a unit goes, if it has one */

const OUTCOMES = { todo: "unobserved", good: "legal", weak: "too-close", bad: "illegal" };
/** So many of the common bases are a touch away; the others behind one more. */
const COMMON = 8;
/** Likewise of moves, by the unit that they are in. @type {Record<string, string[]>} */
const MOVES = { in: ["4", "5", "6", "7", "8", "10", "12", "14"], cm: ["10", "15", "20", "30", "60", "100"] };
const MOST_BYTES = 5_000_000;
const SAMPLE = "5 Scouts 32mm move 6\", infantry\nBattle Tank 100x60 move 10\", vehicle";

/**
 * Fills a place with the step, and returns what shows a view in it.
 * @param {HTMLElement} place @param {Send} send
 * @returns {(view: View) => void}
 */
export function armiesStep(place, send) {
  const head = el("div", { class: "army-head" });
  const list = el("div", { class: "army-list" });
  const foot = el("div", { class: "army-foot buttons" });
  const entry = el("div", { class: "armies" }, head, list, foot);
  const none = el("p", { class: "quiet" }, say("No armies are entered here."));
  place.replaceChildren(entry, none);
  const heading = block(head, (/** @type {ArmiesView} */ armies) => common(armies, send));
  const footing = block(foot, (/** @type {{ taken: string, undo: string }} */ data) => below(data, send));
  /** @type {Map<string, ForceCard>} */
  let cards = new Map();
  takeDrops(place, () => [...cards.entries()], send);
  return (view) => {
    const armies = view.armies.armies;
    entry.hidden = !armies;
    none.hidden = Boolean(armies);
    if (!armies) return;
    heading(armies);
    footing({ taken: armies.taken, undo: armies.undo });
    list.hidden = armies.taken !== "";
    cards = new Map(armies.forces.map((key) => [key, cards.get(key) ?? forceCard(key, send)]));
    arrange(list, [...cards.values()].map(elementOf));
    for (const [key, card] of cards) if (view.forces[key]) card.show(view.forces[key], armies);
  };
}

/**
 * Takes a file that is dropped anywhere on the page: for the army under it, or else the first that is empty.  Without
 * this a browser would show the file in the page's place.
 * @param {HTMLElement} place @param {() => [string, ForceCard][]} list @param {Send} send
 */
function takeDrops(place, list, send) {
  const isFile = (/** @type {DragEvent} */ { dataTransfer }) => dataTransfer?.types.includes("Files");
  const targetOf = (/** @type {DragEvent} */ { target }) => {
    const under = target instanceof Element ? target.closest(".army") : null;
    const all = list().map(([key, { element }]) => ({ key, element }));
    return all.find(({ element }) => element === under) ?? all.find(({ element }) => !element.querySelector(".army-row")) ?? all[0];
  };
  const mark = (/** @type {HTMLElement | undefined} */ over) => list().forEach(([, { element }]) => element.classList.toggle("over", element === over));
  addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    mark(targetOf(event)?.element);
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && mark(undefined));
  addEventListener("drop", (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    mark(undefined);
    const target = targetOf(event);
    if (target && place.offsetParent) void sendFile(file, target.key, send);
  });
}

/** @param {ArmiesView} armies @param {Send} send */
function common({ rulebook, rulebooks, state, text, taken }, send) {
  const choice = el("select", { id: "army-rulebook", "data-key": "rulebook", onchange: () => send({ type: "armies-rulebook", rulebook: choice.value }) },
    ...rulebooks.map(({ id, title }) => el("option", { value: id, selected: id === rulebook }, title)),
  );
  return [
    el("label", { class: "entry", for: "army-rulebook", ...(taken ? { hidden: true } : {}) }, say("Rulebook"), choice),
    el("p", { class: "standing", "data-outcome": OUTCOMES[state], role: "status" }, icon(OUTCOMES[state]), el("span", {}, text)),
  ];
}

/** @param {{ taken: string, undo: string }} data @param {Send} send */
function below({ taken, undo }, send) {
  return [
    taken ? el("button", { "data-key": "own", onclick: () => send({ type: "armies-own" }) }, say("Enter armies instead")) : el("button", { "data-key": "player", onclick: () => send({ type: "armies-player" }) }, say("Add a player")),
    undo && el("button", { "data-key": "undo", onclick: () => send({ type: "armies-undo" }) }, say("Bring back {undo}", { undo })),
  ];
}

const elementOf = (/** @type {{ element: HTMLElement }} */ { element }) => element;

/** One player's army. @param {string} force @param {Send} send @returns {ForceCard} */
function forceCard(force, send) {
  const player = entered(el("input", { id: `player-${force}`, type: "text", autocomplete: "off", maxlength: "100" }), (value) => send({ type: "armies-player", force, player: value }));
  const roster = entered(
    el("textarea", { id: `roster-${force}`, rows: "5", spellcheck: "false", placeholder: SAMPLE }),
    (text) => paste(text, force, send),
  );
  const told = el("div", { class: "army-told" });
  const asked = el("div", { class: "army-bases" });
  const asking = afterTyping(asked, block(asked, (/** @type {Questions} */ data) => questions({ ...data, unfolded }, force, send)));
  const rows = el("div", { class: "army-rows" });
  const telling = block(told, (/** @type {Pick<ForceView, "passed" | "others">} */ data) => remarks(data, force, send));
  /** @type {Map<number, RowCard>} */
  let units = new Map();
  let shape = "";
  const element = el("section", { class: "card army", "data-force": force },
    el("div", { class: "army-player" },
      el("label", { class: "entry grow", for: `player-${force}` }, say("Player"), player.element),
      el("button", { class: "small", onclick: () => send({ type: "armies-leave", force }) }, say("Drop this army")),
    ),
    el("label", { class: "entry", for: `roster-${force}` }, say("Paste the list, or type it: one unit a line, with its count and base"), roster.element),
    told,
    asked,
    rows,
    el("div", { class: "buttons" },
      el("button", { "data-key": "add", onclick: () => send({ type: "armies-add", force }) }, say("Add a unit")),
      fileButton(force, send),
    ),
  );
  /** @type {Set<string>} */
  const unfolded = new Set();
  return {
    element,
    show(shown, armies) {
      const wanted = JSON.stringify([armies.columns, armies.bases]);
      if (wanted !== shape) {
        for (const unit of units.values()) unit.flush();
        units = new Map();
      }
      shape = wanted;
      player.show(shown.player);
      roster.show(shown.text);
      const moves = armies.columns.find(({ label }) => label === "Move");
      const open = shown.rows.filter((row) => isOpen(row, moves?.key));
      asking({ rows: open, bases: armies.bases, move: moves?.key ?? "", unit: moves?.unit ?? "", unfolded });
      telling({ passed: shown.passed, others: shown.others });
      units = new Map(shown.rows.map(({ key }) => [key, units.get(key) ?? rowCard(force, key, armies, send)]));
      arrange(rows, [...units.values()].map(elementOf));
      for (const row of shown.rows) units.get(row.key)?.show(row);
    },
  };
}

/** What of the list is no unit: a line for all that one unit has. @param {Pick<ForceView, "passed" | "others">} data @param {string} force @param {Send} send */
function remarks({ passed, others }, force, send) {
  const count = passed.reduce((sum, { lines }) => sum + (lines.length || 1), 0);
  return [
    others.length > 0 && el("button", { "data-key": "part", onclick: () => send({ type: "armies-part", force }) }, say("Give {others} an army of their own", { others: listed(others) })),
    passed.length > 0 && el("details", {},
      el("summary", {}, sayCount(count, "1 line is skipped", "{n} lines are skipped")),
      el("ul", {}, ...passed.map(({ lines, note }) => el("li", {}, lines.length > 0 && el("q", {}, lines.join(" / ")), " ", el("span", { class: "quiet" }, note)))),
    ),
  ];
}

/** Whether somebody is still to say what a unit stands on and how far it goes, or to agree to what is guessed. @param {ArmyRowView} row @param {string} [move] */
const isOpen = ({ name, base, guess, profile }, move) => name.trim() !== "" && (!base.trim() || guess !== "" || (move !== undefined && !profile[move]?.trim()));

/**
 * All that is still to be said of the models, in one place: a touch for each kind and question, what is not known first.
 * @param {Questions} data @param {string} force @param {Send} send
 */
function questions({ rows, ...data }, force, send) {
  if (!rows.length) return [];
  /** @type {Map<string, ArmyRowView[]>} */
  const alike = new Map();
  const isGuess = (/** @type {ArmyRowView} */ row) => row.guess !== "" && row.base.trim() !== "";
  for (const row of [...rows.filter((one) => !isGuess(one)), ...rows.filter(isGuess)]) {
    const kind = JSON.stringify([row.name, row.base, row.guess, row.profile[data.move] ?? ""]);
    alike.set(kind, [...(alike.get(kind) ?? []), row]);
  }
  const kinds = [...alike.values()];
  const guessed = kinds.filter(([row]) => isGuess(row)).length;
  const all = el("button", { class: "small", "data-key": "agree-all", onclick: () => send({ type: "armies-agree", force }) }, say("Agree with all {n}", { n: guessed }));
  const moves = rows.some((row) => data.move && !row.profile[data.move]?.trim());
  return [
    el("div", { class: "heading" }, el("h3", { class: "grow" }, moves ? say("Bases and moves") : say("Bases")), guessed > 1 && all),
    el("p", { class: "quiet" }, say("Bases are in millimetres. They are remembered for your next list.")),
    ...kinds.map((kind) => question(kind, data, force, send)),
  ];
}

/** @param {ArmyRowView[]} rows  units of one kind of model @param {Omit<Questions, "rows">} data @param {string} force @param {Send} send */
function question(rows, { bases, move, unit, unfolded }, force, send) {
  const [{ key, name, base, guess, note, profile }] = rows;
  const toAll = (/** @type {(row: number) => FromPage} */ message) => rows.forEach((row) => send(message(row.key)));
  const answer = (/** @type {string} */ field, /** @type {string} */ value) => toAll((row) => ({ type: "armies-edit", force, row, field, value }));
  const chips = (/** @type {string} */ field, /** @type {string} */ label, /** @type {string[]} */ values) =>
    el("div", { class: "chips", role: "group", "aria-label": label },
      ...values.map((value) => el("button", { class: "small", "data-key": `${field}-${key}-${value}`, onclick: () => answer(field, value) }, value)));
  /** @param {string} field @param {string} label @param {string} hint @param {string} [width] */
  const other = (field, label, hint, width = "") => {
    const input = el("input", { type: "text", class: width, "aria-label": label, placeholder: hint, autocomplete: "off", "data-key": `${field}-${key}-other`, onchange: () => input.value.trim() && answer(field, input.value) });
    return input;
  };
  const typed = other("base", say("Another base of {name}, mm", { name }), say("or type it: 150x95 oval"));
  const far = (/** @type {string} */ title, /** @type {string[]} */ values) =>
    foldout({ key: `bases-${key}`, open: unfolded.has(`bases-${key}`), fold: (open) => unfolded[open ? "add" : "delete"](`bases-${key}`) }, title,
      chips("base", say("More bases, mm"), values), !note && typed);
  const asksBase = !base.trim(), moved = profile[move]?.trim() ?? "";
  const others = bases.filter((one) => one !== base);
  const count = rows.reduce((sum, row) => sum + (Number(row.count) || 0), 0);
  const units = [...new Set(rows.map(({ part_of }) => part_of.replace(/ \d+$/, "")))].filter(Boolean).join(", ");
  const goes = moved && say("moves {length}", { length: /\d$/.test(moved) ? `${moved}${unit === "in" ? '"' : ` ${unit}`}` : moved });
  const known = [!asksBase && base, goes].filter(Boolean).join(", ");
  return el(
    "div",
    { class: "base-question", role: "group", "aria-label": say("The base of {name}", { name }) },
    el("p", { class: "who" }, el("strong", {}, name), ` × ${count}`, units && el("small", { class: "quiet" }, say(" of {units}", { units }))),
    known && el("p", { class: guess ? "guessed" : "quiet" }, guess && icon("too-close"), el("span", {}, `${known} `, guess && el("small", { class: "quiet" }, say("a guess: {guess}", { guess })))),
    guess && !asksBase && el("button", { class: "small yes", "data-key": `agree-${key}`, onclick: () => toAll((row) => ({ type: "armies-agree", force, row })) }, say("Agree")),
    asksBase && note && el("p", { class: "quiet" }, note),
    asksBase && el("div", { class: "asked" }, el("span", { class: "quiet" }, say("Base, mm")), chips("base", say("Common bases, mm"), others.slice(0, COMMON)), note && typed),
    (asksBase || guess) && far(asksBase ? say("Other sizes") : say("Other"), asksBase ? others.slice(COMMON) : others),
    move && !moved && el("div", { class: "asked" }, el("span", { class: "quiet" }, say("Move, {unit}", { unit })), chips(move, say("Common moves of {name}, {unit}", { name, unit }), MOVES[unit] ?? []), other(move, say("Another move of {name}, {unit}", { name, unit }), "other", "short")),
  );
}

/** Takes an army, a list or a whole game from a file. @param {string} force @param {Send} send */
function fileButton(force, send) {
  const input = el("input", { type: "file", accept: ".toml,.txt,.json,.md,.ros,.rosz", hidden: true, tabindex: "-1", "aria-hidden": "true" });
  input.addEventListener("change", async () => {
    const [file] = input.files ?? [];
    if (file) await sendFile(file, force, send);
    input.value = "";
  });
  return el("div", { class: "army-file" }, input, el("button", { "data-key": "file", onclick: () => input.click() }, say("Load a file"), el("small", {}, say("an army, a list, or a whole game; or drop it here"))));
}

/** Sends what was pasted; a text that one message has no room for goes as a file. @param {string} text @param {string} force @param {Send} send */
function paste(text, force, send) {
  const file = new File([text], say("the pasted list"));
  if (file.size > PIECE_BYTES) void sendFile(file, force, send);
  else send({ type: "armies-paste", force, text });
}

/** Sends a file; of one that is larger than any list, no more than shows that. @param {File} file @param {string} force @param {Send} send */
const sendFile = (file, force, send) =>
  sendPieces(file.slice(0, MOST_BYTES + 1), (piece) => send({ type: "armies-file", force, name: file.name, ...piece }));

/** One unit as a row of fields. @param {string} force @param {number} key @param {ArmiesView} armies @param {Send} send @returns {RowCard} */
function rowCard(force, key, { columns, bases }, send) {
  const own = (/** @type {string} */ field) => `unit-${force}-${key}-${field}`;
  /** @param {string} field @param {string} label @param {Record<string, string>} [more] @param {string[]} [choices] */
  const cell = (field, label, more = {}, choices = []) => {
    const control = choices.length && field !== "base"
      ? el("select", { id: own(field) }, ...["", ...choices].map((choice) => el("option", { value: choice }, choice || "–")))
      : el("input", { id: own(field), type: "text", autocomplete: "off", spellcheck: "false", ...more });
    const part = entered(control, (value) => send({ type: "armies-edit", force, row: key, field, value }));
    return { field, ...part, label: el("label", { class: `entry cell-${field}`, for: own(field) }, label, control) };
  };
  const cells = [
    cell("name", say("Unit")),
    cell("count", say("Count"), { inputmode: "numeric" }),
    cell("base", say("Base, mm"), { list: own("bases") }),
    ...columns.map(({ key: column, label, unit, choices }) => cell(column, unit ? `${label}, ${unit}` : label, {}, choices)),
    cell("keywords", say("Keywords")),
    cell("part_of", say("Part of unit")),
  ];
  const ids = el("small", { class: "ids" });
  const says = el("div", { class: "army-says", id: own("says") });
  const saying = block(says, problems);
  const headline = el("summary", {});
  const heading = block(headline, (/** @type {ArmyRowView} */ row) => summary(row, columns));
  const fields = el("div", { class: "army-fields" },
    ...cells.map(({ label }) => label),
    el("datalist", { id: own("bases") }, ...bases.map((base) => el("option", { value: base }))),
    ids,
  );
  const folded = el("details", {}, headline, fields);
  const element = el("div", { class: "army-row", role: "group" },
    folded,
    el("button", { class: "small drop", "aria-label": say("Drop this unit"), onclick: () => send({ type: "armies-drop", force, row: key }) }, icon("illegal")),
    says,
  );
  let isNew = true;
  return {
    element,
    flush: () => cells.forEach(({ flush }) => flush()),
    show(row) {
      element.setAttribute("aria-label", row.name || say("A new unit"));
      if (isNew) folded.open = !row.name || row.problems.some(({ field }) => field !== "base");
      isNew = false;
      heading(row);
      const wrong = new Set(row.problems.map(({ field }) => field));
      for (const { field, element: control, show } of cells) {
        show(valueOf(row, field));
        control.setAttribute("aria-invalid", String(wrong.has(field)));
        if (wrong.has(field)) control.setAttribute("aria-describedby", says.id);
        else control.removeAttribute("aria-describedby");
      }
      ids.textContent = row.ids;
      saying(row);
    },
  };
}

/** A unit in a line: what is not there is not said. @param {ArmyRowView} row @param {ArmiesView["columns"]} columns */
function summary(row, columns) {
  const { name, count, base, keywords, part_of, profile } = row;
  const figures = columns.filter(({ key }) => profile[key]?.trim()).map(({ key, label, unit }) => `${label.toLowerCase()} ${profile[key]}${unit === "in" && /\d$/.test(profile[key]) ? '"' : ""}`);
  const words = [base && say("{base} mm", { base }), ...figures, keywords, part_of && say("of {part_of}", { part_of })].filter(Boolean);
  return [el("span", {}, el("strong", {}, name || say("A new unit")), ` × ${count}`), el("small", { class: "quiet" }, words.join(", "))];
}

/** @param {ArmyRowView} row @param {string} field */
function valueOf(row, field) {
  if (field === "name" || field === "count" || field === "base" || field === "keywords" || field === "part_of") return row[field];
  return row.profile[field] ?? "";
}

/** @param {ArmyRowView} row */
function problems({ problems: wrong, note }) {
  return [
    ...wrong.map(({ text }) => el("p", { class: "wrong" }, icon("illegal"), el("span", {}, text))),
    note && el("p", { class: "warning" }, icon("too-close"), el("span", {}, note)),
  ];
}
