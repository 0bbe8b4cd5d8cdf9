// @ts-check
// How others join: for each role a code to type and one to scan, shown on the machine that runs the table only.

/** @import { Role } from "../common/you.js" */
import { block, byId, el } from "../common/dom.js";
import { read, say, sayCount } from "../common/language.js";
import { toast } from "../common/toast.js";
import { AS } from "../common/you.js";
import { programsCard } from "./programs.js";
import { remoteCard } from "./remote.js";

/** @typedef {{ role: Role, code: string, devices: number }} Joining */
/** @typedef {{ id: string, role: Role, name: string, since: string, seen: string, program: boolean }} Staying */
/** @typedef {{ url: string, fingerprint: string }} Encrypted */
/** @typedef {{ open: boolean, password: boolean, encrypted: Encrypted[], stays: Staying[], addresses: string[], roles: Joining[], token?: string }} Codes */

const ASKED_AGAIN_MS = 5000;
/** @type {Record<string, [string, string]>} */
const WORDS = {
  player: [say("Player"), say("Plays: announces, enters dice, accepts, takes back.")],
  judge: [say("Judge"), say("Plays, and decides what is in doubt.")],
  viewer: [say("Viewer"), say("Sees everything and changes nothing.")],
};

/** @type {Codes | null} */
let codes = null;
/** @type {Role} */
let chosen = "player";
/** @type {Role | null} whose devices are sent away when the button is pressed once more */
let sure = null;

const fill = block(byId("join"), (/** @type {{ codes: Codes, chosen: Role, sure: Role | null }} */ data) => card(data));

const fillStays = block(byId("stays"), (/** @type {Staying[]} */ each) => [
  el("h3", {}, say("These stay joined")),
  el("ul", {}, ...each.map(({ id, role, name, since, seen, program }) =>
    el("li", {},
      el("span", {}, say(program ? "{name}, a program {role}" : "{name}, {role}", { name, role: AS[role] }), el("small", { class: "quiet" }, say(" since {since}, last seen {seen}", { since, seen }))),
      el("button", { class: "small", "data-key": `withdraw-${id}`, onclick: () => void ask(`/codes/stays/${id}/withdraw`, "POST") }, say("Withdraw")),
    ),
  )),
]);
programsCard(async (wanted) => ((await ask("/codes/programs", "POST", JSON.stringify(wanted))) ? codes : null));
const showRemote = remoteCard((password) => ask("/codes/password", "POST", JSON.stringify({ password })));

/** Shows the card for who this page is. @param {Role} role */
export function joinCard(role) {
  if (role !== "host") {
    byId("join").replaceChildren(
      el("p", {}, say("This device has joined {role}.", { role: AS[role] })),
      el("p", {}, el("a", { href: "/join?again&to=/" }, say("Enter another code"))),
    );
    return;
  }
  byId("programs-card").hidden = false;
  void ask("/codes.json");
  setInterval(() => document.visibilityState === "visible" && void ask("/codes.json"), ASKED_AGAIN_MS);
}

/** Asks for the codes, or changes them; returns whether that was done. @param {string} address @param {string} [method] @param {string} [body] */
async function ask(address, method = "GET", body = undefined) {
  try {
    const reply = await fetch(address, { method, body });
    if (!reply.ok) {
      toast(read(await reply.text()));
      return false;
    }
    codes = await reply.json();
    show();
    return true;
  } catch {
    if (method !== "GET") toast(say("There is no connection to the table right now."));
    return false;
  }
}

function show() {
  if (!codes) return;
  fill({ codes, chosen, sure });
  byId("stays").hidden = codes.stays.length === 0;
  fillStays(codes.stays);
  showRemote(codes);
}

/** @param {Role} role */
function choose(role) {
  chosen = role;
  sure = null;
  show();
}

/** @param {{ codes: Codes, chosen: Role, sure: Role | null }} data */
function card({ codes, chosen, sure }) {
  const joining = codes.roles.find(({ role }) => role === chosen);
  if (!joining || !codes.addresses.length) {
    return [el("p", { class: "quiet" }, say("Only this computer can connect: the program was started so, or the computer is in no network."))];
  }
  const { role, code, devices } = joining;
  const [, about] = WORDS[role];
  const spoken = `${code.slice(0, 3)} ${code.slice(3)}`;
  const count = devices === 0 ? say("No device has joined yet.") : sayCount(devices, "1 device has joined.", "{n} devices have joined.");
  return [
    el(
      "div",
      { class: "chips", role: "group", "aria-label": say("Who joins") },
      ...codes.roles.map((each) =>
        el(
          "button",
          { class: "small", "data-key": each.role, "aria-pressed": String(each.role === role), onclick: () => choose(each.role) },
          WORDS[each.role][0],
        ),
      ),
    ),
    el("p", { class: "quiet" }, about),
    codes.open && role === "player" && el("p", { class: "warning" }, say("The table is open: every device in this network plays without a code.")),
    el("img", { src: `/codes/${role}.svg?${code}`, alt: say("QR code to join {role}", { role: AS[role] }), class: "qr" }),
    el("p", {}, say("Same network, then scan it, or open")),
    ...codes.addresses.map((url) => el("p", { class: "address" }, url.replace("http://", ""))),
    el("p", {}, say("and enter")),
    el("p", { class: "code", "aria-label": say("Code {digits}", { digits: code.split("").join(" ") }) }, spoken),
    el("p", { class: "quiet" }, count),
    el(
      "div",
      { class: "buttons" },
      el("button", { class: "small", "data-key": "renew", onclick: () => void ask(`/codes/${role}/renew`, "POST") }, say("New code")),
      el(
        "button",
        { class: "small", "data-key": "away", disabled: devices === 0, onclick: () => sendAway(role) },
        sure === role ? say("Disconnect {devices}? Press again", { devices }) : say("Disconnect all"),
      ),
    ),
  ];
}

/** Asks once more before it sends devices away. @param {Role} role */
function sendAway(role) {
  if (sure !== role) sure = role;
  else {
    sure = null;
    void ask(`/codes/${role}/send-away`, "POST");
  }
  show();
}
