// @ts-check
// A recorded game that came with the page: its views moment by moment, each made of the one before.

/** @import { Delta, View, WholeGame } from "../messages.js" */
import { placed } from "../common/along.js";
import { named, read, readMessage, say, unpack } from "../common/language.js";
import { apply } from "../common/live.js";

/** @typedef {{ entry: number, number: number, when: string, who: string, parts: string[], fates: string[] }} Move  the row after which it stood as it was judged, and the move in words */

/**
 * What the file holds.
 * @typedef {object} Packed
 * @property {string} title
 * @property {WholeGame} game
 * @property {View} full  the first moment
 * @property {[number, number, Delta["set"], Delta["gone"]][]} moments  time, row of the journal, and what changed; the first is empty
 * @property {Move[]} moves
 */

/** A view is kept of every so many moments. */
const KEPT = 64;

/** Unpacks what the page holds, in the reader's language; views are put into it as they are shown. @returns {Promise<Packed>} */
export async function unpacked() {
  /** @type {Packed} */
  const packed = JSON.parse(await unpack(/** @type {HTMLElement} */ (document.getElementById("game"))));
  return { ...packed, game: readMessage(packed.game), full: readMessage(packed.full) };
}

/** A move as a sentence. @param {Move} move */
const inWords = ({ number, when, who, parts, fates }) =>
  `${say("Move {number}.", { number })} ${read(when)} ${who}: ${parts.map((part) => named(read(part))).join(", ")}; ${fates.map(read).join("; ")}.`;

/** @param {Packed} packed */
export function film({ full, moments, moves }) {
  /** @type {View[]} */
  const kept = [full];
  let view = full;
  moments.forEach(([, , set, gone], at) => {
    if (at) view = after(view, set, gone);
    if (at % KEPT === 0) kept[at / KEPT] = view;
  });
  let shown = { at: 0, view: full };

  /** @param {(moment: Packed["moments"][number]) => boolean} holds  of the first moments only @returns {number} the last for which it holds */
  function last(holds) {
    let [low, high] = [0, moments.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (holds(moments[middle])) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  return {
    count: moments.length,
    /** @param {number} at */
    time: (at) => moments[at][0],
    /** The last moment up to a time. @param {number} at_ns */
    at: (at_ns) => last(([time]) => time <= at_ns),
    /** The moments at which moves stood as they were judged. */
    moves: moves.map((move) => ({ at: last(([, row]) => row <= move.entry), text: inWords(move) })),
    /** The table at a moment. @param {number} at @returns {View} */
    view(at) {
      const near = Math.floor(at / KEPT);
      let { at: from, view: now } = shown.at <= at && shown.at >= near * KEPT ? shown : { at: near * KEPT, view: kept[near] };
      while (from < at) now = after(now, moments[++from][2], moments[from][3]);
      shown = { at, view: now };
      return { ...now, shapes: placed(now) };
    },
  };
}

/** @param {View} view @param {Delta["set"]} set @param {Delta["gone"]} gone */
const after = (view, set, gone) => apply(view, { type: "delta", seq: 0, set: readMessage(set), gone });
