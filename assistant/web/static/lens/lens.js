// @ts-check
// The lens page: leads from view to view of a board to the lens.

/** @import { LensView, View } from "../messages.js" */
/** @import { Link } from "../common/live.js" */
import { wayBack } from "../common/back.js";
import { block, byId } from "../common/dom.js";
import { read } from "../common/language.js";
import { live } from "../common/live.js";
import { livePicture } from "../common/picture.js";
import { orSay, toast } from "../common/toast.js";
import { showCamera } from "../common/words.js";
import { drawing } from "./drawing.js";
import { instruction, work } from "./steps.js";

/** @type {View | null} */
let view = null;
/** @type {Link} */
let link = "connecting";
/** @type {number | null} the view that the person has tapped */
let picked = null;

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

const order = orSay(send);

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
  const note = sighting?.note ?? "";
  const taken = note !== "" && note === read(`View ${lens?.shots.at(-1)?.number} is taken.`);
  telling({ step: lens?.step ?? "begin", ask: lens?.ask ?? "", note, taken, working: lens?.working ?? false });
  drawn({ lens, corners: sighting?.corners_px ?? [], picked });
}

livePicture(/** @type {HTMLImageElement} */ (byId("picture")), byId("no-picture"));
wayBack("lens");
