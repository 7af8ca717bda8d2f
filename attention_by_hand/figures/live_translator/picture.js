// The sentence, what is written of it, and the threads between their words.

import { h, svgNode } from "../kit/parts/dom.js";
import { whenSized } from "../kit/parts/sized.js";
import { listen } from "../kit/shared/hand.js";
import { light, place, spin } from "../kit/shared/threads.js";
import { aligned } from "../kit/shared/words.js";

const LARGEST = 20; // pixels, of letters in a line
const NARROW = 400; // pixels: in less, the lines stand side by side
const MOST = 9; // words that are shown of a translation without end

const at = (side, index) => ({ side, index });

/** Who looks at whom, in the attention that is drawn: {from, to, percent, ends}. */
const PAIRS = {
  cross: ({ source, target, percent }) =>
    target.flatMap((_, i) =>
      source.map((_, j) => ({
        from: at("target", i),
        to: at("source", j),
        percent: percent(i, j),
      })),
    ),
  encoder: ({ source, percent }) => source.flatMap((_, i) => bows("source", i, source, percent, 0)),
  // A written word is read one step later: column j is word j − 1, and the first is the start.
  decoder: ({ target, percent }) => target.flatMap((_, i) => bows("target", i, target, percent, 1)),
};
const bows = (side, i, words, percent, later) =>
  words.flatMap((_, j) => {
    if (i === j) return [];
    const from = at(side, i);
    return [{ from, to: at(side, j), percent: percent(i, j + later), ends: [from] }];
  });

/** A written word, how sure it was of it, and what it stands for. */
const writtenOf = ({ word, was }, index, language, sure) => {
  const changed = word !== was;
  const struck = h("s", {}, changed ? was : "");
  if (!word) return h("span", { className: "gone" }, h("bdi", {}, "–"), struck);
  const button = h("button", { type: "button", className: "word", lang: language });
  const bar = h("i", { style: `width: ${(100 * sure).toFixed(1)}%` });
  button.append(
    h("bdi", { className: "token", dir: "auto", title: word }, word),
    h("span", { className: "sure" }, bar),
    struck,
  );
  button.classList.toggle("changed", changed);
  button.dataset.text = word;
  button.tabIndex = index ? -1 : 0;
  return Object.assign(button, at("target", index));
};

export const pictureOf = (base, view, sentence, { language, point, choose }) => {
  const svg = svgNode("svg", { "aria-hidden": "true" });
  const target = h("div", { className: "line target", role: "toolbar", lang: language });
  target.setAttribute("aria-label", "the words that were written");
  target.dataset.role = "translation";
  const node = h("div", { className: "picture" }, sentence.node, svg, target);
  const words = { source: [], target: [] };
  const parts = { node, svg, words, threads: [], largest: LARGEST, narrow: NARROW };
  whenSized(base, node, () => place(parts));
  listen(node, words, { view, point, choose });

  const fillTarget = () => {
    const columns = aligned(view.target, view.intact);
    let index = 0;
    const nodes = columns.slice(0, MOST).map((column) => {
      const sure = column.word && view.answer ? view.sure(index) : 0;
      const made = writtenOf(column, index, language, sure);
      if (column.word) index++;
      return made;
    });
    words.target = nodes.filter((one) => one.matches(".word"));
    const many = columns.length > MOST;
    const rest = many ? [h("span", { className: "rest" }, `… ${view.target.length} words`)] : [];
    target.replaceChildren(...nodes, ...rest);
  };
  const drawn = ({ from, to }) =>
    [from, to].every(({ side, index }) => side === "source" || index < words.target.length);

  return {
    node,
    words,
    /** Finds the chips of the words that are read; one that is empty is not. */
    follow() {
      words.source = sentence.chips.filter((_, i) => sentence.words[i]);
      words.source.forEach((chip, index) => Object.assign(chip, at("source", index)));
      const stop = words.source.find((chip) => chip.tabIndex === 0) ?? words.source[0];
      for (const chip of words.source) chip.tabIndex = chip === stop ? 0 : -1;
      place(parts);
    },
    draw() {
      fillTarget();
      this.spin();
    },
    /** New threads between the words. */
    spin() {
      node.style.setProperty("--thread", `var(--head${view.look.head % 4})`);
      const isGhost = view.isBlind && view.whole !== null;
      node.classList.toggle("ghost", isGhost);
      const { source, target, percent, before } = view;
      const seen = { source, target, percent: isGhost ? before : percent };
      spin(parts, view.isKnown ? PAIRS[view.look.kind](seen).filter(drawn) : []);
      this.follow();
    },
    /** The word whose place the field has. */
    edited() {
      const index = words.source.indexOf(sentence.chips[sentence.at]);
      return index < 0 ? null : at("source", index);
    },
    light: (lit, written) => light(parts, lit, written),
  };
};
