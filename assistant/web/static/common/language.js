// @ts-check
// The words of a page in its reader's language.  English stands where it is said; the catalogue of another language is
// known by it.  The server tells by the page's own `lang` which one the device wants.

/** @typedef {Record<string, string | number>} Values */

/** @type {string} as a page says it of itself: the device's choice, where the page is translated */
export const LANGUAGE = document.documentElement.lang || "en";
/** What the device may choose, in each language's own words. @type {Record<string, string>} */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

const NOTHING = { texts: {}, sentences: {}, kinds: {} };
/** @type {{ texts: Record<string, string | string[]>, sentences: Record<string, string>, kinds: Record<string, string> }} */
const { texts, sentences, kinds } = LANGUAGE === "en" ? NOTHING : await load();
const figures = new Intl.NumberFormat(LANGUAGE, { useGrouping: false, maximumFractionDigits: 6 });
const plural = new Intl.PluralRules(LANGUAGE);
const FORMS = /** @type {Intl.LDMLPluralRule[]} */ (["zero", "one", "two", "few", "many", "other"]).filter((form) =>
  plural.resolvedOptions().pluralCategories.includes(form),
);
const POINT = figures.format(0.5).charAt(1);
/** A number with decimals, and no part of an address or a name. */
const DECIMALS = /(?<![\w.])(\d+)\.(\d+)(?![\w.]*\.?\d)/g;

async function load() {
  const brought = document.getElementById("languages"); // by a file that is read without a server
  try {
    if (brought) return JSON.parse(await unpack(brought))[LANGUAGE];
    return (await fetch(`/static/languages/${LANGUAGE}.json`)).json();
  } catch {
    return NOTHING; // the page is then in English
  }
}

/** What a file brought along, packed. @param {HTMLElement} element */
export function unpack(element) {
  const bytes = Uint8Array.from(atob((element.textContent ?? "").trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/**
 * Says something in the reader's language.
 * @param {string} text  in English, with {names} where values come
 * @param {Values} [values]  numbers, and words that are in that language already
 */
export function say(text, values) {
  const said = texts[text];
  return filled((typeof said === "object" ? said[0] : said) ?? text, values);
}

/**
 * Says something of a number of things, which is known as {n}.
 * @param {number} n @param {string} one @param {string} more @param {Values} [values]
 */
export function sayCount(n, one, more, values) {
  const said = texts[one];
  const form = plural.select(n);
  const text = typeof said === "object" ? said[Math.min(FORMS.indexOf(form), said.length - 1)] : form === "one" ? one : more;
  return filled(text, { n, ...values });
}

/** @param {string} text @param {Values | undefined} values */
const filled = (text, values) =>
  values ? text.replace(/\{(\w+)\}/g, (name, key) => (Object.hasOwn(values, key) ? localised(values[key]) : name)) : text;

/** A number as it is written in the reader's language; in a text, those with decimals. @param {string | number} value */
export const localised = (value) =>
  typeof value === "number" ? figures.format(value) : POINT === "." ? value : value.replace(DECIMALS, `$1${POINT}$2`);

/** Several things one after the other, as "a, b and c", or "or". @param {string[]} things @param {"conjunction" | "disjunction"} [type] */
export const listed = (things, type = "conjunction") => new Intl.ListFormat(LANGUAGE === "en" ? "en-GB" : LANGUAGE, { type }).format(things);

/** Lets the device be in another language from now on: the page is loaded anew. @param {string} language */
function chooseLanguage(language) {
  document.cookie = `overtable-language=${language}; path=/; max-age=31536000; samesite=lax`;
  location.reload();
}

// -- what the table says

/** What is longer is no sentence of the table's, and would take long to be found none: people's notes may be long. */
const LONGEST = 1000;
const MOST_READ = 2000;
/** What texts were read as, lest one be read again with every message; undefined: nothing of it is known. @type {Map<string, string | undefined>} */
const readings = new Map();

/** Where one sentence ends and another begins. */
const BREAK = /(?<=[.!?…]) (?=[A-Z“])/;
const FIGURE = new RegExp(`^(?:${kinds.figure})$`);

/** A sentence of the table's, its values by their names. @param {string} text */
function formOf(text) {
  const seen = new Set();
  const parts = text.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const known = seen.has(part);
    seen.add(part);
    return known ? `\\k<${part}>` : `(?<${part}>${kinds[part] ?? ".+?"})`;
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}

/** How the table's sentences are known: what is said about another first, then the one with the most words of its own. */
const patterns = Object.entries(sentences)
  .filter(([text]) => text.includes("{"))
  .map(([text, said]) => ({ form: formOf(text), said, own: text.replace(/\{\w+\}/g, "").length + (text.includes("{sentence}") ? LONGEST : 0) }))
  .sort((a, b) => b.own - a.own);

/**
 * Returns in the reader's language what the table says, writes or has recorded in English: its templates are known, and
 * so are a sentence's values.  What is known as none stays as it is.
 * @param {string} text @returns {string}
 */
export function read(text) {
  if (LANGUAGE === "en" || !text || text.length > LONGEST) return text;
  return reading(text.trim()) ?? (FIGURE.test(text) ? localised(text) : text);
}

/** As it was read before, or now; undefined where nothing of it is known. @param {string} text @returns {string | undefined} */
function reading(text) {
  if (readings.has(text)) return readings.get(text);
  const said = readingAsOne(text, text.split(BREAK));
  if (readings.size >= MOST_READ) readings.clear();
  readings.set(text, said);
  return said;
}

/** Sentences, a sentence or a list of which each part is known. @param {string} text @param {string[]} parts @returns {string | undefined} */
function readingAsOne(text, parts) {
  if (parts.length === 1) return readingOfOne(text) ?? readingOfList(text.split(", "));
  const said = parts.map(reading);
  if (said.every((part) => part !== undefined)) return said.join(" ");
  return readingOfOne(text) ?? (said.some((part) => part !== undefined) ? parts.map((part, at) => said[at] ?? part).join(" ") : undefined);
}

/** @param {string[]} items @returns {string | undefined} */
function readingOfList(items) {
  const said = items.length > 1 ? items.map(reading) : [undefined];
  return said.every((item) => item !== undefined) ? said.join(", ") : undefined;
}

/** One sentence, however its first letter is written. @param {string} text @returns {string | undefined} */
function readingOfOne(text) {
  const as = readAs(text);
  if (as !== undefined) return as;
  const first = text.charAt(0);
  const [lower, upper] = [first.toLowerCase(), first.toUpperCase()];
  const said = lower === upper ? undefined : readAs((first === lower ? upper : lower) + text.slice(1));
  return first === upper && said ? said.charAt(0).toUpperCase() + said.slice(1) : said;
}

/** Whether values are what their names say: of what is a sentence or a fact something is known, and others are no sentences. @param {Record<string, string>} values */
function fits({ more: _, sentence, fact, ...words }) {
  const known = [sentence, fact].every((inner) => inner === undefined || reading(inner) !== undefined);
  return known && ![fact ?? "", ...Object.values(words)].some((value) => BREAK.test(value));
}

/** @param {string} text @returns {string | undefined} */
function readAs(text) {
  if (Object.hasOwn(sentences, text)) return sentences[text];
  for (const { form, said } of patterns) {
    const values = form.exec(text)?.groups;
    if (values && fits(values)) return filled(said, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, read(value)])));
  }
  return undefined;
}

// -- names in place of ids

/** What people call units and models, by the ids that the table's sentences say. @type {Map<string, string>} */
const names = new Map();
/** Ids are words, perhaps joined by hyphens. */
const WORD = /[\p{L}\p{M}\p{N}_]+(?:-[\p{L}\p{M}\p{N}_]+)*/gu;

/** A sentence of the table's with names where it says ids. @param {string} text */
export const named = (text) => (names.size ? text.replace(WORD, (word) => names.get(word) ?? word) : text);

/** Learns the names that a message brings: its own, and those of the units in a view. @param {any} message */
function learnNames(message) {
  const units = [message?.units, message?.view?.units, message?.set?.units].flatMap((section) => Object.values(section ?? {}));
  for (const told of [message?.names, ...units.map((unit) => unit.names)]) {
    for (const [id, name] of Object.entries(told ?? {})) names.set(id, String(name));
  }
}

/** The fields that may hold sentences about units and models. */
const NAMED = new Set(["because", "note", "reason", "ruling", "text", "why"]);
/** Sections of a view in which nothing is said, and which are much of what comes. */
const MUTE = new Set(["ahead", "models", "palette", "palettes"]);

/** The fields of messages that hold what a person reads; others may hold ids. */
const READ = new Set([
  ...["advice", "because", "caption", "faults", "following", "hindered", "label", "may", "note", "reason", "rule_text"],
  ...["ruling", "short", "statement", "step", "text", "unplaced", "why", "wrong"],
]);

/** A message whose sentences are in the reader's language, with names for ids. @template Value @param {Value} value @returns {Value} */
export function readMessage(value) {
  learnNames(value);
  if (LANGUAGE === "en" && !names.size) return value;
  return /** @type {Value} */ (readAll(value, "", false));
}

/** Not a number or a place, of which there may be thousands. @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @param {string} field  of which it is @param {boolean} isRead @returns {unknown} */
function readAll(value, field, isRead) {
  if (typeof value === "string") return !isRead ? value : NAMED.has(field) ? named(read(value)) : read(value);
  if (typeof value !== "object" || value === null || MUTE.has(field)) return value;
  if (Array.isArray(value)) return isRead || isObject(value[0]) ? value.map((each) => readAll(each, field, isRead)) : value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, readAll(each, name, READ.has(name) || (isRead && typeof each === "string"))]));
}

/** The device's language, to be chosen. */
export function languageChoice() {
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", say("Language"));
  choice.append(...Object.entries(LANGUAGES).map(([key, name]) => new Option(name, key, false, key === LANGUAGE)));
  choice.addEventListener("change", () => chooseLanguage(choice.value));
  return choice;
}
