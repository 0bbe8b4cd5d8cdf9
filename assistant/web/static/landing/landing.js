// @ts-check
// The start page: what is running, and how to join.

/** @import { View } from "../messages.js" */
/** @import { Link } from "../common/live.js" */
/** @import { Role } from "../common/you.js" */
import { block, byId, el } from "../common/dom.js";
import { invite, PHONE } from "../common/inviting.js";
import { languageChoice, localised, read, say } from "../common/language.js";
import { live } from "../common/live.js";
import { livePicture } from "../common/picture.js";
import { playingBar } from "../common/playing.js";
import { sceneStrip } from "../common/scene.js";
import { orSay, toast } from "../common/toast.js";
import { showCamera } from "../common/words.js";
import { joinCard } from "./joining.js";
import { projectorCard } from "./projecting.js";

/** @type {View | null} */
let view = null;
/** @type {Link} */
let link = "connecting";
/** @type {Role | null} as whom the join card was made */
let joined = null;

const figures = block(byId("figures"), (/** @type {[string, string][]} */ rows) =>
  rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
);

function show() {
  const camera = view?.camera.camera;
  const table = view?.table.table;
  showCamera(byId("camera"), link, camera, table?.replay);
  if (table) {
    const mm = table.unit === "cm" ? 10 : 25.4;
    const mark = table.unit === "cm" ? say(" cm") : '"';
    byId("title").textContent = table.title;
    byId("rulebook").textContent =
      `${read(table.rulebook_title || table.rulebook)} · ${Math.round(table.width_mm / mm)} × ${Math.round(table.depth_mm / mm)}${mark}` +
      (table.replay ? say(" · recorded game") : table.virtual ? say(" · virtual table") : "");
  }
  if (camera) {
    figures([
      [say("Camera"), camera.text || camera.source],
      [say("Anchors seen"), String(camera.anchors_seen)],
      [say("Frames per second"), localised(camera.fps.toFixed(1))],
      [say("Camera to screen"), `${Math.round(camera.latency_ms)} ms`],
    ]);
  }
}

const send = live({
  changed(now, touched) {
    view = now;
    if (touched.has("camera") || touched.has("table")) show();
    if (touched.has("scene")) tell(now);
    if (touched.has("playing")) play(now);
    const role = now.you.you?.role;
    if (role && role !== joined) joinCard((joined = role));
    if (role === "host") inviteAgain(now.camera.camera);
    if (touched.has("projector") || touched.has("lights") || touched.has("table")) light(now);
  },
  link(now) {
    link = now;
    show();
  },
  refused: toast,
});
/** Shows how a phone becomes the camera, while it is none. @param {View["camera"]["camera"] | undefined} camera */
function inviteAgain(camera) {
  const card = byId("phone-card");
  card.hidden = camera?.source !== PHONE || camera.state === "live";
  const place = byId("invited");
  if (!card.hidden && !place.hasChildNodes()) void invite(place);
}

byId("toast").before(el("footer", {}, el("label", { class: "quiet" }, say("Language"), " ", languageChoice())));
const light = projectorCard(orSay(send));
const tell = sceneStrip(byId("scene"), send);
const play = playingBar(byId("playing"), orSay(send));
livePicture(/** @type {HTMLImageElement} */ (byId("picture")), byId("no-picture"));
