// @ts-check
// The password by which other devices do what else only the machine that runs the table may; shown to the host.

/** @import { Codes } from "./joining.js" */
import { block, byId, el } from "../common/dom.js";
import { describeWarning } from "../common/inviting.js";
import { say } from "../common/language.js";

/**
 * Builds the card; the function returned shows in it how things are.
 * @param {(password: string) => Promise<boolean>} keep sets the password; an empty one removes it
 */
export function remoteCard(keep) {
  const field = /** @type {HTMLInputElement} */ (byId("remote-password"));
  byId("remote-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await keep(field.value)) field.value = "";
  });
  byId("remote-remove").addEventListener("click", () => void keep(""));
  const fillWay = block(byId("remote-way"), (/** @type {{ url: string, fingerprint: string }} */ { url, fingerprint }) => [
    el("img", { src: "/codes/host.svg", alt: say("QR code that opens the page for the password"), class: "qr" }),
    el("p", {}, say("Same network, then scan it, or open")),
    el("p", { class: "address" }, `${url}/join?as=host`),
    describeWarning(fingerprint),
  ]);
  /** @param {Codes} codes */
  return ({ password, encrypted }) => {
    const [first] = encrypted;
    byId("remote-card").hidden = !first;
    byId("remote-state").textContent = password
      ? say("Who has the password may do from their device all that this machine may. A new one sends away who came by the old.")
      : say("With a password, set-up, cameras and games are yours from a phone or laptop, too: this machine needs no screen.");
    byId("remote-remove").hidden = byId("remote-way").hidden = !password;
    if (first) fillWay(first);
  };
}
