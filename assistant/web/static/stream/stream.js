// @ts-check
// For a broadcast: the table in scenes that follow the action, or the overlay alone on a transparent ground; a bar with
// score and clock, and a lower third.

/** @import { View } from "../messages.js" */
import { byId } from "../common/dom.js";
import { repainter, resize } from "../common/draw.js";
import { say } from "../common/language.js";
import { carrying } from "../common/lead.js";
import { live } from "../common/live.js";
import { tablePhoto } from "../common/photo.js";
import { servedMoments, shareButton } from "../common/sharing.js";
import { scoreBar } from "./bar.js";
import { callOnAir } from "./call.js";
import { gliding } from "./glide.js";
import { lowerThird } from "./lower.js";
import { optionsOf } from "./options.js";
import { drawOver, drawTable, placeOf } from "./picture.js";
import { mappingOf, scenes } from "./scenes.js";

/** Without a connection for so long, viewers are told; a page that is loaded anew comes back sooner. */
const TOLD_MS = 2000;
/** So long what was drawn over a video stays without one. */
const KEPT_MS = 10_000;
/** So long after a pointer moved viewers may share what they see. */
const OFFERED_MS = 4000;
/** @type {(keyof View)[]} */
const DRAWN = ["shapes", "models", "table", "palette", "terrain", "units", "move", "lookout"];

const { options, wrong } = optionsOf(location.search);
const canvas = /** @type {HTMLCanvasElement} */ (byId("overlay"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
const [air, bar, lower, gone] = ["air", "bar", "lower", "gone"].map(byId);
/** @type {View | null} */
let view = null;
/** @type {{ told: number, over: number } | null} */
let leaving = null;
/** @type {import("../common/call-drawing.js").Area | null} the part of the table that is looked at */
let close = null;
const tellBar = scoreBar(bar);
const tell = lowerThird(lower);
const showCall = callOnAir(/** @type {HTMLCanvasElement} */ (byId("call")));
const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
const scene = scenes({ follows: options.scenes, still: isStill });
const glide = gliding({ still: isStill || options.camera });
const carry = carrying();

document.documentElement.style.setProperty("--scale", String(options.scale));
document.documentElement.dataset.ground = String(options.ground && !options.camera);
bar.hidden = !options.bar;
lower.hidden = !options.lower;
byId("wrong").textContent = wrong;
byId("wrong").hidden = !wrong;

const photo = tablePhoto(() => options.photo && Boolean(view?.lookout.lookout), () => repaint(), () => close);
const repaint = repainter(() => {
  const { width, height } = resize(canvas);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  if (!view?.table.table) return;
  const lookout = view.lookout.lookout;
  if (options.camera) {
    if (lookout) drawOver(ctx, view, lookout, options); // else nobody knows where in the picture the table is
    return;
  }
  const { view: shown, moves: glides } = glide.shown(performance.now());
  const place = placeOf(width, height, { ...options, lower: options.lower && lower.dataset.shown === "true" });
  const { area, moves, isClose } = scene.at(view, place.w / place.h, performance.now());
  const mapping = mappingOf(area, place);
  drawTable(ctx, carry(shown ?? view).view, mapping, options, photo);
  close = isClose && !moves ? { left: -mapping.left / mapping.scale, low: (mapping.top - height) / mapping.scale, width: width / mapping.scale, depth: height / mapping.scale } : null;
  if (moves || glides) requestAnimationFrame(repaint);
});

live({
  changed(now, touched) {
    view = now;
    glide.told(now, performance.now());
    if (now.table.table) (tell(now), tellBar(now));
    if (DRAWN.some((section) => touched.has(section))) repaint();
    if (touched.has("camera")) tellGone();
    if (options.calls) showCall(now);
  },
  link(link) {
    if (link === "live") {
      if (leaving) (clearTimeout(leaving.told), clearTimeout(leaving.over));
      leaving = null;
      delete air.dataset.lost;
      delete air.dataset.over;
    } else if (!leaving) {
      // It is said again at each attempt.
      leaving = { told: setTimeout(() => ((air.dataset.lost = ""), tellGone()), TOLD_MS), over: setTimeout(() => (air.dataset.over = ""), KEPT_MS) };
    }
    tellGone();
  },
});
addEventListener("resize", repaint);
// Whoever watches in a browser may share what is shown; a broadcast has no pointer that moves.
const share = shareButton(servedMoments(() => view, () => ({ at_ns: null, said: "" }), (each) => each), document.body);
/** @type {number | undefined} */
let idle;
addEventListener("pointermove", () => {
  share.dataset.shown = "";
  clearTimeout(idle);
  idle = setTimeout(() => delete share.dataset.shown, OFFERED_MS);
});

/** Says that what is shown is no longer so. */
function tellGone() {
  const words = "lost" in air.dataset ? say("No connection to the table") : view?.camera.camera?.state === "lost" ? say("The camera is lost") : "";
  gone.textContent = words;
  gone.hidden = !words;
}
