// @ts-check
// The page's way to the past: what happened so far, and the table at any moment of it.

import { addressOf } from "../common/address.js";
import { read, readMessage, say } from "../common/language.js";

export { clock } from "../common/clock.js";

/** @import { FoundView, HappeningView, Incident, MeasuredView, PastView, View, WholeGame } from "../messages.js" */

/**
 * The whole game as far as it is known here.
 * @typedef {object} Game
 * @property {HappeningView[]} happened  in order
 * @property {FoundView[]} found  in order
 * @property {number} ended_ns
 * @property {string} recording
 * @property {number | null} began_ms  the date and time of its beginning; null where nobody knows
 * @property {boolean} whole  all of it has been judged
 * @property {number} judged_ns  how far it has been judged
 */

const ASK_EVERY_MS = 2000;
const RETRY_MS = 4000;
const AWAY = say("The program at the table does not answer; try again in a moment.");

/**
 * Asks for something; a refusal is the sentence that the server gives.
 * @param {string} address  as the table's own machine has it
 * @returns {Promise<any>}
 */
export async function asked(address) {
  const answer = await fetch(addressOf(address)).catch(() => {
    throw new Error(AWAY);
  });
  if (!answer.ok) throw new Error(read(await answer.text()));
  return readMessage(await answer.json());
}

/**
 * Follows what happens in the game.
 * @param {(game: Game) => void} changed
 * @param {(why: string) => void} refused
 * @returns {() => void}  asks at once
 */
export function following(changed, refused) {
  /** @type {Map<number, FoundView>} */
  const found = new Map();
  /** @type {HappeningView[]} */
  const happened = [];
  let revision = 0;
  let recording = "";
  let last = "";
  let asking = false;
  /** @type {number | undefined} */
  let waiting;

  function forget() {
    found.clear();
    happened.length = revision = 0;
    last = "";
  }

  async function ask() {
    clearTimeout(waiting);
    if (asking) return;
    asking = true;
    let wait_ms = ASK_EVERY_MS;
    try {
      /** @type {WholeGame} */
      const told = await asked(`/past/moments.json?after=${revision}`);
      if (told.recording !== recording || told.revision < revision) {
        const known = revision > 0;
        recording = told.recording;
        forget();
        if (known) {
          // Another game: the program was started anew, or a set-up ended.  What came is only a part of it.
          asking = false;
          return ask();
        }
      }
      happened.push(...told.happened);
      for (const each of told.found) found.set(each.number, each);
      const now = `${told.revision} ${told.ended_ns} ${told.more}`;
      revision = told.revision;
      if (told.more) wait_ms = 0;
      if (now !== last) {
        last = now;
        const { ended_ns, judged_ns, began, more } = told;
        changed({ happened, found: [...found.values()], ended_ns, judged_ns, recording, began_ms: began ? Date.parse(began) : null, whole: !more });
      }
    } catch (error) {
      wait_ms = RETRY_MS;
      const why = error instanceof Error ? error.message : String(error);
      if (last !== "refused" && why !== AWAY && why.length < 300) refused(why); // the bar says that there is no connection
      last = "refused";
    }
    asking = false;
    waiting = setTimeout(ask, document.hidden ? RETRY_MS : wait_ms);
  }

  ask();
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 150); // several messages come of one happening
  };
}

/**
 * Fetches moments one at a time: while one is on its way only the latest that was asked for is remembered.
 * @param {(view: View, at_ns: number) => void} got
 * @param {(why: string) => void} refused
 */
export function fetcher(got, refused) {
  /** @type {{ at_ns: number, zones: boolean } | null} */
  let wanted = null;
  let busy = false;

  async function work() {
    while (wanted) {
      const { at_ns, zones } = wanted;
      wanted = null;
      try {
        /** @type {PastView} */
        const past = await asked(`/past/view.json?at_ns=${Math.round(at_ns)}&zones=${zones}`);
        if (!wanted || /** @type {{ zones: boolean }} */ (wanted).zones === zones) got(past.view, at_ns);
      } catch (error) {
        refused(error instanceof Error ? error.message : String(error));
      }
    }
    busy = false;
  }

  return {
    /** @param {number} at_ns @param {boolean} zones */
    ask(at_ns, zones) {
      wanted = { at_ns, zones };
      if (busy) return;
      busy = true;
      work();
    },
    drop: () => void (wanted = null),
  };
}

/** How far two things stood apart. @param {number} at_ns @param {string} a @param {string} b @returns {Promise<MeasuredView>} */
export const measure = (at_ns, a, b) =>
  asked(`/past/measure.json?at_ns=${Math.round(at_ns)}&a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`);

/** @param {string} query @returns {Promise<Incident>} */
export const incident = (query) => asked(`/past/incident.json${query}`);
