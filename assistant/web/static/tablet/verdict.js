// @ts-check
// The verdict, what people made of it, its findings and its effects.

/** @import { EffectView, FindingView, FromPage, MoveView, RulingView } from "../messages.js" */
/** @import { Matter } from "./agreeing.js" */
import { block, byId, el, icon } from "../common/dom.js";
import { named, say, sayCount } from "../common/language.js";
import { OUTCOMES } from "../common/words.js";
import { agreementEntry } from "./agreeing.js";

/**
 * What the card at the top is about.
 * @typedef {object} Card
 * @property {MoveView["outcome"]} outcome
 * @property {string} note
 * @property {string | null} unit  whose move it is, if another unit is looked at here
 * @property {boolean} waits  the announced action moves models, and none has moved yet
 * @property {boolean} announced  an action is; without one only what stands is judged, not how it came there
 * @property {number} moved  how many models have moved
 * @property {boolean} moving  one of them is not at rest yet: what is known of it is about where it was
 * @property {{ up: number, off: string[] } | null} setting  of a unit that is set up, how many stand and which do not yet
 * @property {string[]} others  units of which models have moved, too, and are not judged in this move
 * @property {string[]} returning
 * @property {RulingView[]} rulings
 * @property {MoveView["outcome"]} referee
 */
/** @typedef {{ findings: FindingView[], rulings: RulingView[], looked: string | null, mayAgree: boolean, length: "in" | "cm" }} Listed */

const WORST_FIRST = /** @type {const} */ (["illegal", "too-close", "unobserved", "legal"]);

/**
 * The verdict as a whole; where one finding alone decides it, its length may be agreed on as well, else it is said how.
 * @param {Listed} listed @returns {Matter}
 */
function overruled({ findings, length }) {
  const wrong = findings.filter(({ outcome }) => outcome !== "legal" && outcome !== "note");
  const measured = wrong.length === 1 ? wrong[0] : null;
  const elsewhere = !measured && wrong.some(({ limit_mm }) => limit_mm !== null);
  return { rule: null, subjects: [], limit_mm: measured && measured.limit_mm, measured, elsewhere, length };
}

/** What a finding is told by, however the verdict changes about it. @param {{ rule: string | null, subjects: string[] }} of */
export const nameOf = ({ rule, subjects }) => `${rule} ${subjects.join(" ")}`;

/** The referee's own verdict. @param {FindingView[]} findings */
export const refereed = (findings) =>
  WORST_FIRST.find((outcome) => findings.some((finding) => finding.outcome === outcome)) ?? "legal";

/**
 * The outcome in words, and who has decided it.
 * @param {Card} card @returns {{ tone: FindingView["outcome"], title: string, why: string } | null}
 */
export function wordsOf(card) {
  const words = judgedWords(card);
  return words && card.unit ? { ...words, title: `${card.unit}: ${words.title}` } : words;
}

/** @param {Card} card @returns {{ tone: FindingView["outcome"], title: string, why: string } | null} */
function judgedWords({ outcome, note, announced, waits, moved, moving, setting, others, rulings, referee }) {
  if (moving) return { tone: "note", title: say("Moving …"), why: say("judged once it stands still") };
  if (!outcome) return note ? { tone: "note", title: say("Not complete yet"), why: note } : null;
  if (setting?.off.length) return { tone: "note", title: say("Set them up"), why: say("still to be put on the table: {off}", { off: setting.off.map(named).join(", ") }) };
  // At rest nobody asks, and what says that all is well would soon say nothing.
  if (outcome === "legal" && moved === 0 && (!announced || waits) && !setting && !rulings.length && !others.length) {
    return { tone: "note", title: say("Nothing has moved"), why: say("As it stands, everything is legal.") };
  }
  const count = setting ? sayCount(setting.up, "1 model set up", "{n} models set up") : moved === 0 ? say("nothing has moved") : sayCount(moved, "1 model moved", "{n} models moved");
  if (!announced && moved > 0) {
    if (outcome === "legal") return { tone: "note", title: say("Not judged"), why: say("{count}, with no action announced", { count }) };
    return { tone: outcome, title: OUTCOMES[outcome], why: say("as the models stand; {count}", { count }) };
  }
  const whole = rulings.find((ruling) => ruling.rule === null);
  const ruling = whole ?? (referee !== outcome ? rulings.at(-1) : undefined);
  if (outcome === "legal" && others.length) {
    const stray = say("{others} moved too: accept or cancel this move first.", { others: others.join(", ") });
    const why = moved ? `${say("{count}: legal so far.", { count })} ${stray}` : stray;
    return { tone: "unobserved", title: say("Not all is judged"), why };
  }
  if (!ruling) return { tone: outcome, title: OUTCOMES[outcome], why: count };
  const by = ruling.by === "judge" ? say("by the judge") : say("by agreement");
  const title = ruling.outcome === "again" ? say("Redo the move, {by}", { by }) : `${OUTCOMES[outcome]} ${by}`;
  return { tone: outcome, title, why: [ruling.note, refereeSaid(ruling)].filter(Boolean).join(" ") };
}

/** @param {RulingView} ruling */
function refereeSaid({ referee, text }) {
  const outcome = OUTCOMES[/** @type {FindingView["outcome"]} */ (referee)] ?? referee;
  return say("(The referee said: {what}.)", { what: outcome.toLowerCase() + (text ? `, ${text}` : "") });
}

/**
 * Shows the verdict and what it rests on.
 * @param {(message: FromPage) => unknown} send
 * @param {(finding: string | null) => void} look  called with the finding that is to be looked at on the table
 * @param {import("./showing.js").ShowCall} showCall
 * @param {() => void} changed  called when something is to be shown anew
 */
export function verdictEntry(send, look, showCall, changed) {
  let overruling = false;
  /** @type {Set<string>} kinds of findings of which all are shown */
  const unfolded = new Set();
  const agreeOn = agreementEntry(send, () => {
    overruling = false;
    look(null);
    changed();
  });
  const card = block(byId("verdict"), verdictCard);
  const agreement = block(byId("agreement"), agreeOn);
  const findings = block(byId("findings"), findingList);
  const effects = block(byId("effects"), (/** @type {EffectView[]} */ data) => data.map(effect));

  return (/** @type {Card | null} */ said, /** @type {Listed} */ listed, /** @type {EffectView[]} */ brought) => {
    if (!listed.mayAgree) overruling = false;
    card(said && { ...said, overruling, mayAgree: listed.mayAgree });
    agreement(overruling ? overruled(listed) : null);
    findings({ ...listed, all: [...unfolded] });
    effects(brought);
  };

  function overrule() {
    overruling = !overruling;
    changed();
    if (overruling) byId("agreement").scrollIntoView({ block: "nearest" });
  }

  /** @param {(Card & { overruling: boolean, mayAgree: boolean }) | null} data */
  function verdictCard(data) {
    if (!data) return [];
    const { note, moving, returning } = data;
    const words = wordsOf(data);
    return [
      words &&
        el(
          "div",
          { class: "ruled" },
          el(
            "div",
            { class: "verdict", "data-outcome": words.tone },
            icon(words.tone),
            el("span", { class: "grow" }, el("strong", {}, words.title), el("small", words.why === note ? { class: "note" } : {}, words.why)),
          ),
          data.mayAgree &&
            el(
              "button",
              {
                class: "small",
                "data-key": "overrule",
                "aria-expanded": String(data.overruling),
                disabled: moving,
                onclick: overrule,
              },
              say("Overrule"),
            ),
        ),
      returning.length > 0 && el("p", { class: "note" }, say("Put back where the dashed outlines are: {returning}.", { returning: returning.map(named).join(", ") })),
      note && words?.why !== note && el("p", { class: "note" }, note),
    ];
  }

  /** @param {Listed & { all: string[] }} data  all: the kinds of which all are shown */
  function findingList({ findings, rulings, looked, mayAgree, length, all }) {
    const folded = foldedAway(findings, looked, all);
    return findings.flatMap(/** @returns {HTMLElement[]} */ (finding, at) => {
      const key = kindOf(finding);
      const more = folded.get(key) ?? [];
      if (more.includes(at)) {
        const unfold = () => (unfolded.add(key), changed());
        const words = say("{count} more like this: {models}", { count: more.length, models: more.map((each) => named(findings[each].subjects[0])).join(", ") });
        return at === more[0] ? [el("button", { class: "small", "data-key": `more-${key}`, onclick: unfold }, words)] : [];
      }
      const name = nameOf(finding);
      const seen = looked === name;
      const ruling = rulings.find((each) => nameOf(each) === name);
      const outcome = ruling ? (ruling.outcome === "legal" ? "legal" : "illegal") : finding.outcome;
      const told = ruling && say(ruling.by === "judge" ? "{outcome} by the judge; the referee" : "{outcome} by agreement; the referee", { outcome: OUTCOMES[outcome] });
      const about = [OUTCOMES[finding.outcome], ruleWords(finding.rule, finding.rule_text), doubt(finding)].filter(Boolean).join(" · ");
      const show = () => look(seen ? null : name);
      /** @type {Matter} */
      const matter = { rule: finding.rule, subjects: finding.subjects, limit_mm: finding.limit_mm, length };
      return [
        el(
          "div",
          { class: "finding", "data-outcome": outcome, "data-looked": String(seen), onclick: show },
          icon(outcome),
          el(
            "span",
            { class: "grow" },
            el("span", { class: "text" }, finding.text),
            el("small", {}, told ? `${told}: ${about}` : about),
            ruling?.note ? el("small", {}, ruling.note) : null,
          ),
          finding.measured_mm !== null &&
            el(
              "button",
              {
                class: "round",
                "data-key": `call-${name}`,
                "aria-label": say("Show the call of finding {number}", { number: at + 1 }),
                onclick: (event) => (event.stopPropagation(), showCall(name)),
              },
              icon("play"),
            ),
          el(
            "button",
            {
              class: "round",
              "data-key": `look-${name}`,
              "aria-label": say("Show finding {number} on the table", { number: at + 1 }),
              "aria-pressed": String(seen),
              onclick: (event) => (event.stopPropagation(), show()),
            },
            icon("look"),
          ),
        ),
        ...(seen && mayAgree && finding.outcome !== "note" ? agreeOn(matter) : []),
      ];
    });
  }

  /** What the move costs or brings. @param {EffectView} data */
  function effect({ text, rule, rule_text }) {
    return el(
      "div",
      { class: "finding", "data-outcome": "note" },
      icon("note"),
      el("span", { class: "grow" }, el("span", { class: "text" }, text), el("small", {}, ruleWords(rule, rule_text))),
    );
  }
}

/** A rule by its number and in words. @param {string} rule @param {string} words */
const ruleWords = (rule, words) => (words ? `${rule}: ${words}` : rule);

/** What findings of a whole squad have in common. @param {FindingView} finding */
const kindOf = ({ rule, outcome, subjects, limit_mm }) => (subjects.length === 1 ? `${rule} ${outcome} ${limit_mm}` : "");

/**
 * Where in a list findings stand that say of further models what one says already; of each kind the worst stays.
 * @param {FindingView[]} findings @param {string | null} looked @param {string[]} unfolded  kinds of which all are shown
 * @returns {Map<string, number[]>}
 */
function foldedAway(findings, looked, unfolded) {
  /** @type {Map<string, number[]>} */
  const alike = new Map();
  findings.forEach((finding, at) => {
    const key = kindOf(finding);
    if (key && !unfolded.includes(key)) alike.set(key, [...(alike.get(key) ?? []), at]);
  });
  for (const [key, all] of alike) {
    const worst = all.reduce((a, b) => ((findings[b].margin_mm ?? Infinity) < (findings[a].margin_mm ?? Infinity) ? b : a));
    const rest = all.filter((at) => at !== worst && nameOf(findings[at]) !== looked);
    if (rest.length > 1) alike.set(key, rest);
    else alike.delete(key);
  }
  return alike;
}

/** How near to the limit a close call is. @param {FindingView} finding */
function doubt({ outcome, margin_mm, sigma_mm }) {
  if (outcome !== "too-close" || margin_mm === null || sigma_mm === null) return "";
  return say(margin_mm < 0 ? "{margin} mm past the limit, known to ± {doubt} mm" : "{margin} mm to spare, known to ± {doubt} mm", {
    margin: Math.abs(margin_mm).toFixed(1),
    doubt: (2 * sigma_mm).toFixed(1),
  });
}
