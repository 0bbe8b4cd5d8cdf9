// @ts-check
// The judges' desk: calls of all tables with who looks after each, the tables by who needs a judge, and the event.

/** @import { CallView, SeatView, TileView, View } from "../messages.js" */
import { arrange, block, byId, el, line } from "../common/dom.js";
import { localised, read, say, sayCount } from "../common/language.js";
import { live } from "../common/live.js";
import { onceLetGo } from "../common/press.js";
import { orSay, toast } from "../common/toast.js";
import { roundOf } from "../common/words.js";
import { clockOf } from "../common/clock.js";

/** @typedef {{ name: string, call: CallView, isRuled: boolean }} Queued */

const SEARCH_MS = 250;
/** @type {Record<string, string>} */
const OUTCOMES = { legal: say("legal"), illegal: say("illegal"), "too-close": say("too close to call"), unobserved: say("not observed"), again: say("again") };

/** @type {View | null} */
let view = null;
/** @type {string | null} the call that is being ruled on */
let ruling = null;
/** What is being typed, by the field's key: the field itself may be made anew meanwhile. @type {Map<string, string>} */
const typed = new Map();
/** @type {Map<string, ReturnType<typeof callCard>>} */
const calls = new Map();
/** @type {Map<string, ReturnType<typeof tileCard>>} */
const tiles = new Map();

const send = orSay(live({
  changed(now) {
    view = now;
    show();
  },
  link(now) {
    if (now !== "live") byId("clock").textContent = say("Connecting …");
  },
  refused: toast,
}));

const showTrouble = block(byId("event"), (/** @type {{ trouble: string }} */ { trouble }) => [trouble && el("p", { class: "warning", role: "alert" }, read(trouble))]);
const showRound = block(byId("round"), buildRound);
const nobody = el("p", { class: "quiet" }, say("Nobody needs a judge."));

function show() {
  const event = view?.event.event;
  if (!view || !event) return;
  byId("title").textContent = event.name;
  const left = event.left_s < 0 ? say("over since {time}", { time: clockOf(event.left_s) }) : clockOf(event.left_s);
  byId("clock").textContent = event.round ? [roundOf(event), left, !event.running && say("paused")].filter(Boolean).join(" · ") : say("No round yet");
  showTrouble({ trouble: event.trouble });
  showRound({ round: event.round, rounds: event.rounds, running: event.running, minutes: event.minutes });
  showCalls(view);
  showTiles(view);
}

/** @param {View} now */
function showCalls(now) {
  const queued = Object.entries(now.calls);
  keepOnly(calls, now.calls);
  for (const [name, call] of queued) {
    const card = calls.get(name) ?? callCard(name, call);
    calls.set(name, card);
    card.show(call, ruling === name);
  }
  const order = queued.map(([name]) => /** @type {HTMLElement} */ (calls.get(name)?.element));
  onceLetGo(byId("calls"), () => arrange(byId("calls"), order.length ? order : [nobody]));
}

/** @param {View} now */
function showTiles(now) {
  const all = Object.entries(now.tiles);
  keepOnly(tiles, now.tiles);
  for (const [name, tile] of all) {
    const card = tiles.get(name) ?? tileCard(name);
    tiles.set(name, card);
    card.show(tile, now.seats[name], now.event.event.on_air === name);
  }
  const order = all.map(([name, { rank }], at) => ({ name, rank, at })).sort((a, b) => a.rank - b.rank || a.at - b.at);
  const elements = order.map(({ name }) => /** @type {HTMLElement} */ (tiles.get(name)?.element));
  onceLetGo(byId("tiles"), () => arrange(byId("tiles"), elements));
}

/** Forgets what is not there any more. @param {Map<string, unknown>} cards @param {Record<string, unknown>} there */
function keepOnly(cards, there) {
  for (const name of [...cards.keys()]) if (!Object.hasOwn(there, name)) cards.delete(name);
}

/** A call in the queue, which is made once and filled anew only where it has changed. @param {string} name @param {CallView} first */
function callCard(name, first) {
  const body = el("div", { class: "part" });
  const buttons = el("div", {});
  const since = line({ class: "quiet" });
  const fillBody = block(body, buildCall);
  const fillButtons = block(buttons, (/** @type {Queued} */ { call, isRuled }) => [isRuled ? rulingForm(name) : callButtons(name, call)]);
  return {
    element: el("article", { class: "queued", "data-kind": first.kind, "data-call": name }, body, since.element, buttons),
    /** @param {CallView} call @param {boolean} isRuled */
    show(call, isRuled) {
      const still = { ...call, since_s: 0 };
      fillBody(still);
      fillButtons({ name, call: still, isRuled });
      const waits = say("since {minutes} min", { minutes: Math.floor(call.since_s / 60) });
      since.tell(call.claimed ? `${waits} · ${say("{judge} is on the way", { judge: read(call.claimed) })}` : waits);
    },
  };
}

/** @param {CallView} call */
function buildCall(call) {
  const figures = call.margin_mm !== null && `${localised(call.margin_mm.toFixed(2))} mm${call.sigma_mm === null ? "" : ` ± ${localised(call.sigma_mm.toFixed(2))} mm`}`;
  return [
    el("h3", {}, say("Table {table}", { table: call.table }), call.players.length ? `: ${call.players.join(" – ")}` : ""),
    el("p", {}, call.kind === "summons" ? say("Asks for a judge: {about}", { about: call.text }) : say("Too close to call: {about}", { about: call.text })),
    figures && el("p", { class: "quiet" }, `${figures} · ${say("rule {rule}", { rule: call.rule })}`),
    call.picture && el("img", { src: call.picture, alt: say("The table at this call, as its camera saw it"), loading: "lazy", onerror: (event) => /** @type {HTMLElement} */ (event.target).remove() }),
  ];
}

/** @param {string} name @param {CallView} call */
const callButtons = (name, call) =>
  el("div", { class: "buttons" },
    call.claimed
      ? el("button", { "data-key": `leave-${name}`, onclick: () => send({ type: "hall-claim", call: name, claimed: false }) }, say("Nobody is on the way"))
      : el("button", { class: "primary", "data-key": `claim-${name}`, onclick: () => send({ type: "hall-claim", call: name, claimed: true }) }, say("I am going")),
    call.opens && el("a", { class: "button", href: call.opens }, say("Look at it")),
    call.can_rule && el("button", { "data-key": `rule-${name}`, onclick: () => rule(name) }, say("Rule from here")),
    el("button", { "data-key": `answer-${name}`, onclick: () => send({ type: "hall-answer", call: name }) }, say("Answered")));

/** @param {string | null} name */
function rule(name) {
  ruling = name;
  show();
}

/** @param {string} name */
function rulingForm(name) {
  const key = `note-${name}`, why = say("Why, in a sentence");
  const note = el("textarea", { "aria-label": why, placeholder: why, maxlength: "500", "data-key": key, oninput: () => typed.set(key, note.value) });
  note.value = typed.get(key) ?? "";
  const decide = (/** @type {"legal" | "illegal"} */ outcome) => {
    if (!note.value.trim()) return toast(say("Say why, in a sentence: the table and its record have it."));
    send({ type: "hall-rule", call: name, outcome, note: note.value });
    typed.delete(key);
    rule(null);
  };
  return el("div", { class: "buttons" }, note,
    el("button", { class: "primary", "data-key": `legal-${name}`, onclick: () => decide("legal") }, say("Legal")),
    el("button", { "data-key": `illegal-${name}`, onclick: () => decide("illegal") }, say("Not legal")),
    el("button", { "data-key": `cancel-${name}`, onclick: () => rule(null) }, say("Cancel")));
}

/** A table, which is made once: of what is told of it, only what has changed is written anew. @param {string} name */
function tileCard(name) {
  const [players, away, turn, outcome, camera, trouble, waiting, extra] = ["", "warning", "quiet", "", "warning", "warning", "quiet", "quiet"].map((kind) => line(kind ? { class: kind } : {}));
  const air = el("button", { "data-key": `air-${name}`, "aria-pressed": "false", onclick: () => send({ type: "hall-air", table: air.getAttribute("aria-pressed") === "true" ? "" : name }) }, say("On air"));
  const links = [el("a", { class: "button", href: `/hall/table/${name}/`, hidden: true }, say("Open it")), el("a", { class: "button", href: `/hall/recording?table=${name}`, download: true, hidden: true }, say("Recording")), air];
  const entered = el("div", {});
  const fillScores = block(entered, (/** @type {{ players: string[], scores: number[] }} */ seat) => [seat.players.length === 2 && scores(name, seat)]);
  const element = el("article", { class: "tile", "data-table": name },
    el("h3", {}, say("Table {table}", { table: name })),
    ...[players, away, turn, outcome, camera, trouble, waiting, extra].map((each) => each.element),
    el("div", { class: "buttons" }, el("button", { "data-key": `extend-${name}`, onclick: () => send({ type: "hall-extend", table: name, minutes: 5 }) }, say("+5 min")), ...links),
    entered);
  /** @type {[TileView, SeatView | undefined, boolean] | null} */
  let shown = null;
  return {
    element,
    /** @param {TileView} tile @param {SeatView | undefined} seat @param {boolean} isOnAir */
    show(tile, seat, isOnAir) {
      if (shown && shown[0] === tile && shown[1] === seat && shown[2] === isOnAir) return; // values of which nothing is told stay the same
      shown = [tile, seat, isOnAir];
      element.dataset.rank = String(tile.rank);
      players.tell(seat?.players.length ? seat.players.join(" – ") : tile.title);
      away.tell(tile.state === "new" ? say("never connected") : tile.state === "away" ? say("offline for {minutes} min", { minutes: Math.ceil(tile.away_s / 60) }) : "");
      const clocks = Object.entries(tile.clocks).map(([player, s]) => `${player} ${clockOf(s)}`);
      turn.tell(tile.turn ? [say("{player}, turn {number}", { player: tile.player, number: tile.turn }), ...clocks].join(" · ") : "");
      outcome.element.dataset.outcome = tile.outcome;
      outcome.tell(tile.outcome && `${OUTCOMES[tile.outcome]}${tile.text ? `: ${tile.text}` : ""}`);
      camera.tell(read(tile.camera));
      trouble.tell(read(tile.trouble));
      waiting.tell(tile.waiting ? sayCount(tile.waiting, "1 row is still to come", "{n} rows are still to come") : "");
      const more = seat?.extra_minutes ?? 0;
      extra.tell(more ? say("{minutes} min in this round", { minutes: `${more > 0 ? "+" : ""}${more}` }) : "");
      for (const link of links) link.hidden = !tile.recorded;
      air.setAttribute("aria-pressed", String(isOnAir));
      fillScores({ players: seat?.players ?? [], scores: seat?.scores ?? [] });
    },
  };
}

/** @param {string} name @param {{ players: string[], scores: number[] }} seat */
function scores(name, seat) {
  const fields = seat.players.map((player, at) => {
    const key = `score-${name}-${at}`;
    /** @type {HTMLInputElement} */
    const field = el("input", { type: "number", "aria-label": say("Score of {player}", { player }), "data-key": key, oninput: () => typed.set(key, field.value) });
    field.value = typed.get(key) ?? String(seat.scores[at] ?? "");
    return field;
  });
  const keep = () => {
    const figures = fields.map((field) => Number.parseInt(field.value, 10));
    if (figures.some(Number.isNaN)) return toast(say("Enter both scores."));
    send({ type: "hall-result", table: name, scores: figures });
    fields.forEach((_, at) => typed.delete(`score-${name}-${at}`));
  };
  return el("div", { class: "scores" }, ...fields, el("button", { "data-key": `keep-${name}`, onclick: keep }, seat.scores.length ? say("Change") : say("Result")));
}

/** @param {{ round: number, rounds: number, running: boolean, minutes: number }} data */
function buildRound({ round, rounds, running, minutes }) {
  return [
    el("div", { class: "buttons" },
      round < rounds && el("button", { class: round ? "" : "primary", "data-key": "start", onclick: () => send({ type: "hall-round", action: "start", round: round + 1 }) }, say("Begin round {round} ({minutes} min)", { round: round + 1, minutes })),
      round > 0 && el("button", { "data-key": "pause", onclick: () => send({ type: "hall-round", action: running ? "pause" : "go-on" }) }, running ? say("Pause the clock") : say("Resume the clock"))),
  ];
}

byId("pairing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [file, number, said] = [/** @type {HTMLInputElement} */ (byId("file")), /** @type {HTMLInputElement} */ (byId("number")), byId("paired")];
  const chosen = file.files?.[0];
  if (!chosen) return void (said.textContent = say("Choose a file first."));
  const reply = await fetch(`/hall/pairings?round=${Number(number.value)}`, { method: "POST", body: await chosen.arrayBuffer() }).catch(() => null);
  if (!reply) said.textContent = say("There is no connection to the hall right now.");
  else if (!reply.ok) said.textContent = read(await reply.text());
  else said.textContent = sayCount((await reply.json()).tables, "1 table is paired in round {round}.", "{n} tables are paired in round {round}.", { round: number.value });
});

/** @type {number | undefined} */
let searching;
byId("asked").addEventListener("input", () => {
  clearTimeout(searching);
  searching = setTimeout(search, SEARCH_MS);
});
void search();

/** Shows the rulings that have all the words that are asked for. */
async function search() {
  const asked = /** @type {HTMLInputElement} */ (byId("asked")).value.slice(0, 200);
  const reply = await fetch(`/hall/rulings.json?q=${encodeURIComponent(asked)}`).catch(() => null);
  if (!reply?.ok) return;
  /** @type {{ round: number, table: string, judge: string, outcome: string, note: string, text: string, rule: string }[]} */
  const found = await reply.json();
  const said = found.map(({ round, table, judge, outcome, note, text, rule }) =>
    el("p", {}, el("strong", {}, say("Round {round}, table {table}: {outcome}", { round, table, outcome: OUTCOMES[outcome] ?? outcome })), ` ${say("by {judge}.", { judge: read(judge) })} ${note} `, el("span", { class: "quiet" }, [rule, read(text)].filter(Boolean).join(" · "))));
  const none = asked ? say("No ruling has all these words.") : say("Nothing was ruled yet.");
  byId("rulings").replaceChildren(...(said.length ? said : [el("p", { class: "quiet" }, none)]));
}
