// @ts-check
// Files for a person, a picture or a film: given by the device's own sheet of whom to send it to, else as a download.

import { el } from "./dom.js";

const FRAMES_A_SECOND = 30;
/** What every browser and chat plays comes first. */
const FILMS = ["video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1.42E01F", "video/mp4", "video/webm"];

/**
 * Gives a file away; where a browser asks for a fresh touch first, or knows no such sheet, the file is downloaded.
 * @param {Blob} blob @param {string} name
 */
export async function giveFile(blob, name) {
  const file = new File([blob], name, { type: blob.type.split(";")[0] });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      return await navigator.share({ files: [file] });
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") return; // it was put away
    }
  }
  const link = el("a", { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Records what is drawn, as this browser writes films.
 * @param {HTMLCanvasElement} canvas @param {number} lasts_s
 * @param {(t: number) => void} draw  a picture at a time in seconds
 * @returns {Promise<{ film: Blob, ending: string }>}
 */
export async function recordFilm(canvas, lasts_s, draw) {
  const type = FILMS.find((kind) => MediaRecorder.isTypeSupported(kind)) ?? "";
  const recorder = new MediaRecorder(canvas.captureStream(FRAMES_A_SECOND), { mimeType: type, videoBitsPerSecond: 6_000_000 });
  /** @type {Blob[]} */
  const parts = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  const ended = new Promise((done) => recorder.addEventListener("stop", done));
  const began_ms = performance.now();
  const step = () => {
    const t = (performance.now() - began_ms) / 1000;
    draw(t);
    if (t < lasts_s) requestAnimationFrame(step);
    else recorder.stop();
  };
  step();
  recorder.start();
  await ended;
  return { film: new Blob(parts, { type }), ending: type.startsWith("video/mp4") ? "mp4" : "webm" };
}
