// @ts-check
// Shares a moment of the game, as a picture, a clip or a link into the replay, and the whole game as a battle report.

/** @import { PastView, View } from "../messages.js" */
/** @import { Moment } from "./moment.js" */
import { addressOf } from "./address.js";
import { asked, clock } from "../judge/past.js";
import { headOf } from "./call.js";
import { block, el, icon } from "./dom.js";
import { giveFile, recordFilm } from "./files.js";
import { say } from "./language.js";
import { drawMoment, sizeOf } from "./moment.js";

/** The table from straight above, as the camera saw it then. @typedef {{ image: ImageBitmap, captured_ns: number }} Photo */

/**
 * Where moments come from.
 * @typedef {object} Source
 * @property {() => Promise<Moment | null>} moment  the one that is looked at; null before there is one
 * @property {(at_ns: number) => Promise<View>} viewAt
 * @property {(at_ns: number, width_px: number) => Promise<Photo | null>} photoAt  null where none was kept
 * @property {(at_ns: number) => string} link  into the replay; empty where nobody else could follow it
 * @property {boolean} game  the table makes a report of the whole game, too
 */

/** Whoever tells that the game is over brings up what may be made of it. */
export const GAME_OVER = "game-over";
const [PICTURE_PX, CLIP_PX] = [1920, 1280];
const CLIP_S = 6;
/** So many pictures of a clip are looked up each second. */
const LOOKS = 8;
const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;
const NOW_NS = 10 ** 18; // beyond every game's end
/** The camera's picture is asked for at every so many of them: each takes the program a while. */
const PHOTO_LOOKS = 4;
const STEP_NS = 1e9 / LOOKS;
/** A picture of the camera's that was taken so near to a moment shows it, seconds. */
const SAME_S = 0.5;

/**
 * Builds the button, and what it opens.
 * @param {Source} source
 * @param {HTMLElement} bar  where it stands
 */
export function shareButton(source, bar = /** @type {HTMLElement} */ (document.querySelector(".bar"))) {
  const canvas = el("canvas", { role: "img" });
  const [buttons, game] = [el("div", { class: "buttons" }), el("div", { class: "buttons" })];
  const link = /** @type {HTMLInputElement} */ (el("input", { readonly: true, "aria-label": say("Link to this moment"), onfocus: () => link.select() }));
  const linked = el("div", { class: "link" }, link, el("button", { class: "small", "data-key": "share-link", onclick: copyLink }, say("Copy link")));
  const whole = el("section", {}, el("h2", {}, say("Share the whole game")), game);
  const said = el("p", { class: "quiet", role: "status" });
  const dialog = el(
    "dialog",
    { class: "dialog share", "aria-label": say("Share") },
    el("h2", {}, say("Share this moment")),
    canvas,
    buttons,
    linked,
    source.game && whole,
    said,
    el("button", { class: "primary", "data-key": "share-close", onclick: () => dialog.close() }, say("Done")),
  );
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {Moment | null} */
  let moment = null;
  /** @type {"" | "clip" | "film"} what takes its time */
  let busy = "";
  const fill = block(buttons, (/** @type {{ known: boolean, busy: string }} */ { known, busy: now }) => [
    el("button", { "data-key": "share-picture", disabled: !known, onclick: () => canvas.toBlob((blob) => blob && void giveFile(blob, `${fileName()}.png`)) }, icon("camera"), say("Picture")),
    el("button", { "data-key": "share-clip", disabled: !known || now !== "", onclick: () => void keepClip() }, icon("play"), now === "clip" ? say("Filming …") : say("Clip of {seconds} seconds", { seconds: CLIP_S })),
  ]);
  const fillGame = block(game, (/** @type {{ busy: string }} */ { busy: now }) => [
    el("a", { class: "button", href: addressOf("/past/battle.html"), target: "_blank", "data-key": "share-report" }, say("Battle report")),
    el("a", { class: "button", href: addressOf("/past/battle.pdf"), target: "_blank", "data-key": "share-pdf" }, "PDF"),
    el("button", { "data-key": "share-film", disabled: now !== "", onclick: () => void keepFilm() }, now === "film" ? say("Making the film …") : say("Timelapse film")),
  ]);

  function show() {
    fill({ known: moment !== null, busy });
    fillGame({ busy });
    const to = moment && moment.at_ns !== null ? source.link(moment.at_ns) : "";
    link.value = to;
    linked.hidden = !to;
  }

  /** @param {boolean} over  the game is, so that it is what is to be shared */
  async function open(over) {
    const [title] = whole.children;
    title.textContent = over ? say("The game is over") : say("Share the whole game");
    if (over) dialog.prepend(whole);
    else if (source.game) said.before(whole);
    moment = null;
    said.textContent = "";
    show();
    dialog.showModal();
    try {
      moment = await source.moment();
      if (!moment) throw new Error("The table is not shown here yet; try again in a moment.");
    } catch (error) {
      tell(error);
    }
    if (moment) {
      canvas.setAttribute("aria-label", `${moment.title}, ${moment.when}. ${moment.said}`);
      [canvas.width, canvas.height] = sizeOf(moment, PICTURE_PX);
      drawMoment(ctx, moment);
    }
    show();
  }

  const fileName = () => `${moment?.title ?? "overtable"} ${moment && moment.at_ns !== null ? clock(moment.at_ns, false).replaceAll(":", "-") : ""}`.trim();

  /** The seconds that led to the moment; where nothing is recorded, the moment alone. */
  async function keepClip() {
    const shown = moment;
    if (!shown || busy) return;
    const film = el("canvas");
    [film.width, film.height] = sizeOf(shown, CLIP_PX);
    const drawn = /** @type {CanvasRenderingContext2D} */ (film.getContext("2d"));
    await working("clip", async () => {
      const frames = await framesBefore(shown);
      const { film: clip, ending } = await recordFilm(film, CLIP_S, (t) => drawMoment(drawn, frames[Math.min(frames.length - 1, Math.floor(t * LOOKS))]));
      await giveFile(clip, `${fileName()}.${ending}`);
    });
  }

  /** @param {Moment} last @returns {Promise<Moment[]>} */
  async function framesBefore(last) {
    const { at_ns } = last;
    if (at_ns === null) return [last];
    const from_ns = Math.max(0, at_ns - (CLIP_S - 1) * 1e9);
    const times = Array.from({ length: Math.ceil((at_ns - from_ns) / STEP_NS) }, (_, i) => Math.round(from_ns + i * STEP_NS));
    const photos = times.filter((_, i) => i % PHOTO_LOOKS === 0).map((time) => source.photoAt(time, CLIP_PX));
    const frames = times.map(async (time, i) => {
      const [view, photo] = await Promise.all([source.viewAt(time), photos[Math.floor(i / PHOTO_LOOKS)]]);
      return { ...last, view, when: clock(time) + apart(photo, time), photo: photo?.image ?? null };
    });
    return [...(await Promise.all(frames)), last];
  }

  /** How far from its moment a picture was taken, where that is worth knowing. @param {Photo | null} photo @param {number} at_ns */
  function apart(photo, at_ns) {
    const later_s = photo ? (photo.captured_ns - at_ns) / 1e9 : 0;
    return Math.abs(later_s) < SAME_S ? "" : say(later_s > 0 ? " (picture: {seconds} s later)" : " (picture: {seconds} s earlier)", { seconds: Math.abs(later_s).toFixed(1) });
  }

  async function keepFilm() {
    await working("film", async () => {
      const answer = await fetch(addressOf("/past/battle.webm"));
      if (!answer.ok) throw new Error(await answer.text());
      await giveFile(await answer.blob(), "timelapse.webm");
    });
  }

  /** @param {"clip" | "film"} what @param {() => Promise<void>} does */
  async function working(what, does) {
    busy = what;
    said.textContent = "";
    show();
    await does().catch(tell);
    busy = "";
    show();
  }

  async function copyLink() {
    link.select();
    // A page without a certificate may not write to the clipboard, but what is selected may be copied.
    await (navigator.clipboard?.writeText(link.value) ?? Promise.reject(new Error())).catch(() => document.execCommand("copy"));
    said.textContent = say("The link is copied.");
  }

  /** @param {unknown} error */
  function tell(error) {
    said.textContent = error instanceof TypeError ? say("The program at the table does not answer; try again in a moment.") : error instanceof Error ? error.message : String(error);
  }

  const button = el("button", { class: "round", "aria-label": say("Share"), title: say("Share"), "data-key": "share", onclick: () => void open(false) }, icon("share"));
  document.addEventListener(GAME_OVER, () => void open(true));
  bar.append(button);
  return button;
}

/**
 * Moments as the table serves them: what is recorded, else what is shown now.
 * @param {() => View | null} shown  what is looked at
 * @param {() => { at_ns: number | null, said: string }} place  when that is; null: now
 * @param {(view: View) => View} mine  as the person wants it
 * @returns {Source}
 */
export function servedMoments(shown, place, mine) {
  let base = location.href;
  const viewAt = async (/** @type {number} */ at_ns) => mine(/** @type {PastView} */ (await asked(`/past/view.json?at_ns=${at_ns}`)).view);
  return {
    game: true,
    viewAt,
    photoAt: pastPhoto,
    link: (at_ns) => new URL(addressOf(`/judge?at_ns=${Math.round(at_ns)}`), base).href,
    async moment() {
      const here = shown();
      const { at_ns: wanted_ns, said } = place();
      if (!here && wanted_ns === null) return null;
      const about = await headOf();
      base = await addressForOthers();
      const past = about ? /** @type {PastView} */ (await asked(`/past/view.json?at_ns=${Math.round(wanted_ns ?? NOW_NS)}`)) : null;
      const at_ns = past ? past.at_ns : null;
      const view = here ?? (past && mine(past.view)); // a moment may still be on its way to the page
      if (!view?.table.table) return null;
      return {
        view,
        at_ns,
        title: view.table.table.title,
        when: at_ns === null ? new Date().toLocaleTimeString() : clock(at_ns),
        photo: wanted_ns !== null ? ((await pastPhoto(wanted_ns, PICTURE_PX))?.image ?? null) : view.lookout.lookout ? await presentPhoto(PICTURE_PX) : null,
        said,
        about,
      };
    },
  };
}

/** Where others reach this page's table: the machine's own name for itself leads them to their own device. */
async function addressForOthers() {
  if (!LOOPBACK.test(location.hostname)) return location.href;
  const answer = await fetch("/codes.json").catch(() => null);
  /** @type {{ addresses: string[] }} */
  const { addresses } = answer?.ok ? await answer.json() : { addresses: [] };
  return addresses[0] ?? location.href;
}

/** @param {number} at_ns @param {number} width_px @returns {Promise<Photo | null>} */
async function pastPhoto(at_ns, width_px) {
  const answer = await fetch(addressOf(`/past/table.jpg?at_ns=${Math.round(at_ns)}&width_px=${width_px}`)).catch(() => null);
  return answer?.ok ? { image: await createImageBitmap(await answer.blob()), captured_ns: Number(answer.headers.get("x-captured-ns")) } : null;
}

/** @param {number} width_px */
async function presentPhoto(width_px) {
  const answer = await fetch(addressOf(`/table.jpg?width_px=${width_px}`)).catch(() => null);
  return answer?.ok ? createImageBitmap(await answer.blob()) : null;
}
