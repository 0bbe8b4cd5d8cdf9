// @ts-check
// The tournament's hall: the round's clock, who comes, what was ruled from the desk, and a quiet mark while it is away.

/** @import { HallView, View } from "../messages.js" */
import { block, el } from "../common/dom.js";
import { say, sayCount } from "../common/language.js";
import { clockOf } from "../common/clock.js";

const TICK_MS = 1000;

/**
 * Builds the card; the function returned shows a view in it.
 * @param {HTMLElement} place
 * @returns {(view: View) => void}
 */
export function hallCard(place) {
  const fill = block(place, build);
  /** @type {HallView | null} */
  let told = null;
  let told_ms = 0;
  const show = () => told && fill({ hall: told, passed_s: told.connected ? Math.floor((performance.now() - told_ms) / 1000) : 0 });
  setInterval(show, TICK_MS);
  return (view) => {
    const hall = view.hall.hall ?? null;
    if (hall !== told) [told, told_ms] = [hall, performance.now()];
    if (told) show();
    else place.replaceChildren();
  };
}

/** @param {{ hall: HallView, passed_s: number }} data */
function build({ hall, passed_s }) {
  const left_s = hall.left_s - (hall.running ? passed_s : 0);
  const minutes = Math.max(0, Math.floor((hall.coming_s + passed_s) / 60));
  const parts = [hall.event, say("table {table}", { table: hall.table }), ...hall.players, hall.round && roundOf(hall, left_s), !hall.connected && awayOf(hall)];
  return [
    el("p", { class: "quiet", "data-hall": hall.connected ? "there" : "away", title: hall.text }, parts.filter(Boolean).join(" · ")),
    hall.dice_down && el("p", { class: "warning", role: "status" }, say("The round ends soon: begin nothing new.")),
    hall.coming && el("p", { role: "status" }, el("strong", {}, say("{judge} is coming", { judge: hall.coming })), minutes > 0 && ` (${say("since {minutes} min", { minutes })})`),
    ...hall.rulings.map(({ judge, outcome, note }) =>
      el("p", { role: "status" }, el("strong", {}, outcome === "legal" ? say("{judge} ruled: legal.", { judge }) : say("{judge} ruled: illegal.", { judge })), ` ${note}`)),
  ];
}

/** @param {HallView} hall @param {number} left_s */
function roundOf({ round, running }, left_s) {
  const values = { round, time: clockOf(left_s) };
  const said = left_s < 0 ? say("Round {round}: over since {time}", values) : say("Round {round}: {time} left", values);
  return running ? said : `${said}, ${say("paused")}`;
}

/** @param {HallView} hall */
const awayOf = ({ waiting }) =>
  waiting ? sayCount(waiting, "The hall is away, {n} row waits for it; the game goes on", "The hall is away, {n} rows wait for it; the game goes on") : say("The hall is away; the game goes on");
