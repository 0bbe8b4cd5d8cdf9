// @ts-check
// The steps about the game: who plays, and its beginning.

/** @import { LayoutOfferView, OfferView, SetupView, StepView, View } from "../messages.js" */
/** @import { Send } from "./fields.js" */
import { block, el, icon } from "../common/dom.js";
import { armiesStep } from "./armies.js";
import { enter, line, link } from "./fields.js";
import { layoutEditor } from "./layout-editor.js";
import { read, say, sayCount } from "../common/language.js";
import { tournamentCard } from "./tournament.js";

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function gameStep(place, send) {
  const offers = el("div", { class: "choices", role: "group", "aria-label": say("Sample games") });
  const file = line("game_file", say("Or a situation file on this computer"), send, { hint: say("such as /home/me/game.json") });
  const wrong = el("p", { class: "wrong", hidden: true });
  const entered = el("div", {});
  const editing = el("div", { class: "buttons" });
  const editor = layoutEditor(send, (name) => enter(send, { layout: name }));
  const edited = block(editing, (/** @type {{ chosen: string }} */ { chosen }) => [
    chosen && el("button", { "data-key": "edit-layout", onclick: () => send({ type: "layout-open", layout: chosen }) }, say("Edit this layout")),
    el("button", { "data-key": "new-layout", onclick: () => send({ type: "layout-open" }) }, say("Draw your own")),
  ]);
  const tables = el("div", { class: "choices layouts", role: "group", "aria-label": say("Layouts") });
  const composed = el("button", { class: "primary", "data-key": "compose", "aria-pressed": "false", onclick: () => send({ type: "setup-armies" }) }, say("Play with these armies"));
  place.replaceChildren(wrong, entered, el("h3", {}, say("What stands on the table")), el("p", { class: "quiet" }, say("Terrain, objectives and deployment zones for a game with these armies.")), tables, editing, composed, el("h3", {}, say("Or a sample game, with a table of its own")), offers, file.element);
  const armies = armiesStep(entered, send);
  const offered = block(offers, (/** @type {{ all: OfferView[], chosen: string }} */ { all, chosen }) =>
    all.map(({ rulebook, title, width_mm, depth_mm, models }) =>
      el("button", { "data-key": `demo:${rulebook}`, "aria-pressed": String(chosen === `demo:${rulebook}`), onclick: () => enter(send, { game: `demo:${rulebook}` }) },
        el("strong", {}, title), el("small", {}, sayCount(models, "1 model, {width} × {depth}\"", "{n} models, {width} × {depth}\"", { width: Math.round(width_mm / 25.4), depth: Math.round(depth_mm / 25.4) }))),
    ),
  );
  const laid = block(tables, (/** @type {{ all: LayoutOfferView[], chosen: string, rulebook: string }} */ { all, chosen, rulebook }) => {
    const sorted = [...all].sort((a, b) => Number(b.rulebook === rulebook) - Number(a.rulebook === rulebook));
    /** @param {string} name @param {(Node | string)[]} inside */
    const choice = (name, ...inside) => el("button", { "data-key": `layout:${name}`, "aria-pressed": String(chosen === name), onclick: () => enter(send, { layout: name }) }, ...inside);
    return [
      choice("", el("strong", {}, say("A bare table")), el("small", {}, say("Nothing stands on it"))),
      ...sorted.map(({ name, title, credit, objectives }) =>
        choice(name, el("img", { src: `/layouts/${encodeURIComponent(name)}.svg`, alt: "", loading: "lazy" }), el("strong", {}, title), el("small", {}, sayCount(objectives, "1 objective", "{n} objectives") + (credit && credit !== "overtable" ? `, ${credit}` : ""))),
      ),
    ];
  });
  return (view) => {
    const { setup } = view.setup;
    armies(view);
    laid({ all: setup.layouts, chosen: setup.entries.layout ?? "", rulebook: view.armies.armies?.rulebook ?? "" });
    edited({ chosen: setup.entries.layout ?? "" });
    editor(view);
    composed.setAttribute("aria-pressed", String(setup.entries.game === "armies"));
    offered({ all: setup.offers, chosen: setup.entries.game ?? "" });
    file.show(setup);
    wrong.textContent = setup.wrong.game ?? "";
    wrong.hidden = !setup.wrong.game;
  };
}

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function readyStep(place, send) {
  const title = line("title", say("What is this game called?"), send, { usual: ({ folder }) => folder.split(/[/\\]/).pop() ?? "" });
  const now = el("div", { class: "part" });
  let asked = false;
  // Neither is ever made anew, so that it is not replaced under a finger.
  const begin = el("button", { class: "primary", "data-key": "begin", onclick: () => {
    asked = true;
    send({ type: "setup-begin" });
  } }, say("Begin the game"));
  const end = el("button", { "data-key": "end", onclick: () => send({ type: "setup-end" }) }, say("End the game, and change the set-up"));
  const earlier = el("div", { class: "part" });
  const fillEarlier = block(earlier, (/** @type {SetupView["earlier"]} */ games) => [
    games.length > 0 && el("h3", {}, say("Or go on with a game that was broken off")),
    ...games.map(({ recording, title, ended_s }) =>
      el("button", { "data-key": `go-on:${recording}`, onclick: () => {
        asked = true;
        send({ type: "setup-go-on", recording });
      } }, el("strong", {}, title), el("small", {}, say("until {when}", { when: new Date(1000 * ended_s).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) }))),
    ),
  ]);
  const promise = el("p", { class: "quiet" }, say("From then on everything is recorded. Nothing was recorded before."));
  const tournament = el("div", { class: "part" });
  const showTournament = tournamentCard(tournament, send);
  place.replaceChildren(title.element, now, begin, promise, earlier, end, tournament);
  const fill = block(now, (/** @type {{ steps: Record<string, StepView>, hindered: string[], recording: string }} */ { steps, hindered, recording }) =>
    recording
      ? [el("p", { class: "kept" }, icon("legal"), say("The game is on.")), el("p", { class: "quiet recorded" }, say("It is recorded to {recording}", { recording })), link("/tablet", say("To the tablet’s page"), { primary: true })]
      : [
          hindered.length > 0 && el("h3", {}, say("Before it can begin")),
          el("ul", { class: "lacking" }, ...hindered.map((text) => el("li", {}, el("a", { href: `#${stepOf(steps, text)}` }, text)))),
          hindered.length === 0 && weak(steps),
        ],
  );
  return (view) => {
    const { setup: { setup }, steps } = view;
    const on = Boolean(setup.recording);
    showTournament(view);
    title.show(setup);
    fill({ steps, hindered: setup.hindered, recording: setup.recording });
    fillEarlier(on || setup.hindered.length ? [] : setup.earlier);
    title.element.hidden = begin.hidden = promise.hidden = on;
    begin.disabled = setup.hindered.length > 0;
    end.hidden = !on;
    if (asked && on) location.assign("/tablet");
  };
}

/** What could be better, though a game can begin. @param {Record<string, StepView>} steps */
function weak(steps) {
  const found = Object.entries(steps).filter(([name, { state }]) => name !== "ready" && state !== "good");
  if (found.length === 0) return el("p", {}, say("Everything is good."));
  return el("div", { class: "part" }, el("h3", {}, sayCount(found.length, "Ready, 1 suggestion", "Ready, {n} suggestions")), el("ul", { class: "lacking" }, ...found.map(([name, { title, text }]) => el("li", {}, el("a", { href: `#${name}` }, `${read(title)}: ${text}`)))));
}

/** The step that a sentence is about: it begins with the step's title. @param {Record<string, StepView>} steps @param {string} text */
const stepOf = (steps, text) => Object.keys(steps).find((name) => text.startsWith(read(steps[name].title))) ?? "ready";
