// @ts-check
// A phone as the table's camera: sends pictures as fast as the network takes them, and says when each was taken.

import { stayAwake } from "../common/awake.js";
import { byId } from "../common/dom.js";
import { read, say } from "../common/language.js";
import { drawName } from "../common/you.js";

/** Markers are found as well and as surely as in what the camera delivers, in half the bytes of 0.9: docs/decisions/a-phone-sends-pictures.md. */
const QUALITY = 0.75;
/** One is being taken while the last is on its way. */
const MOST_UNDER_WAY = 2;
const REPORTED_MS = 2000;
const AGAIN_MS = 1000;
/** Answers by which the table's clock is known; the quickest is believed, for it spent least on the way. */
const CLOCK_SAMPLES = 15;
const FIRST_SAMPLES = 5;
const COUNTED_MS = 3000;
/** Below which a person is told, pictures a second. */
const SLOW = 8;
const LOW_BATTERY = 0.2;
const KEPT_AS = "overtable.camera";
const NO_KEY = say("This address lacks its key: scan the code on the set-up page of the table’s machine, where a phone is chosen as the camera.");
const NOT_SECURE = say("Browsers let a page use the camera only at an address that begins with https: scan the code on the set-up page again.");
/** Why a browser gives no camera, by the name of its error. @type {Record<string, string>} */
const REFUSALS = {
  NotAllowedError: say("The browser may not use the camera: allow it in the browser’s settings for this page, and load the page again."),
  NotFoundError: say("This device has no camera."),
  NotReadableError: say("Another program uses the camera: end it, and try again."),
};

/**
 * What cameras of phones have beside what every camera has.
 * @typedef {MediaTrackSettings & { focusMode?: string, focusDistance?: number, exposureMode?: string, exposureTime?: number }} Settings
 * @typedef {MediaTrackCapabilities & { focusMode?: string[], exposureMode?: string[], torch?: boolean }} Capabilities
 * @typedef {number | "hold" | "auto" | null} Wish
 * @typedef {{ now_ms: number, focus: Wish, exposure: Wish }} Answer
 */

/**
 * How far the table's clock is ahead of this page's, in milliseconds, by answers of which each says when it was given.
 * @param {{ sent_ms: number, heard_ms: number, now_ms: number }[]} samples
 */
export function clockAhead(samples) {
  const best = samples.reduce((a, b) => (b.heard_ms - b.sent_ms < a.heard_ms - a.sent_ms ? b : a));
  return best.now_ms - (best.sent_ms + best.heard_ms) / 2;
}

/**
 * What a camera's controls are to be set to; nothing that it does not have.
 * @param {Answer} wanted @param {Settings} settings @param {Capabilities} capabilities
 */
export function constraints({ focus, exposure }, settings, capabilities) {
  /** @type {Record<string, unknown>} */
  const made = {};
  for (const [wish, mode, value] of /** @type {const} */ ([[focus, "focusMode", "focusDistance"], [exposure, "exposureMode", "exposureTime"]])) {
    const kind = wish === "auto" ? "continuous" : "manual";
    if (wish === null || !capabilities[mode]?.includes(kind)) continue;
    made[mode] = kind;
    if (wish !== "auto") made[value] = wish === "hold" ? settings[value] : wish;
  }
  return made;
}

const key = location.hash.slice(1);
const video = /** @type {HTMLVideoElement} */ (byId("seen"));
const [state, warning, start, torch] = [byId("state"), byId("warning"), byId("start"), byId("torch")];
const size = /** @type {HTMLSelectElement} */ (byId("size"));
const canvas = document.createElement("canvas");
const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
/** @type {Parameters<typeof clockAhead>[0]} */
let samples = [];
/** When pictures have arrived lately, and how many bytes they had. @type {{ at_ms: number, bytes: number }[]} */
let arrived = [];
let [underWay, pausedUntil_ms, began_ms] = [0, 0, 0];
/** What keeps pictures from being taken, and what would make them better: one does not wipe out the other. */
let [trouble, advice] = ["", ""];
/** @type {number | null} */
let battery = null;
let asked = "";
/** @type {MediaStreamTrack | null} */
let track = null;

if (!key) warn(NO_KEY);
else if (!navigator.mediaDevices?.getUserMedia) warn(NOT_SECURE);
start.hidden = !warning.hidden;
start.addEventListener("click", () => void begin());
size.addEventListener("change", () => void begin());
torch.addEventListener("click", () => {
  const on = torch.getAttribute("aria-pressed") !== "true";
  torch.setAttribute("aria-pressed", String(on));
  void apply({ torch: on });
});
document.addEventListener("visibilitychange", () => (samples = [])); // a page that slept has a clock that stood still

/** @param {string} text  empty: nothing is wrong any more */
function warn(text) {
  trouble = text;
  showWarning();
}

function showWarning() {
  warning.textContent = trouble || advice;
  warning.hidden = !warning.textContent;
}

async function begin() {
  warn("");
  track?.stop();
  const width = Number(size.value);
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      video: { facingMode: { ideal: "environment" }, width: { ideal: width }, height: { ideal: (width * 9) / 16 }, frameRate: { ideal: 30 } },
    });
    video.srcObject = stream;
    [track] = stream.getVideoTracks();
    track.addEventListener("ended", () => warn(say("The camera was taken away: touch “Use this camera” again.")));
    await video.play();
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    return warn(REFUSALS[name] ?? say("The camera cannot be used ({name}).", { name }));
  }
  const can = /** @type {Capabilities} */ (track.getCapabilities?.() ?? {});
  torch.hidden = !can.torch;
  byId("sizes").hidden = false;
  if (document.body.classList.contains("runs")) return; // with another size
  document.body.classList.add("runs");
  start.textContent = say("Begin again");
  stayAwake();
  void watchBattery();
  for (let at = 0; at < FIRST_SAMPLES; at++) await report();
  setInterval(() => void report(), REPORTED_MS);
  began_ms = performance.now();
  if ("requestVideoFrameCallback" in video) video.requestVideoFrameCallback(each);
  else requestAnimationFrame(drawn);
}

/** @param {number} now_ms @param {VideoFrameCallbackMetadata} about */
function each(now_ms, about) {
  video.requestVideoFrameCallback(each);
  take(about.captureTime ?? now_ms);
}

/** Takes what is on the screen, where a browser does not tell of each picture. @param {number} now_ms */
function drawn(now_ms) {
  requestAnimationFrame(drawn);
  take(now_ms);
}

/** Takes a picture, unless the last ones are not through yet. @param {number} captured_ms */
function take(captured_ms) {
  if (underWay >= MOST_UNDER_WAY || !samples.length || performance.now() < pausedUntil_ms || !video.videoWidth) return;
  underWay++;
  if (canvas.width !== video.videoWidth || canvas.height !== video.videoHeight) {
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  }
  ctx.drawImage(video, 0, 0);
  canvas.toBlob((picture) => void send(picture, captured_ms + clockAhead(samples)), "image/jpeg", QUALITY);
}

/** @param {Blob | null} picture @param {number} captured_ms  by the table's clock */
async function send(picture, captured_ms) {
  try {
    if (picture && (await post("/camera/picture", picture, { "captured-ms": String(captured_ms) }))) {
      arrived.push({ at_ms: performance.now(), bytes: picture.size });
    }
  } finally {
    underWay--;
  }
}

/**
 * Sends something, and says on the page what came of it.
 * @param {string} path @param {Blob | string} body @param {Record<string, string>} [headers]
 * @returns {Promise<Response | null>}  null where it was not taken
 */
async function post(path, body, headers = {}) {
  try {
    const reply = await fetch(path, { method: "POST", body, headers: { "x-overtable-key": key, ...headers } });
    if (reply.ok) {
      warn("");
      return reply;
    }
    warn(read(await reply.text()));
  } catch {
    warn(say("There is no connection to the table right now: this page tries again by itself."));
  }
  pausedUntil_ms = performance.now() + AGAIN_MS;
  return null;
}

/** Says how the camera is set, learns how it is to be, and what time it is at the table. */
async function report() {
  if (!track) return;
  const settings = /** @type {Settings} */ (track.getSettings());
  const sent_ms = performance.now();
  const reply = await post("/camera/report", JSON.stringify({
    device: ownDevice(),
    focus: settings.focusDistance ?? null,
    autofocus: settings.focusMode ? settings.focusMode !== "manual" : null,
    exposure: settings.exposureTime ?? null,
    autoexposure: settings.exposureMode ? settings.exposureMode !== "manual" : null,
  }));
  if (!reply) return;
  const heard_ms = performance.now();
  /** @type {Answer} */
  const answer = await reply.json();
  samples = [...samples, { sent_ms, heard_ms, now_ms: answer.now_ms }].slice(-CLOCK_SAMPLES);
  const wanted = JSON.stringify([answer.focus, answer.exposure]);
  if (wanted !== asked) {
    asked = wanted;
    await apply(constraints(answer, settings, /** @type {Capabilities} */ (track.getCapabilities?.() ?? {})));
  }
  tell();
}

/** Sets what the camera lets itself be set to. @param {Record<string, unknown>} wanted */
async function apply(wanted) {
  if (Object.keys(wanted).length) await track?.applyConstraints({ advanced: [/** @type {MediaTrackConstraintSet} */ (wanted)] }).catch(() => {});
}

/** Says how it goes. */
function tell() {
  const now_ms = performance.now();
  arrived = arrived.filter(({ at_ms }) => at_ms > now_ms - COUNTED_MS);
  const seconds = COUNTED_MS / 1000;
  const [rate, bytes] = [arrived.length / seconds, arrived.reduce((sum, each) => sum + each.bytes, 0) / seconds];
  state.textContent = say("{rate} pictures a second of {width} × {height}, {bits} Mbit/s", {
    rate: Math.round(rate),
    width: video.videoWidth,
    height: video.videoHeight,
    bits: Math.round((8 * bytes) / 1e6),
  });
  if (now_ms < began_ms + COUNTED_MS) return;
  if (battery !== null && battery < LOW_BATTERY) advice = say("The battery is at {battery} %: plug this device in.", { battery: Math.round(100 * battery) });
  else advice = rate < SLOW ? say("The pictures come slowly: go nearer to the network’s router, choose a smaller picture, or let the device cool down.") : "";
  showWarning();
}

/** Learns how full the battery is while nothing charges it, where the browser tells. */
async function watchBattery() {
  const asking = /** @type {{ getBattery?: () => Promise<EventTarget & { level: number, charging: boolean }> }} */ (navigator).getBattery;
  const found = await asking?.call(navigator).catch(() => null);
  const look = () => (battery = !found || found.charging ? null : found.level);
  look();
  for (const change of ["levelchange", "chargingchange"]) found?.addEventListener(change, look);
}

/** By what the table knows this device again, whose calibration is not another's. */
function ownDevice() {
  try {
    const kept = localStorage.getItem(KEPT_AS) ?? drawName();
    localStorage.setItem(KEPT_AS, kept);
    return kept;
  } catch {
    return drawName();
  }
}
