// @ts-check
// Where a device joins: by the code that somebody types, or by the one that a QR code's address carries.

/** @import { Role } from "../common/you.js" */
import { byId } from "../common/dom.js";
import { AS } from "../common/you.js";

const field = /** @type {HTMLInputElement} */ (byId("code"));
const button = /** @type {HTMLButtonElement} */ (byId("enter"));
const asked = new URLSearchParams(location.search);
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

/** Gives a code, and goes on where it opens. @param {string} code */
async function enter(code) {
  button.disabled = true;
  try {
    const reply = await fetch("/join", { method: "POST", body: JSON.stringify({ code }) });
    if (!reply.ok) {
      answer(await reply.text());
      field.select();
    } else if (!(await standing())) field.value = "";
  } catch {
    answer("There is no connection to the table right now: is this device in the same network?");
  } finally {
    button.disabled = false;
  }
}

/** Goes on if this device may, and otherwise says what it may; returns whether it goes on. @param {boolean} [stays] */
async function standing(stays = false) {
  /** @type {{ role: Role | null, may: boolean }} */
  const { role, may } = await (await fetch(`/you.json?to=${encodeURIComponent(to)}`)).json();
  if (role && may && role !== "host" && !stays) {
    location.replace(to);
    return true;
  }
  const on = /** @type {HTMLAnchorElement} */ (byId("on"));
  on.hidden = role === null;
  on.href = may ? to : "/";
  on.textContent = may ? "Go on as it is" : "To the start page";
  byId("standing").textContent =
    role === "host"
      ? "This is the computer that runs the table: it needs no code."
      : role
        ? `This device has joined ${AS[role]}.${may ? "" : " What it wants to open needs another code."}`
        : "";
  return false;
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  answer("");
  void enter(field.value);
});
field.addEventListener("input", () => {
  answer("");
  const digits = field.value.replace(/\D/g, "").slice(0, 6);
  field.value = digits.length > 3 ? `${digits.slice(0, 3)} ${digits.slice(3)}` : digits;
});

const code = asked.get("code");
history.replaceState(null, "", `/join?to=${encodeURIComponent(to)}`); // the code is nobody's to read over a shoulder
if (code) void enter(code);
else {
  standing(asked.has("again")).catch(() => answer("There is no connection to the table right now."));
  field.focus();
}
