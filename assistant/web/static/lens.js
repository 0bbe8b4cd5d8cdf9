// @ts-check
// The lens page: leads from view to view of a board to the lens.

/** @import { FromPage, LensView, View } from "./messages.js" */
/** @import { Link } from "./live.js" */
import { block, byId } from "./dom.js";
import { drawing } from "./lens-drawing.js";
import { instruction, work } from "./lens-steps.js";
import { live } from "./live.js";
import { livePicture } from "./picture.js";
import { showCamera } from "./words.js";

const TOAST_MS = 7000;

/** @type {View | null} */
let view = null;
/** @type {Link} */
let link = "connecting";
/** @type {number | null} the view that the person has tapped */
let picked = null;
let lowered = 0;

const send = live({
  changed(now, touched) {
    view = now;
    if (touched.has("camera")) showCamera(byId("camera"), link, now.camera.camera);
    if (touched.has("lens") || touched.has("sighting") || touched.has("table")) show();
  },
  link(now) {
    link = now;
    showCamera(byId("camera"), link, view?.camera.camera);
  },
  refused: toast,
});

/** @param {FromPage} message */
const order = (message) => void (send(message) || toast("There is no connection to the table right now."));

/** @param {number | null} number */
function pick(number) {
  picked = picked === number ? null : number;
  show();
}

const doing = block(byId("work"), (/** @type {{ lens: LensView | null, picked: number | null, replay: boolean }} */ data) => work(data, { send: order, pick }));
const telling = block(byId("now"), instruction);
const drawn = block(byId("drawn"), (/** @type {Parameters<typeof drawing>[0]} */ data) => drawing(data, pick));

function show() {
  if (!view) return;
  const lens = view.lens.lens ?? null;
  const sighting = view.sighting.board ?? null;
  if (!lens?.shots.some(({ number }) => number === picked)) picked = null;
  document.body.classList.toggle("busy", Boolean(lens?.board));
  byId("key").hidden = lens?.step !== "taking";
  doing({ lens, picked, replay: Boolean(view.table.table?.replay) });
  telling({ step: lens?.step ?? "begin", ask: lens?.ask ?? "", note: sighting?.note ?? "", working: lens?.working ?? false });
  drawn({ lens, corners: sighting?.corners_px ?? [], picked });
}

/** @param {string} text */
function toast(text) {
  byId("toast").textContent = text.charAt(0).toUpperCase() + text.slice(1);
  byId("toast").hidden = false;
  clearTimeout(lowered);
  lowered = setTimeout(() => (byId("toast").hidden = true), TOAST_MS);
}

livePicture(/** @type {HTMLImageElement} */ (byId("picture")), byId("no-picture"));
