// @ts-check
// The steps about the models' markers: which kind of base gets which, the sheets, and laying and reading them.

/** @import { BaseKindView, MarkerOfView, MarkerOptionView, SetupView, View } from "../messages.js" */
/** @import { Send } from "./fields.js" */
import { block, el, icon } from "../common/dom.js";
import { choice, enter, line, link } from "./fields.js";
import { read, say, sayCount } from "../common/language.js";

/** @type {Record<MarkerOptionView["kind"], string>} */
const KINDS = { halo: say("Halo"), rim: say("Rim"), tag: say("Tag") };
/** @type {[string, string][]} */
const LEGEND = [[say("Halo"), say("a ring on card, under the base; nothing is glued")], [say("Rim"), say("a ring stuck on the base, along its edge")], [say("Tag"), say("a square, on a roof or where no figure hides it")]];
/** @type {Record<string, [string, string]>} */
const SHEETS = { rings: [say("Rings"), say("one for each, with its name: to cut with scissors")], tags: [say("Tags"), say("one for each, with its name")], enrol: [say("Enrolment sheets"), say("in which tags are measured")] };

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function markStep(place, send) {
  const list = el("div", { class: "part" });
  const sheets = el("div", { class: "choices" });
  const done = choice([["yes", say("They are printed and cut out")], ["", say("Not yet")]], ({ entries }) => entries.marked ?? "", (value) => enter(send, { marked: value }));
  const first = el("p", { class: "quiet" }, say("The armies come first: each kind of base then gets the marker that suits it."));
  const intro = el("div", { class: "part" },
    el("p", {}, say("A figure stands in the middle of its base and hides a tag there, but not a ring around the base. This is what suits your bases and your camera; choose another where you like.")),
    el("dl", { class: "legend" }, ...LEGEND.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))),
  );
  const print = el("div", { class: "part" }, el("h3", {}, say("Print them")), sheets, done.element);
  place.replaceChildren(first, intro, list, print);
  /** @type {Map<string, { element: HTMLElement, show: (kind: BaseKindView, setup: SetupView) => void }>} */
  let cards = new Map();
  const offered = block(sheets, (/** @type {{ paper: string, names: string[] }} */ { paper, names }) =>
    names.map((name) => el("a", { class: "button", href: `/sheets/${name}.pdf?paper=${paper}`, target: "_blank", "data-key": `sheet-${name}` }, el("strong", {}, SHEETS[name][0]), el("small", {}, SHEETS[name][1]))),
  );
  return ({ setup: { setup } }) => {
    const { kinds } = setup;
    first.hidden = kinds.length > 0;
    intro.hidden = print.hidden = kinds.length === 0;
    const known = new Map(kinds.map(({ key }) => [key, cards.get(key) ?? kindCard(key, send)]));
    if ([...known.keys()].join() !== [...cards.keys()].join()) list.replaceChildren(...[...known.values()].map(({ element }) => element));
    cards = known;
    for (const kind of kinds) cards.get(kind.key)?.show(kind, setup);
    const tags = kinds.some(({ chosen }) => chosen === "tag");
    offered({ paper: setup.entries.paper ?? "a4", names: [...(kinds.some(({ chosen }) => chosen !== "tag") ? ["rings"] : []), ...(tags ? ["tags", "enrol"] : [])] });
    done.show(setup);
    done.element.hidden = setup.virtual;
  };
}

/** One kind of base, and what it may carry. @param {string} key @param {Send} send */
function kindCard(key, send) {
  const head = el("div", { class: "kind-head" });
  const names = /** @type {MarkerOptionView["kind"][]} */ (Object.keys(KINDS));
  /** @type {BaseKindView | null} */
  let now = null;
  const chosen = choice(names.map((kind) => [kind, KINDS[kind]]), () => now?.chosen ?? "", (kind) => enter(send, { [`marker.${key}`]: kind }));
  const says = el("div", { class: "part" });
  const high = line(`high.${key}`, say("How high is the tag above the table, mm?"), send, { number: true, usual: () => "40 ± 30" });
  const element = el("section", { class: "card kind", "data-kind": key }, head, chosen.element, says, high.element);
  const heading = block(head, (/** @type {{ name: string, models: number, units: string[] }} */ { name, models, units }) => [
    el("h3", {}, name),
    el("small", {}, `${sayCount(models, "1 model", "{n} models")}: ${units.join(", ")}`),
  ]);
  const saying = block(says, (/** @type {BaseKindView} */ { best, why, chosen: taken, options }) => {
    const option = options.find(({ kind }) => kind === taken);
    return [
      el("p", {}, el("strong", {}, `${say("{marker} recommended.", { marker: KINDS[best] })} `), why),
      taken !== best && option && el("p", { class: option.readable ? "quiet" : "warning" }, !option.readable && icon("too-close"), el("span", {}, `${KINDS[taken]}: ${option.text}`)),
    ];
  });
  return {
    element,
    /** @param {BaseKindView} kind @param {SetupView} setup */
    show(kind, setup) {
      now = kind;
      heading({ name: read(kind.name), models: kind.models, units: kind.units });
      chosen.show(setup);
      saying(kind);
      high.show(setup);
      high.element.hidden = !kind.high || setup.virtual;
    },
  };
}

const LAYING = [
  say("Cut each halo out along its broken line; the little tooth stays on."),
  say("Set the model down, slide its halo under the base, and centre it: it looks out evenly all round."),
  say("Turn the halo until its tooth points where the figure looks."),
];
const KNOWN = { no: ["todo", say("not looked for yet")], roughly: ["weak", say("not measured, ± 2 mm")], measured: ["good", say("ready")] };
const SIGN = { todo: "unobserved", weak: "too-close", good: "legal" };

/** @param {HTMLElement} place @param {Send} send @returns {(view: View) => void} */
export function enrolStep(place, send) {
  const height = line("tag_height", say("How high are the bases above the table, mm?"), send, { number: true, usual: () => "4" });
  const how = el("div", { class: "part" });
  const list = el("ul", { class: "tags" });
  place.replaceChildren(how, height.element, list);
  const ways = block(how, (/** @type {{ left: number, tags: boolean, halos: boolean, virtual: boolean }} */ { left, tags, halos, virtual }) => [
    virtual && el("p", {}, say("The virtual table’s models carry their markers already. You may still try how a real one is enrolled.")),
    !virtual && halos && el("ol", { class: "laying" }, ...LAYING.map((text) => el("li", {}, text))),
    !virtual && halos && el("p", { class: "quiet" }, say("A halo needs no measuring: a hand lays it to within 0.3 mm, and that is what is reckoned with.")),
    !virtual && tags && el("p", {}, say("Glue a tag on, its upper edge to the model’s front. Where it is in the base can be measured, or taken to be the middle.")),
    left > 0 && el("button", { "data-key": "middle", class: "primary", onclick: () => send({ type: "setup-middle" }) }, sayCount(left, "It is in place: look for it", "They are in place: look for all {n}"), tags ? el("small", {}, say("tags are taken to be in the middle, ± 2 mm")) : null),
    (tags || virtual) && link("/enrol?from=setup", say("Measure tags, model by model")),
  ]);
  const rows = block(list, (/** @type {MarkerOfView[]} */ markers) => markers.map(markerRow));
  return ({ setup: { setup } }) => {
    const { markers, kinds, virtual } = setup;
    height.show(setup);
    height.element.hidden = virtual;
    ways({ left: markers.filter(({ known }) => known === "no").length, tags: kinds.some(({ chosen }) => chosen === "tag"), halos: kinds.some(({ chosen }) => chosen === "halo"), virtual });
    rows(markers);
  };
}

/** @param {MarkerOfView} marker */
function markerRow({ model, name, marker, base, known, read: isRead, advice }) {
  const [state, words] = advice ? ["weak", say("not read")] : known !== "no" && isRead ? [KNOWN[known][0], known === "roughly" ? say("read, not measured") : say("read")] : KNOWN[known];
  return el("li", { "data-state": state, "data-model": model },
    el("span", { class: "sign" }, icon(SIGN[/** @type {keyof typeof SIGN} */ (state)])),
    el("span", { class: "grow" }, el("strong", {}, name), el("small", {}, `${read(base)}, ${read(marker)}`), advice && el("small", { class: "advice" }, advice)),
    el("span", { class: "quiet" }, words),
  );
}
