// @ts-check
// Sound and vibration at a verdict that wants a person, where this device prefers them: not legal, or too close to call.

import { onPreference, preferences } from "./preferences.js";

/** What is played one after another, and how long each lasts: downwards where something is wrong, one tone for a doubt. */
const ALERTS = /** @type {Record<string, { hz: number[], ms: number }>} */ ({
  illegal: { hz: [330, 220], ms: 160 },
  "too-close": { hz: [660], ms: 220 },
});
const LOUDNESS = 0.2;
const FADED_S = 0.02; // a tone that is cut off clicks

/** @type {AudioContext | null} */
let audio = null;
let last = "";

/** Alerts to a verdict, once until there is another. @param {string} tone  as a finding's outcome */
export function alertTo(tone) {
  const alert = tone === last ? undefined : ALERTS[tone];
  last = tone;
  if (!alert) return;
  const { alerts } = preferences();
  if (alerts === "sound" || alerts === "both") play(alert);
  if (alerts === "vibration" || alerts === "both") navigator.vibrate?.(alert.hz.flatMap(() => [alert.ms, alert.ms / 2]));
}

/** @param {{ hz: number[], ms: number }} alert */
function play({ hz, ms }) {
  if (!audio) return;
  const begin_s = audio.currentTime;
  hz.forEach((each, number) => {
    if (!audio) return;
    const from_s = begin_s + (number * ms) / 1000;
    const tone = new OscillatorNode(audio, { frequency: each });
    const loudness = new GainNode(audio, { gain: 0 });
    loudness.gain.setTargetAtTime(LOUDNESS, from_s, FADED_S / 3);
    loudness.gain.setTargetAtTime(0, from_s + ms / 1000 - FADED_S, FADED_S / 3);
    tone.connect(loudness).connect(audio.destination);
    tone.start(from_s);
    tone.stop(from_s + ms / 1000 + FADED_S);
  });
}

/** Opens the speaker where it is wanted: browsers let a page be heard only once it was touched. */
function listen() {
  const { alerts } = preferences();
  if (alerts !== "sound" && alerts !== "both") return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
}

addEventListener("pointerdown", listen, { passive: true });
addEventListener("keydown", listen, { passive: true });
onPreference(listen);
