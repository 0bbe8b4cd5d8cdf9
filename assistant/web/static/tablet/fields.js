// @ts-check
// What the announced move means to do: toggles, and whom it names.

/** @import { FieldView, FromPage, MoveView, View } from "../messages.js" */
import { el, foldout, icon } from "../common/dom.js";
import { named, say } from "../common/language.js";
import { onlyLooks } from "../common/you.js";

/** @typedef {Pick<MoveView, "action" | "model" | "rolls" | "lost" | "intent"> & { unit: string }} Told  what is announced */

const SHOWN_AT_ONCE = 8;

/** The fields of a move once one of them is said otherwise. @param {MoveView["intent"]} intent @param {string} name @param {FieldView["value"]} value */
function saying(intent, name, value) {
  const { [name]: _, ...others } = intent;
  const unsaid = value === null || value === false || (Array.isArray(value) && value.length === 0);
  return unsaid ? others : { ...others, [name]: value };
}

/** What a field says once somebody is named in it, or no longer. @param {FieldView["value"] | undefined} value @param {FieldView["kind"]} kind @param {string} id */
function toggled(value, kind, id) {
  const now = ids(value);
  if (now.includes(id)) return now.filter((other) => other !== id);
  return kind === "one" ? id : [...now, id];
}

/**
 * Returns what names a model that is touched on the table, or its unit, in the first field that offers it; false if none
 * does.
 * @param {(message: FromPage) => boolean} send
 */
export function naming(send) {
  /** @type {{ move: MoveView, intent: MoveView["intent"] } | null} a second touch may come before the first is answered */
  let said = null;
  return (/** @type {View} */ view, /** @type {string} */ model) => {
    const move = view.move.move;
    const unit = view.models[model]?.unit;
    if (!move?.unit || move.unit === unit || onlyLooks(view)) return false;
    for (const [name, { kind, offered }] of Object.entries(view.fields)) {
      const id = [model, unit].find((each) => offered.includes(each));
      if (kind === "flag" || !id) continue;
      const before = said?.move === move ? said.intent : move.intent;
      const intent = saying(before, name, toggled(before[name], kind, id));
      if (send({ type: "declare", ...toldOf(move.unit, move), intent })) said = { move, intent };
      return true;
    }
    return false;
  };
}

/** @param {string} unit @param {MoveView} move @returns {Told} */
export const toldOf = (unit, { action, model, rolls, lost, intent }) => ({ unit, action, model, rolls, lost, intent });

/** The fields of a move that another action takes as well. @param {MoveView["intent"]} intent @param {string[]} takes */
export const keptBy = (intent, takes) =>
  Object.fromEntries(Object.entries(intent).filter(([name]) => takes.includes(name)));

/**
 * Builds the entry of the fields that the announced action takes.
 * @param {(message: FromPage) => unknown} send  returns true once it is sent
 */
export function fieldEntry(send) {
  /** @type {Set<string>} the fields whose further candidates are unfolded */
  const unfolded = new Set();

  /** @param {Told} told @param {Record<string, FieldView>} fields */
  return (told, fields) => {
    let { intent } = told; // a second touch may come before the first is answered, and takes nothing back
    /** @param {string} name @param {FieldView["value"]} value */
    const tell = (name, value) => {
      const said = saying(intent, name, value);
      if (send({ type: "declare", ...told, intent: said })) intent = said;
    };
    return Object.entries(fields).map(([name, field]) =>
      el(
        "div",
        { class: "field", role: "group", "aria-label": field.label },
        ...(field.kind === "flag" ? [flag(name, field)] : choices(name, field)),
      ),
    );

    /** @param {string} name @param {FieldView} field */
    function flag(name, { label, statement, value }) {
      return el(
        "button",
        {
          class: "row",
          "data-key": `field-${name}`,
          "aria-label": label,
          "aria-pressed": String(value === true),
          onclick: () => tell(name, intent[name] !== true),
        },
        el("span", { class: "grow" }, el("strong", {}, label), el("small", {}, statement)),
        el("span", { class: "count" }, value === true && icon("legal"), value === true ? say("yes") : say("no")),
      );
    }

    /** @param {string} name @param {FieldView} field */
    function choices(name, { label, statement, kind, offered, value }) {
      const chosen = ids(value);
      const chip = (/** @type {string} */ id) =>
        el(
          "button",
          {
            class: "small",
            "data-key": `field-${name}-${id}`,
            "aria-pressed": String(chosen.includes(id)),
            onclick: () => tell(name, toggled(intent[name], kind, id)),
          },
          chosen.includes(id) && icon("legal"),
          named(id),
        );
      const first = offered.filter((id, at) => at < SHOWN_AT_ONCE || chosen.includes(id));
      const rest = offered.filter((id) => !first.includes(id));
      const more = foldout(
        { key: `more-${name}`, open: unfolded.has(name), fold: (open) => (open ? unfolded.add(name) : unfolded.delete(name)) },
        say("{count} more", { count: rest.length }),
        el("div", { class: "chips" }, ...rest.map(chip)),
      );
      return [
        el("h3", {}, label),
        el("p", { class: "quiet" }, say("{statement}, or touch the table to say who", { statement })),
        el("div", { class: "chips" }, ...first.map(chip)),
        rest.length > 0 && more,
      ];
    }
  };
}

/** @param {FieldView["value"] | undefined} value */
const ids = (value) => (Array.isArray(value) ? value : typeof value === "string" ? [value] : []);
