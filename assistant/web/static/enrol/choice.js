// @ts-check
// Before an enrolment: what is not known of a model is asked for, and which way it is to be enrolled.

/** @import { Enrol, EnrolledView, FromPage } from "../messages.js" */
import { el } from "../common/dom.js";
import { named, say } from "../common/language.js";
import { baseName, markerName } from "./steps.js";

/**
 * @param {string | null} model  null for one that nobody knows yet
 * @param {EnrolledView | null} known
 * @param {{ size_mm: number | null, send: (message: FromPage) => void, leave: () => void }} page
 */
export function choice(model, known, { size_mm, send, leave }) {
  const name = field("name", say("Name"), "text", "");
  const base = field("base", say("Base: round:32, oval:60x35 or rect:25x50"), "text", "round:32");
  const size = field("size", say("Edge of its tag’s black square, mm"), "number", String(known?.tag?.size_mm ?? size_mm ?? ""));
  const height = field("height", say("Height of the tag, or of a base with a ring, mm, if you have measured it"), "number", "");
  /** @param {Enrol["way"]} way */
  const begin = (way) => {
    const id = model ?? name.value();
    const tagged = way === "sheet" || way === "turn";
    if (!id) return name.input.focus();
    if (tagged && !Number(size.value())) return size.input.focus();
    send({
      type: "enrol",
      model: id,
      way,
      base: model === null ? base.value() : null,
      size_mm: tagged ? Number(size.value()) : null,
      height_mm: height.value() ? Number(height.value()) : null,
    });
  };
  return [
    el("div", { class: "heading" }, el("h2", { class: "grow" }, model === null ? say("Another model") : named(model)), el("button", { class: "small", "data-key": "leave", onclick: leave }, say("All models"))),
    known && el("p", { class: "quiet" }, `${baseName(known.base)}, ${markerName(known) ?? say("no marker yet")}`),
    ...(model === null ? [name.label, base.label] : []),
    height.label,
    el("h3", {}, say("It has a ring")),
    el("div", { class: "ways" },
      el("button", { class: "primary", "data-key": "halo", onclick: () => begin("halo") }, el("strong", {}, say("A halo under its base")), el("small", {}, say("show it; nothing is measured"))),
      el("button", { "data-key": "rim", onclick: () => begin("rim") }, el("strong", {}, say("A rim on its base")), el("small", {}, say("show it; nothing is measured"))),
    ),
    el("h3", {}, say("It has a tag")),
    size.label,
    el("div", { class: "ways" },
      el("button", { class: "primary", "data-key": "sheet", onclick: () => begin("sheet") }, el("strong", {}, say("On the enrolment sheet")), el("small", {}, say("the surest, and it measures the height"))),
      el("button", { "data-key": "turn", onclick: () => begin("turn") }, el("strong", {}, say("Turn it on the spot")), el("small", {}, say("without a sheet; the height should be given"))),
    ),
  ];
}

/** @param {string} key @param {string} text @param {string} type @param {string} value */
export function field(key, text, type, value) {
  const input = el("input", { id: `field-${key}`, type, value, autocomplete: "off", ...(type === "number" ? { inputmode: "decimal", min: "0", step: "any" } : {}) });
  return { input, value: () => input.value.trim(), label: el("label", { class: "entry", for: `field-${key}` }, text, input) };
}
