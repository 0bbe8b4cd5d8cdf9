// @ts-check
// The page's end of the socket: keeps the view, asks for it again after a missed message, reconnects.

/** @import { View, Delta, ToPage, FromPage } from "../messages.js" */
import { addressOf } from "./address.js";
import { placed } from "./along.js";
import { readMessage, say } from "./language.js";
import { ownName } from "./you.js";

/** @typedef {keyof View} Section */
/** @typedef {"connecting" | "live" | "reconnecting"} Link */

/**
 * What a page does with what it hears.
 * @typedef {object} Listener
 * @property {(view: View, touched: Set<Section>) => void} changed  called with the whole view after each message
 * @property {boolean} [ahead]  it also wants to hear what is told ahead of a touch, which by itself changes nothing to be seen
 * @property {(link: Link) => void} [link]
 * @property {(text: string) => void} [refused]
 */

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4000;
const ANSWER_WITHIN_MS = 3000;
const OPEN_WITHIN_MS = 8000;
/** What was sent so shortly before the last that was heard may have been lost with the connection. */
const DOUBTFUL_MS = 250;
const DOUBTFUL = say("The connection broke off just now: look whether what you pressed last has happened.");
/** A table tells its pages something every second or so; one that says nothing for this long is asked whether it is there. */
const QUIET_MS = 5000;
/** The server closes the socket with this when the device has not joined, or was sent away. */
const JOIN_FIRST = 4401;

/**
 * Connects to the server for as long as the page is open.
 * @param {Listener} listener
 * @returns {(message: FromPage) => boolean}  sends a message; false when there is no connection to send it on
 */
export function live(listener) {
  /** @type {View | null} */
  let view = null;
  /** @type {View["shapes"]} */
  let shapes = {};
  let seq = 0;
  let failures = 0;
  let [heard_ms, sent_ms] = [0, -Infinity];
  /** Bytes that had not gone out when somebody looked last. */
  let unsent = 0;
  /** @type {WebSocket} */
  let socket;
  /** @type {number | undefined} */
  let retry;
  /** @type {number | undefined} what happens unless something is heard before */
  let watchdog;

  /** @param {Link} link */
  function tellLink(link) {
    document.documentElement.dataset.link = link; // what is pressed without a connection does nothing, and looks so
    listener.link?.(link);
  }

  function connect() {
    clearTimeout(retry);
    view = null;
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${addressOf("/ws")}?device=${ownName()}`);
    socket.onmessage = (event) => hear(JSON.parse(event.data));
    socket.onclose = lost;
    unlessHeard(anew, OPEN_WITHIN_MS);
  }

  /** @param {() => void} then @param {number} within_ms */
  function unlessHeard(then, within_ms) {
    clearTimeout(watchdog);
    watchdog = setTimeout(then, within_ms);
  }

  /**
   * Leaves a connection on which nothing is heard; a closing handshake would not be, either.  One that still takes what
   * is sent, as a slow one takes a file, has not come to the question yet.
   */
  function anew() {
    const before = unsent;
    unsent = socket.bufferedAmount;
    if (unsent < before) return unlessHeard(anew, ANSWER_WITHIN_MS);
    socket.onclose = socket.onmessage = null;
    socket.close();
    broken();
    connect();
  }

  /** Nothing that was pressed is lost without a word. */
  function broken() {
    tellLink("reconnecting");
    if (sent_ms > heard_ms - DOUBTFUL_MS) listener.refused?.(DOUBTFUL);
    sent_ms = -Infinity;
  }

  /** @param {CloseEvent} event */
  function lost(event) {
    clearTimeout(watchdog);
    broken();
    if (event.code === JOIN_FIRST) return location.replace(`/join?to=${encodeURIComponent(location.pathname + location.search)}`);
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++);
    retry = setTimeout(connect, wait * (0.75 + Math.random() / 2)); // spread, so that pages do not return all at once
  }

  /** @param {ToPage} told */
  function hear(told) {
    const message = readMessage(told);
    unlessHeard(wake, QUIET_MS);
    heard_ms = performance.now();
    failures = 0;
    if (message.type === "refused") return listener.refused?.(message.text);
    if (message.type === "full") {
      if (view === null) tellLink("live");
      view = message.view;
      seq = message.seq;
      document.documentElement.dataset.role = view.you.you?.role;
      return tell(view, new Set(/** @type {Section[]} */ (Object.keys(view))));
    }
    if (view === null) return; // waiting for the whole view
    if (message.seq !== seq + 1) {
      view = null;
      send({ type: "resync" });
      return;
    }
    seq = message.seq;
    view = apply(view, message);
    tell(view, touched(message));
  }

  /** Shows the listener a view whose shapes are all where they are on the table. @param {View} now @param {Set<Section>} changed */
  function tell(now, changed) {
    if (changed.has("models") || changed.has("shapes")) {
      shapes = placed(now);
      if (shapes !== now.shapes) changed.add("shapes");
    }
    if (!listener.ahead) changed.delete("ahead");
    if (changed.size) listener.changed({ ...now, shapes }, changed);
  }

  /** @param {FromPage} message */
  function send(message) {
    if (socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    if (message.type !== "resync") sent_ms = performance.now();
    return true;
  }

  /**
   * After sleep, or out of reach of the network, a socket may look open and be dead: ask for the view, and connect anew
   * unless it comes.
   */
  function wake() {
    if (document.visibilityState === "hidden") return;
    if (socket.readyState === WebSocket.CLOSED) return connect();
    unsent = socket.bufferedAmount;
    if (send({ type: "resync" })) unlessHeard(anew, ANSWER_WITHIN_MS);
  }

  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  tellLink("connecting");
  connect();
  return send;
}

/**
 * Returns the view after a delta; sections and values that it does not touch are the same objects as before.
 * @param {View} view
 * @param {Delta} delta
 * @returns {View}
 */
export function apply(view, delta) {
  const after = /** @type {Record<string, Record<string, unknown>>} */ ({ ...view });
  for (const section of touched(delta)) {
    after[section] = { ...view[section], ...whole(view[section], delta.set[section] ?? {}) };
    for (const key of delta.gone[section] ?? []) delete after[section][key];
  }
  return /** @type {View} */ (/** @type {unknown} */ (after));
}

/**
 * Completes what a delta sets: of a value that is known it holds only the fields that changed.
 * @param {Record<string, object>} known
 * @param {Record<string, object>} set
 */
const whole = (known, set) =>
  Object.fromEntries(
    Object.entries(set).map(([key, fields]) => [key, Object.hasOwn(known, key) ? { ...known[key], ...fields } : fields]),
  );

/**
 * @param {Delta} delta
 * @returns {Set<Section>}
 */
function touched(delta) {
  return new Set(/** @type {Section[]} */ ([...Object.keys(delta.set), ...Object.keys(delta.gone)]));
}
