// @ts-check
// The judges' desk: calls of all tables with who looks after each, the tables by who needs a judge, and the event.

/** @import { CallView, SeatView, TileView, View } from "../messages.js" */
import { block, byId, el } from "../common/dom.js";
import { live } from "../common/live.js";
import { orSay, toast } from "../common/toast.js";
import { clockOf } from "../common/clock.js";

const SEARCH_MS = 250;
const OUTCOMES = { "": "", legal: "legal", illegal: "illegal", "too-close": "too close to call", unobserved: "not observed" };

/** @type {View | null} */
let view = null;
/** @type {string | null} the call that is being ruled on */
let ruling = null;
/** What is being typed, by the field's key: the field itself may be made anew meanwhile. @type {Map<string, string>} */
const typed = new Map();

const send = orSay(live({
  changed(now) {
    view = now;
    show();
  },
  link(now) {
    if (now !== "live") byId("clock").textContent = "Connecting …";
  },
  refused: toast,
}));

const showEvent = block(byId("event"), buildEvent);
const showCalls = block(byId("calls"), buildCalls);
const showTiles = block(byId("tiles"), buildTiles);
const showRound = block(byId("round"), buildRound);

function show() {
  const event = view?.event.event;
  if (!view || !event) return;
  byId("title").textContent = event.name;
  byId("clock").textContent = event.round ? `Round ${event.round} of ${event.rounds} · ${event.left_s < 0 ? "over since " : ""}${clockOf(event.left_s)}${event.running ? "" : " · paused"}` : "No round yet";
  showEvent({ trouble: event.trouble });
  const minutes = (/** @type {CallView} */ call) => ({ ...call, since_s: Math.floor(call.since_s / 60) });
  showCalls({ calls: Object.entries(view.calls).map(([name, call]) => [name, minutes(call)]), ruling });
  const still = Object.entries(view.seats).map(([name, seat]) => [name, { ...seat, left_s: 0 }]);
  showTiles({ tiles: Object.entries(view.tiles), seats: Object.fromEntries(still) });
  showRound({ round: event.round, rounds: event.rounds, running: event.running, minutes: event.minutes });
}

/** @param {{ trouble: string }} data */
function buildEvent({ trouble }) {
  return [trouble && el("p", { class: "warning", role: "alert" }, trouble)];
}

/** @param {{ calls: [string, CallView][], ruling: string | null }} data */
function buildCalls({ calls }) {
  if (!calls.length) return [el("p", { class: "quiet" }, "Nobody needs a judge.")];
  return calls.map(([name, call]) =>
    el("article", { class: "queued", "data-kind": call.kind, "data-call": name },
      el("h3", {}, `Table ${call.table}`, call.players.length ? `: ${call.players.join(" – ")}` : ""),
      el("p", {}, call.kind === "summons" ? "Asks for a judge: " : "Too close to call: ", call.text),
      call.margin_mm !== null && el("p", { class: "quiet" }, `${call.margin_mm.toFixed(2)} mm${call.sigma_mm === null ? "" : ` ± ${call.sigma_mm.toFixed(2)} mm`} · rule ${call.rule}`),
      el("p", { class: "quiet" }, `since ${call.since_s} min`, call.claimed ? ` · ${call.claimed} is on the way` : ""),
      call.picture && el("img", { src: call.picture, alt: `The table at this call, as its camera saw it`, loading: "lazy", onerror: (event) => /** @type {HTMLElement} */ (event.target).remove() }),
      ruling === name ? rulingForm(name) : callButtons(name, call)));
}

/** @param {string} name @param {CallView} call */
const callButtons = (name, call) =>
  el("div", { class: "buttons" },
    call.claimed
      ? el("button", { "data-key": `leave-${name}`, onclick: () => send({ type: "hall-claim", call: name, claimed: false }) }, "Nobody is on the way")
      : el("button", { class: "primary", "data-key": `claim-${name}`, onclick: () => send({ type: "hall-claim", call: name, claimed: true }) }, "I am going"),
    call.opens && el("a", { class: "button", href: call.opens }, "Look at it"),
    call.can_rule && el("button", { "data-key": `rule-${name}`, onclick: () => rule(name) }, "Rule from here"),
    el("button", { "data-key": `answer-${name}`, onclick: () => send({ type: "hall-answer", call: name }) }, "Answered"));

/** @param {string | null} name */
function rule(name) {
  ruling = name;
  show();
}

/** @param {string} name */
function rulingForm(name) {
  const key = `note-${name}`;
  const note = el("textarea", { "aria-label": "Why, in a sentence", placeholder: "Why, in a sentence", maxlength: "500", "data-key": key, oninput: () => typed.set(key, note.value) });
  note.value = typed.get(key) ?? "";
  const decide = (/** @type {"legal" | "illegal"} */ outcome) => {
    if (!note.value.trim()) return toast("Say why, in a sentence: the table and its record have it.");
    send({ type: "hall-rule", call: name, outcome, note: note.value });
    typed.delete(key);
    rule(null);
  };
  return el("div", { class: "buttons" }, note,
    el("button", { class: "primary", "data-key": `legal-${name}`, onclick: () => decide("legal") }, "Legal"),
    el("button", { "data-key": `illegal-${name}`, onclick: () => decide("illegal") }, "Illegal"),
    el("button", { "data-key": `cancel-${name}`, onclick: () => rule(null) }, "Cancel"));
}

/** @param {{ tiles: [string, TileView][], seats: Record<string, SeatView> }} data */
function buildTiles({ tiles, seats }) {
  const order = tiles.map(([name, tile], at) => ({ name, tile, at })).sort((a, b) => a.tile.rank - b.tile.rank || a.at - b.at);
  return order.map(({ name, tile }) => buildTile(name, tile, seats[name]));
}

/** @param {string} name @param {TileView} tile @param {SeatView | undefined} seat */
function buildTile(name, tile, seat) {
  const players = seat?.players.length ? seat.players.join(" – ") : tile.title;
  const clocks = Object.entries(tile.clocks).map(([player, s]) => `${player} ${clockOf(s)}`).join(" · ");
  const state = { new: "never heard of", connected: "", away: `cut off for ${Math.ceil(tile.away_s / 60)} min` }[tile.state];
  return el("article", { class: "tile", "data-rank": String(tile.rank), "data-table": name },
    el("h3", {}, `Table ${name}`),
    players && el("p", {}, players),
    state && el("p", { class: "warning" }, state),
    tile.turn && el("p", { class: "quiet" }, tile.turn, clocks ? ` · ${clocks}` : ""),
    tile.outcome && el("p", { "data-outcome": tile.outcome }, `${OUTCOMES[tile.outcome]}${tile.text ? `: ${tile.text}` : ""}`),
    tile.camera && el("p", { class: "warning" }, tile.camera),
    tile.trouble && el("p", { class: "warning" }, tile.trouble),
    tile.waiting > 0 && el("p", { class: "quiet" }, `${tile.waiting} rows are still to come`),
    seat && seat.extra_minutes !== 0 && el("p", { class: "quiet" }, `${seat.extra_minutes > 0 ? "+" : ""}${seat.extra_minutes} min in this round`),
    el("div", { class: "buttons" }, el("button", { "data-key": `extend-${name}`, onclick: () => send({ type: "hall-extend", table: name, minutes: 5 }) }, "+5 min"),
      tile.recorded && el("a", { class: "button", href: `/hall/table/${name}/` }, "Open"),
      tile.recorded && el("a", { class: "button", href: `/hall/recording?table=${name}`, download: true }, "Recording")),
    seat && seat.players.length === 2 && scores(name, seat));
}

/** @param {string} name @param {SeatView} seat */
function scores(name, seat) {
  const fields = seat.players.map((player, at) => {
    const key = `score-${name}-${at}`;
    /** @type {HTMLInputElement} */
    const field = el("input", { type: "number", "aria-label": `Score of ${player}`, "data-key": key, oninput: () => typed.set(key, field.value) });
    field.value = typed.get(key) ?? String(seat.scores[at] ?? "");
    return field;
  });
  const keep = () => {
    const figures = fields.map((field) => Number.parseInt(field.value, 10));
    if (figures.some(Number.isNaN)) return toast("Enter both scores.");
    send({ type: "hall-result", table: name, scores: figures });
    fields.forEach((_, at) => typed.delete(`score-${name}-${at}`));
  };
  return el("div", { class: "scores" }, ...fields, el("button", { "data-key": `keep-${name}`, onclick: keep }, seat.scores.length ? "Change" : "Result"));
}

/** @param {{ round: number, rounds: number, running: boolean, minutes: number }} data */
function buildRound({ round, rounds, running, minutes }) {
  return [
    el("div", { class: "buttons" },
      round < rounds && el("button", { class: round ? "" : "primary", "data-key": "start", onclick: () => send({ type: "hall-round", action: "start", round: round + 1 }) }, `Begin round ${round + 1} (${minutes} min)`),
      round > 0 && el("button", { "data-key": "pause", onclick: () => send({ type: "hall-round", action: running ? "pause" : "go-on" }) }, running ? "Let the clock stand" : "Let the clock go on")),
  ];
}

byId("pairing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [file, number, said] = [/** @type {HTMLInputElement} */ (byId("file")), /** @type {HTMLInputElement} */ (byId("number")), byId("paired")];
  const chosen = file.files?.[0];
  if (!chosen) return void (said.textContent = "Choose a file first.");
  const reply = await fetch(`/hall/pairings?round=${Number(number.value)}`, { method: "POST", body: await chosen.arrayBuffer() }).catch(() => null);
  if (!reply) said.textContent = "There is no connection to the hall right now.";
  else said.textContent = reply.ok ? `${(await reply.json()).tables} tables are paired in round ${number.value}.` : await reply.text();
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
  byId("rulings").replaceChildren(...(found.length ? found : []).map(({ round, table, judge, outcome, note, text, rule }) =>
    el("p", {}, el("strong", {}, `Round ${round}, table ${table}: ${outcome}`), ` by ${judge}. ${note} `, el("span", { class: "quiet" }, [rule, text].filter(Boolean).join(" · ")))));
  if (!found.length) byId("rulings").replaceChildren(el("p", { class: "quiet" }, asked ? "No ruling has all these words." : "Nothing was ruled yet."));
}
