// @ts-check
// Shows a call: three seconds over everything else, with the camera's own picture under it; kept as a picture or a film.

/** @import { FindingView, FoundView, View } from "../messages.js" */
/** @import { Call, Photo } from "./call-drawing.js" */
import { addressOf } from "./address.js";
import { LASTS_S, areasOf, drawCall, lineTo, stageOf } from "./call-drawing.js";
import { block, el, icon } from "./dom.js";
import { giveFile, recordFilm } from "./files.js";
import { say } from "./language.js";
import { OUTCOMES } from "./words.js";

/** @typedef {{ words: string, key: string, does: () => unknown }} Choice  closes what is shown, too */
/** @typedef {(area: import("./call-drawing.js").Area, width_px: number) => string} Address  of a picture of a part of the table */

const CLIP_S = 6;
const CLIP_PX = [1280, 720];
const RATIO = 16 / 9;
const [NARROWEST_PX, WIDEST_PX] = [640, 2048];

/**
 * Builds what shows calls; one is shown at a time.
 * @returns {(call: Call, from: Address | null, choices?: Choice[]) => void}  from: where pictures of the table are; null where there are none
 */
export function callShow() {
  const canvas = el("canvas", { role: "img" });
  const bar = el("div", { class: "buttons" });
  const dialog = el("dialog", { class: "call", "aria-label": say("The call") }, canvas, bar);
  document.body.append(dialog);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {{ call: Call, from: Address | null, photos: Photo[], began_ms: number } | null} */
  let shown = null;
  const fill = block(bar, (/** @type {{ choices: Choice[], filming: boolean }} */ { choices, filming }) => [
    ...choices.map(({ words, key, does }) => el("button", { "data-key": key, onclick: () => (dialog.close(), does()) }, words)),
    el("button", { class: "small", "data-key": "call-again", onclick: restart }, icon("back"), say("Show again")),
    el("button", { class: "small", "data-key": "call-picture", onclick: keepPicture }, say("Save picture")),
    el("button", { class: "small", "data-key": "call-clip", disabled: filming, onclick: () => void keepClip() }, filming ? say("Filming …") : say("Save clip")),
    el("button", { class: "small", "data-key": "call-close", onclick: () => dialog.close() }, say("Close")),
  ]);
  /** @type {Choice[]} */
  let offered = [];
  let filming = false;
  dialog.addEventListener("close", () => (shown = null));
  new ResizeObserver(size).observe(canvas);

  function size() {
    [canvas.width, canvas.height] = [Math.round(canvas.clientWidth * devicePixelRatio), Math.round(canvas.clientHeight * devicePixelRatio)];
    if (shown && canvas.width) drawCall(ctx, shown.call, now(), shown.photos);
  }

  /** Seconds since it began; whoever asked for less motion sees its end at once. */
  function now() {
    if (!shown) return 0;
    return matchMedia("(prefers-reduced-motion: reduce)").matches ? LASTS_S : (performance.now() - shown.began_ms) / 1000;
  }

  function restart() {
    if (!shown) return;
    shown.began_ms = performance.now();
    step();
  }

  function step() {
    if (!shown || !canvas.width) return;
    const t = now();
    drawCall(ctx, shown.call, t, shown.photos);
    if (t < LASTS_S) requestAnimationFrame(step);
    canvas.dataset.ended = String(t >= LASTS_S);
  }

  /** A picture of a part of the table joins in once it is there. @param {Call} call @param {Address} from */
  async function load(call, from) {
    const photos = await loadPhotos(call, from, canvas);
    if (shown?.call !== call) return;
    shown.photos = photos;
    drawCall(ctx, call, now(), photos);
  }

  function keepPicture() {
    if (!shown) return;
    drawCall(ctx, shown.call, LASTS_S, shown.photos);
    canvas.toBlob((blob) => blob && void giveFile(blob, "call.png"));
  }

  /** Six seconds as a film, as this browser writes one; upright where the page is. */
  async function keepClip() {
    if (!shown || filming) return;
    const { call, from } = shown;
    const film = el("canvas");
    [film.width, film.height] = canvas.height > canvas.width ? CLIP_PX.toReversed() : CLIP_PX;
    const drawn = /** @type {CanvasRenderingContext2D} */ (film.getContext("2d"));
    filming = true;
    fill({ choices: offered, filming });
    const photos = from ? await loadPhotos(call, from, film) : [];
    const { film: clip, ending } = await recordFilm(film, CLIP_S, (t) => drawCall(drawn, call, t, photos));
    filming = false;
    fill({ choices: offered, filming });
    void giveFile(clip, `call.${ending}`);
  }

  /** What vouches for the recording joins in once it is known. @param {Call} call */
  async function vouch(call) {
    const head = await headOf();
    if (head) call.about += ` · ${head}`;
    if (shown?.call === call) drawCall(ctx, call, now(), shown.photos);
  }

  return (call, from, choices = []) => {
    [shown, offered] = [{ call, from, photos: [], began_ms: performance.now() }, choices];
    canvas.setAttribute("aria-label", `${call.verdict}. ${call.text}. ${call.about}`);
    fill({ choices, filming });
    if (!dialog.open) dialog.showModal();
    size();
    if (from) void load(call, from);
    void vouch(call);
    step();
  };
}

/**
 * Pictures of what a call is about, from farther and from near; none where they cannot be had.
 * @param {Call} call @param {Address} from @param {HTMLCanvasElement} canvas  what they are drawn on
 * @returns {Promise<Photo[]>}
 */
export async function loadPhotos(call, from, { width, height }) {
  const { wide, close } = areasOf(call, height ? width / stageOf(width, height) : RATIO);
  const photos = await Promise.all(
    [wide, close].map(async (area) => {
      const answer = await fetch(from(area, Math.min(WIDEST_PX, Math.max(NARROWEST_PX, width))));
      return answer.ok ? { area, image: await createImageBitmap(await answer.blob()) } : null;
    }),
  ).catch(() => []);
  return photos.flatMap((photo) => (photo ? [photo] : []));
}

/** The recording and its head, in words; empty where nothing is recorded. */
export async function headOf() {
  const answer = await fetch(addressOf("/past/head.json")).catch(() => null);
  if (!answer?.ok) return "";
  const { recording, head } = /** @type {import("../messages.js").HeadView} */ (await answer.json());
  const digits = head.match(/.{1,32}/g)?.join(" ") ?? "";
  return digits ? `${recording}, head ${digits}` : recording;
}

/**
 * Where pictures of parts of the table are, at the height of the base that a call is about.
 * @param {Call} call @param {number | null} [at_ns]  of the past; null of now @returns {Address}
 */
export function partOf({ subjects, view }, at_ns = null) {
  const model = encodeURIComponent(subjects.find((id) => view.models[id]) ?? "");
  const table = addressOf(at_ns === null ? "/table.jpg?" : `/past/table.jpg?at_ns=${Math.round(at_ns)}&`);
  return ({ left, low, width, depth }, width_px) =>
    `${table}width_px=${width_px}&left_mm=${left}&low_mm=${low}&width_mm=${width}&depth_mm=${depth}&model=${model}`;
}

/**
 * The call of a finding; null if it is about nothing on the table.
 * @param {View} view @param {FindingView | FoundView} finding @param {[number, number][]} measured  what it measured
 * @param {(string | null | undefined)[]} about
 * @returns {Call | null}
 */
export function callOf(view, finding, measured, about) {
  const stand = finding.subjects.flatMap((id) => (view.models[id] ? [{ x: view.models[id].x_mm, y: view.models[id].y_mm }] : []));
  const line_mm = measured.length ? lineTo(view, finding.subjects, measured) : stand;
  return line_mm.length ? { ...finding, view, line_mm, verdict: OUTCOMES[finding.outcome], about: about.filter(Boolean).join(" · ") } : null;
}
