// @ts-check
// Where a device joins: by the code that somebody types or that a QR code's address carries, or by the host's password.

/** @import { Role } from "../common/you.js" */
import { byId } from "../common/dom.js";
import { languageChoice, read, say } from "../common/language.js";
import { AS } from "../common/you.js";

const asked = new URLSearchParams(location.search);
const asHost = asked.get("as") === "host";
const way = asHost ? "host" : "code";
const field = /** @type {HTMLInputElement} */ (byId(asHost ? "password" : "code"));
const stays = /** @type {HTMLInputElement} */ (byId("stays"));
const button = /** @type {HTMLButtonElement} */ (byId("enter"));
const to = pathOf(asked.get("to"));

/** The path on this machine that an address means; the tablet page where it means none. @param {string | null} address */
function pathOf(address) {
  try {
    const url = new URL(address || "/tablet", location.origin);
    const path = url.pathname + url.search;
    return new URL(path, location.origin).origin === url.origin && url.origin === location.origin ? path : "/tablet";
  } catch {
    return "/tablet";
  }
}

/** Says why it did not work; empty: nothing is wrong. @param {string} text */
function answer(text) {
  byId("answer").textContent = text;
  field.toggleAttribute("aria-invalid", false);
  if (text) field.setAttribute("aria-invalid", "true");
}

/** Gives a code or the password, and goes on where it opens. @param {string} given */
async function enter(given) {
  button.disabled = true;
  try {
    const body = { [asHost ? "password" : "code"]: given, stays: stays.checked };
    const reply = await fetch("/join", { method: "POST", body: JSON.stringify(body) });
    if (!reply.ok) {
      answer(read(await reply.text()));
      field.select();
    } else if (!(await standing())) field.value = "";
  } catch {
    answer(say("There is no connection to the table right now: is this device in the same network?"));
  } finally {
    button.disabled = false;
  }
}

/** Goes on if this device may, and otherwise says what it may; returns whether it goes on. @param {boolean} [again] */
async function standing(again = false) {
  /** @type {{ role: Role | null, may: boolean, here: boolean, password_at: string }} */
  const { role, may, here, password_at } = await (await fetch(`/you.json?to=${encodeURIComponent(to)}`)).json();
  offerOtherWay(role, password_at);
  if (role && may && !here && !again && (!asHost || role === "host")) {
    location.replace(to);
    return true;
  }
  const on = /** @type {HTMLAnchorElement} */ (byId("on"));
  on.hidden = role === null;
  on.href = may ? to : "/";
  on.textContent = may ? say("Go on as it is") : say("To the start page");
  byId("standing").textContent =
    here
      ? say("This is the computer that runs the table: it needs no code.")
      : role
        ? say("This device has joined {role}.", { role: AS[role] }) + (may ? "" : ` ${say("What it wants to open needs another code.")}`)
        : "";
  return false;
}

/** Offers the password to who may have it, and the code to who asked for the password. @param {Role | null} role @param {string} at */
function offerOtherWay(role, at) {
  const link = /** @type {HTMLAnchorElement} */ (byId("way"));
  link.hidden = !asHost && (role === "host" || !at);
  link.href = asHost ? `/join?again&to=${encodeURIComponent(to)}` : `${at}/join?as=host&to=${encodeURIComponent(to)}`;
  link.textContent = asHost ? say("Join with a code") : say("Run the table from this device");
}

for (const each of document.querySelectorAll("[data-way]")) each.toggleAttribute("hidden", each.getAttribute("data-way") !== way);
field.required = true;
if (asHost) {
  byId("title").textContent = say("Run the table");
  byId("enter").textContent = say("Go on");
  document.title = say("Run the table – overtable");
}
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  answer("");
  void enter(field.value);
});
field.addEventListener("input", () => {
  answer("");
  if (asHost) return;
  const digits = field.value.replace(/\D/g, "").slice(0, 6);
  field.value = digits.length > 3 ? `${digits.slice(0, 3)} ${digits.slice(3)}` : digits;
});

/** @type {HTMLElement} */ (document.querySelector(".bar")).append(languageChoice());
const code = asked.get("code");
history.replaceState(null, "", `/join?${asHost ? "as=host&" : ""}to=${encodeURIComponent(to)}`); // the code is nobody's to read over a shoulder
if (code && !asHost) void enter(code);
else {
  standing(asked.has("again")).catch(() => answer(say("There is no connection to the table right now.")));
  field.focus();
}
