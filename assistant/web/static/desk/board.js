// @ts-check
// The board of a hall, for a large screen: the round's clock, and who plays where.

/** @import { SeatView, View } from "../messages.js" */
import { block, byId, el } from "../common/dom.js";
import { live } from "../common/live.js";
import { clockOf } from "../common/clock.js";

/** @param {View} view */
function show(view) {
  const event = view.event.event;
  if (!event) return;
  byId("title").textContent = `${event.name}${event.round ? ` · round ${event.round} of ${event.rounds}` : ""}`;
  const time = byId("time");
  time.textContent = event.round ? `${event.left_s < 0 ? "+" : ""}${clockOf(event.left_s)}${event.running ? "" : " (paused)"}` : "";
  time.dataset.ending = String(event.dice_down);
  const seats = Object.entries(view.seats).filter(([, seat]) => seat.players.length);
  showSeats({ seats: seats.map(([name, { players, extra_minutes, scores }]) => ({ name, players, extra_minutes, scores })) });
}

/** @param {{ seats: (Pick<SeatView, "players" | "extra_minutes" | "scores"> & { name: string })[] }} data */
const buildSeats = ({ seats }) =>
  seats.map(({ name, players, extra_minutes, scores }) =>
    el("div", { class: "seat", "data-table": name }, el("strong", {}, name), el("span", {}, players.map((player, at) => (scores.length ? `${player} ${scores[at]}` : player)).join(" – ")),
      extra_minutes !== 0 && el("span", { class: "quiet" }, `${extra_minutes > 0 ? "+" : ""}${extra_minutes} min`)));

const showSeats = block(byId("seats"), buildSeats);
live({ changed: show });
