// @ts-check
// For a broadcast: the overlay on a transparent ground, and a lower third.

/** @import { View } from "../messages.js" */
import { byId } from "../common/dom.js";
import { repainter, resize } from "../common/draw.js";
import { live } from "../common/live.js";
import { tablePhoto } from "../common/photo.js";
import { callOnAir } from "./call.js";
import { lowerThird } from "./lower.js";
import { optionsOf } from "./options.js";
import { drawOver, drawTable } from "./picture.js";

/** So long the last picture stays without a connection. */
const KEPT_MS = 10_000;
/** @type {(keyof View)[]} */
const DRAWN = ["shapes", "models", "table", "palette", "terrain", "units", "move", "lookout"];

const { options, wrong } = optionsOf(location.search);
const canvas = /** @type {HTMLCanvasElement} */ (byId("overlay"));
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
const [air, lower] = [byId("air"), byId("lower")];
/** @type {View | null} */
let view = null;
/** @type {number | undefined} */
let leaving;
const tell = lowerThird(lower);
const showCall = callOnAir(/** @type {HTMLCanvasElement} */ (byId("call")));

document.documentElement.style.setProperty("--scale", String(options.scale));
lower.hidden = !options.lower;
byId("wrong").textContent = wrong;
byId("wrong").hidden = !wrong;

const photo = tablePhoto(() => options.photo && Boolean(view?.lookout.lookout), () => repaint());
const repaint = repainter(() => {
  resize(canvas);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  if (!view?.table.table) return;
  const lookout = view.lookout.lookout;
  if (!options.camera) drawTable(ctx, view, options, photo());
  else if (lookout) drawOver(ctx, view, lookout, options); // else nobody knows where in the picture the table is
});

live({
  changed(now, touched) {
    view = now;
    if (DRAWN.some((section) => touched.has(section))) repaint();
    if (now.table.table) tell(now);
    if (options.calls) showCall(now);
  },
  link(link) {
    if (link === "live") {
      clearTimeout(leaving);
      leaving = undefined;
      delete air.dataset.lost;
    } else {
      leaving ??= setTimeout(() => (air.dataset.lost = ""), KEPT_MS); // it is said again at each attempt
    }
  },
});
addEventListener("resize", repaint);
