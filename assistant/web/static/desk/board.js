// @ts-check
// The board of a hall, for a large screen: the round's clock, and who plays where.

/** @import { SeatView, View } from "../messages.js" */
import { block, byId, el } from "../common/dom.js";
import { say } from "../common/language.js";
import { live } from "../common/live.js";
import { roundOf } from "../common/words.js";
import { clockOf } from "../common/clock.js";

/** @param {View} view */
function show(view) {
  const event = view.event.event;
  if (!event) return;
  byId("title").textContent = event.round ? `${event.name} · ${roundOf(event)}` : event.name;
  const time = byId("time");
  const left = `${event.left_s < 0 ? "+" : ""}${clockOf(event.left_s)}`;
  time.textContent = event.round ? (event.running ? left : say("{time} (paused)", { time: left })) : "";
  time.dataset.ending = String(event.dice_down);
  showSeats({ seats: Object.entries(view.seats).filter(([, seat]) => seat.players.length) });
}

/** @param {{ seats: [string, SeatView][] }} data */
const buildSeats = ({ seats }) =>
  seats.map(([name, { players, extra_minutes, scores }]) =>
    el("div", { class: "seat", "data-table": name }, el("strong", {}, name), el("span", {}, players.map((player, at) => (scores.length ? `${player} ${scores[at]}` : player)).join(" – ")),
      extra_minutes !== 0 && el("span", { class: "quiet" }, say("{minutes} min", { minutes: `${extra_minutes > 0 ? "+" : ""}${extra_minutes}` }))));

const showSeats = block(byId("seats"), buildSeats);
live({ changed: show });
