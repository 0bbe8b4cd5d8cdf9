// @ts-check
// Before an enrolment: what is not known of a model is asked for, and which way it is to be enrolled.

/** @import { Enrol, EnrolledView, FromPage } from "../messages.js" */
import { el } from "../common/dom.js";
import { baseName } from "./steps.js";

/**
 * @param {string | null} model  null for one that nobody knows yet
 * @param {EnrolledView | null} known
 * @param {{ size_mm: number | null, send: (message: FromPage) => void, leave: () => void }} page
 */
export function choice(model, known, { size_mm, send, leave }) {
  const name = field("name", "Name", "text", "");
  const base = field("base", "Base: round:32, oval:60x35 or rect:25x50", "text", "round:32");
  const size = field("size", "Edge of its tag’s black square, mm", "number", String(known?.tag?.size_mm ?? size_mm ?? ""));
  const height = field("height", "Height of the tag, or of a base with a ring, mm, if you have measured it", "number", "");
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
    el("div", { class: "heading" }, el("h2", { class: "grow" }, model ?? "Another model"), el("button", { class: "small", "data-key": "leave", onclick: leave }, "All models")),
    known && el("p", { class: "quiet" }, `${baseName(known.base)}, ${known.ring ? `ring ${known.ring.ring}` : known.tag ? `tag ${known.tag.tag}` : "no marker yet"}`),
    ...(model === null ? [name.label, base.label] : []),
    height.label,
    el("h3", {}, "It has a ring"),
    el("div", { class: "ways" },
      el("button", { class: "primary", "data-key": "halo", onclick: () => begin("halo") }, el("strong", {}, "A halo under its base"), el("small", {}, "show it; nothing is measured")),
      el("button", { "data-key": "rim", onclick: () => begin("rim") }, el("strong", {}, "A rim on its base"), el("small", {}, "show it; nothing is measured")),
    ),
    el("h3", {}, "It has a tag"),
    size.label,
    el("div", { class: "ways" },
      el("button", { class: "primary", "data-key": "sheet", onclick: () => begin("sheet") }, el("strong", {}, "On the enrolment sheet"), el("small", {}, "the surest, and it measures the height")),
      el("button", { "data-key": "turn", onclick: () => begin("turn") }, el("strong", {}, "Turn it on the spot"), el("small", {}, "without a sheet; the height should be given")),
    ),
  ];
}

/** @param {string} key @param {string} text @param {string} type @param {string} value */
export function field(key, text, type, value) {
  const input = el("input", { id: `field-${key}`, type, value, autocomplete: "off", ...(type === "number" ? { inputmode: "decimal", min: "0", step: "any" } : {}) });
  return { input, value: () => input.value.trim(), label: el("label", { class: "entry", for: `field-${key}` }, text, input) };
}
