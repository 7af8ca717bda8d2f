// What is said under the picture: what was changed and what came of it, and where the word that is
// picked out looks.

import { chapterLink, h } from "../kit/parts/dom.js";
import { tellLook, named, takes, told } from "../kit/shared/looks.js";
import { aligned } from "../kit/shared/words.js";
import { getter } from "../kit/runtime/model.js";
import { nameOf } from "./parts.js";

/** @import { Model } from "./figure.js" */

const AT_REST = "Nothing is cut out. Press a part of the machine, and see which words need it.";
const BLIND = "This head is cut out and looks at nothing. Grey: where it looked before.";
const WAITING = "Loading the translator …";
const listed = (items) =>
  [items.slice(0, -1).join(", "), items.at(-1)].filter(Boolean).join(" and ");

/**
 * What differs from the whole machine, as one says it.
 *
 * @param {Model} model
 */
export const changesOf = (model, { switches }) => {
  const at = getter(model);
  const cut = at("off").map((part) => nameOf(part, at("sizes"), switches));
  const changes = cut.length ? [`without ${listed(cut)}`] : [];
  if (at("beam") > 1) changes.push(`with a beam of ${at("beam")}`);
  else if (at("temperature") > 0) {
    changes.push(`drawn by lot at temperature ${at("temperature").toFixed(1)}`);
  }
  return changes.join(", ");
};

/**
 * The question that a change asks, and the chapter that answers it.
 *
 * @param {Model} model
 */
const questionOf = (model, { switches, choices, site }) => {
  const off = model.get("off");
  const warm = model.get("temperature") > 0 && model.get("beam") === 1;
  if (off.length > 1 || (off.length && warm)) return [];
  const kind = ["", "layer", "box", "head"][(off[0] ?? "").split(".").length - 1];
  const whole = switches.find(([part]) => part === off[0])?.slice(1);
  const [, question, chapter] = off.length
    ? (whole ?? choices[kind])
    : choices[warm ? "temperature" : "beam"];
  return [question, " ", chapterLink(site, chapter, `Chapter ${Number(chapter.slice(0, 2))} →`)];
};

/** How many words of the intact translation are not there, or how many more are written. */
const countOf = ({ target, intact }) => {
  const columns = aligned(target, intact);
  const kept = columns.filter(({ word, was }) => word === was).length;
  const lost = intact.length - kept;
  const more = target.length - kept;
  if (!lost && !more) return "not a word changes. ";
  if (!lost) return `${more} ${more === 1 ? "word is" : "words are"} added. `;
  if (!kept) return "not one word is left. ";
  return `${lost} of ${intact.length} words ${lost === 1 ? "changes" : "change"}. `;
};

/**
 * What was changed and what came of it: its nodes.
 *
 * @param {Model} model
 */
const verdictOf = (model, view, constants) => {
  const changes = changesOf(model, constants);
  if (!changes) return [AT_REST];
  const head = changes[0].toUpperCase() + changes.slice(1);
  const look = h("b", { className: "look" }, head);
  return [look, ": ", countOf(view), ...questionOf(model, constants)];
};

/** What came next to the word that was written: its word and how likely it was. */
const secondOf = ({ id, probabilities }, vocabulary) => {
  let best = -1;
  probabilities.forEach((p, other) => {
    if (other !== id && (best < 0 || p > probabilities[best])) best = other;
  });
  return [vocabulary[best], probabilities[best]];
};

const inPerCent = (p) => `${p > 0 && p < 0.005 ? "under 1" : Math.round(100 * p)}\u00a0%`;

const ofSure = (view, i) => {
  const [word, p] = secondOf(view.answer.steps[i], view.vocabulary);
  return [
    [" It was "],
    [inPerCent(view.sure(i)), "number"],
    [" sure, and next came "],
    [word === "<eos>" ? "the end" : word, "target"],
    [", "],
    [inPerCent(p), "number"],
    ["."],
  ];
};

const lookOfWord = (view, { side, index }) => {
  const { source, target, percent } = view;
  const { kind } = view.look;
  const words = side === "source" ? source : target;
  if (kind === "cross" || (kind === "encoder") !== (side === "source")) {
    return kind === "cross" ? tellLook(view, { side, index }) : [];
  }
  const read = side === "source" ? source : ["the start", ...target.slice(0, index)];
  const percents = read.map((_, j) => percent(index, j));
  const begin = side === "source" ? "To understand " : "To write ";
  return [[begin], named(words[index], side), [", "], ...takes(percents, read, side)];
};

/** What is seen of a word, {side, index}, or of none: {nodes, text}. */
const wordTold = (view, lit) => {
  if (!lit || !view.isKnown) return told([["Point at a word to see where it looks."]]);
  const look = view.isBlind ? [[BLIND]] : lookOfWord(view, lit);
  const sure = lit.side === "target" && view.answer ? ofSure(view, lit.index) : [];
  return told([...look, ...sure]);
};

/**
 * The two lines under the picture: of the change, and of a word.
 *
 * @param {Model} model
 */
export const remarksOf = (model, view, constants) => {
  const verdict = h("p", { className: "verdict" });
  const word = h("p", { className: "sentence" });
  return {
    node: h("div", { className: "says" }, verdict, word),
    tellWord(lit) {
      const { nodes, text } = wordTold(view, lit);
      word.replaceChildren(...nodes);
      return text;
    },
    tellChange: () => verdict.replaceChildren(...verdictOf(model, view, constants)),
    tellState(name, message) {
      if (name === "waiting") verdict.textContent = WAITING;
      if (name === "failed") verdict.textContent = `The translator ${message}.`;
    },
    /** Both in one. */
    get whole() {
      const changed = changesOf(model, constants) ? `${verdict.textContent} ` : "";
      return `${changed}It writes: ${view.target.join(" ")}`;
    },
    hide(hidden) {
      for (const line of [verdict, word]) line.hidden = hidden;
    },
  };
};
