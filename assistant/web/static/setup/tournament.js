// @ts-check
// The tournament's hall that a table may belong to: its sheet, or its file, is read here.

/** @import { HallView, TournamentView, View } from "../messages.js" */
/** @import { Send } from "./fields.js" */
import { block, el } from "../common/dom.js";
import { read, say } from "../common/language.js";
import { sendPieces } from "./file-pieces.js";

/** A photo is made no wider: its code is read as well, and it is soon there. */
const WIDEST_PX = 2400;
const QUALITY = 0.9;

/**
 * Fills a place with the card, and returns what shows a view in it.
 * @param {HTMLElement} place @param {Send} send
 * @returns {(view: View) => void}
 */
export function tournamentCard(place, send) {
  const input = el("input", { type: "file", accept: "image/*,.json,application/json", hidden: true, tabindex: "-1", "aria-hidden": "true" });
  input.addEventListener("change", async () => {
    const [file] = input.files ?? [];
    if (file) await sendPieces(await madeSmaller(file), (piece) => send({ type: "setup-hall", name: file.name, ...piece }));
    input.value = "";
  });
  const card = el("div", { class: "part" });
  place.replaceChildren(input, card);
  const fill = block(card, (/** @type {Data} */ data) => build(data, () => input.click(), send));
  return ({ setup: { setup }, hall }) =>
    fill({ tournament: setup.tournament, told: hall.hall ?? null, wrong: setup.wrong.hall ?? "", isOn: Boolean(setup.recording) });
}

/** @typedef {{ tournament: TournamentView | null, told: HallView | null, wrong: string, isOn: boolean }} Data */

/** @param {Data} data @param {() => void} choose @param {Send} send */
function build({ tournament, told, wrong, isOn }, choose, send) {
  const leave = el("button", { "data-key": "leave-hall", onclick: () => send({ type: "setup-leave-hall" }) }, say("Leave the tournament"));
  const reading = el("button", { "data-key": "read-hall", onclick: choose }, say("Read the table’s sheet"), el("small", {}, say("a photo of it, straight from above, or its file")));
  const away = told && !told.connected && told.text;
  return isOn && !tournament && !away && !wrong ? [] : [
    el("h3", {}, say("A tournament")),
    tournament && el("p", {}, say("This is table {table} of {event}: its games are told to the hall.", { table: tournament.table, event: tournament.event })),
    away && el("p", { class: "quiet" }, say("The hall is away: {why}", { why: read(told.text) })),
    wrong && el("p", { class: "wrong" }, wrong),
    !tournament && !isOn && el("p", { class: "quiet" }, say("Does this table belong to a tournament? Its organiser has a sheet for it.")),
    !isOn && el("div", { class: "buttons" }, reading, (tournament || wrong) && leave),
  ];
}

/** A photo no wider than its code needs; whatever is no picture to this browser stays as it is. @param {File} file @returns {Promise<Blob>} */
async function madeSmaller(file) {
  if (!file.type.startsWith("image/")) return file;
  const image = await createImageBitmap(file).catch(() => null);
  if (!image) return file;
  const scale = Math.min(1, WIDEST_PX / Math.max(image.width, image.height));
  const canvas = el("canvas", { width: String(Math.round(scale * image.width)), height: String(Math.round(scale * image.height)) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return new Promise((done) => canvas.toBlob((made) => done(made ?? file), "image/jpeg", QUALITY));
}
