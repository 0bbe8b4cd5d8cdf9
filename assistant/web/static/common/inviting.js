// @ts-check
// The invitation by which a phone becomes the camera; the host's alone.

import { el } from "./dom.js";
import { say } from "./language.js";

/** The source of a table whose camera is a phone. */
export const PHONE = "phone:";

/** Explains why a browser warns of the encrypted address, and how to tell that it is ours. @param {string} fingerprint empty: it comes in the clear */
export function describeWarning(fingerprint) {
  return el("details", { hidden: fingerprint === "" },
    el("summary", {}, say("The browser warns of this address")),
    el("p", {}, say("No authority certifies a computer at home, so the browser asks once. Choose “Advanced” (“Show details”), then to go on. The certificate’s SHA-256 fingerprint is:")),
    el("p", { class: "fingerprint" }, fingerprint),
  );
}

/** Shows how a phone becomes the camera. @param {HTMLElement} place */
export async function invite(place) {
  place.replaceChildren(el("p", { class: "quiet" }, say("Asking for the address …")));
  try {
    const reply = await fetch("/codes/camera.json");
    if (!reply.ok) throw new Error(await reply.text());
    /** @type {{ url: string, fingerprint: string }} */
    const { url, fingerprint } = await reply.json();
    place.replaceChildren(
      el("p", {}, say("Scan this with the phone, which has to be in the same network, and touch “Use this camera”.")),
      el("img", { src: "/codes/camera.svg", alt: say("QR code that opens the camera’s page on a phone"), class: "qr" }),
      el("p", { class: "address" }, el("a", { href: url, target: "_blank" }, url.replace(/#.*/, ""))),
      describeWarning(fingerprint),
    );
  } catch (error) {
    place.replaceChildren(el("p", { class: "warning" }, error instanceof Error && error.message ? error.message : say("The address cannot be asked for right now: choose the phone again.")));
  }
}
