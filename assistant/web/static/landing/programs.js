// @ts-check
// Tokens by which other programs use the table; shown to the host.

/** @import { Codes } from "./joining.js" */
import { block, byId, el } from "../common/dom.js";
import { say } from "../common/language.js";

/**
 * Readies the card.
 * @param {(wanted: { name: string, role: string, origin: string }) => Promise<Codes | null>} make  makes a token
 */
export function programsCard(make) {
  const form = /** @type {HTMLFormElement} */ (byId("program-form"));
  const fillMade = block(byId("program-made"), (/** @type {{ name: string, token: string }} */ { name, token }) => [
    el("p", {}, say("The token for {name}, to be entered there. It is shown only now.", { name })),
    el("textarea", { readonly: true, rows: "4", "aria-label": say("Token"), onfocus: selectAll }, token),
    el("p", { class: "quiet" }, say("It is sent with every request to the addresses below {address}.", { address: `${location.origin}/api/1` })),
  ]);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [name, role, origin] = ["program-name", "program-role", "program-site"].map((id) => /** @type {HTMLInputElement} */ (byId(id)).value.trim());
    const made = await make({ name, role, origin });
    if (!made?.token) return;
    form.reset();
    byId("program-made").hidden = false;
    fillMade({ name, token: made.token });
  });
}

/** @param {Event} event */
function selectAll({ target }) {
  if (target instanceof HTMLTextAreaElement) target.select();
}
