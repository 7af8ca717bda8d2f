// What the figure shows: a sentence, what became of it, and how much each of its words looked at
// which.

import { split } from "../kit/shared/words.js";
import { getter } from "../kit/runtime/model.js";
import { cutOf, headOf } from "./parts.js";

const same = (a, b) => a.join(" ") === b.join(" ");

const SPELLINGS = [
  (word) => word,
  (word) => word[0].toLowerCase() + word.slice(1),
  (word) => word[0].toUpperCase() + word.slice(1),
];

/**
 * What a table of words has for a word, with a capital or without: who begins a sentence may write
 * one.
 */
export const looked = (word, has) => SPELLINGS.map((spelt) => spelt(word)).find(has);

/** Whether there is a word of this index. */
export const isIndex = (index, words) =>
  Number.isInteger(index) && index >= 0 && index < words.length;

export class View {
  /** The words that were read, and those that were written. */
  source = [];
  target = [];
  /** What is written with every part in its place. */
  intact = [];
  /** The engine's, of the latest translation. */
  answer = null;
  /** And of the same sentence with every part in its place. */
  whole = null;
  /** The words that may be written, by their ids. */
  vocabulary = [];
  /** A look that is only pointed at: {kind, layer, head}. */
  glance = null;
  /** The word under the pointer or the focus: {side, index}. */
  pointed = null;
  /** How many of the written words are to be seen, while the reader watches. */
  written = Infinity;

  /** @param {import("./figure.js").Model} model */
  constructor(model) {
    this.model = model;
  }

  /** Whose look is drawn. */
  get look() {
    const at = getter(this.model);
    const chosen = { kind: at("kinds")[at("kind")], layer: at("layer"), head: at("head") };
    return this.glance ?? chosen;
  }

  /** Whether the head that is drawn is cut out. */
  get isBlind() {
    return cutOf(headOf(this.look), this.model.get("off")) !== undefined;
  }

  /** How much word i takes from word j in a look, from 0 to 1. */
  weight({ kind, layer, head }, i, j, answer = this.answer) {
    if (!answer) return (this.model.get("opening").percents[i]?.[j] ?? 0) / 100;
    const map = answer[kind][layer];
    if (!map) return 0; // the layer is cut out
    const [, , rows, columns] = map.shape;
    return map.data[(head * rows + i) * columns + j];
  }

  /** Whether there are weights to draw: the engine's, or those of the first sentence at hand. */
  get isKnown() {
    const { layer, head } = this.model.get("opening");
    const opens = headOf(this.look) === headOf({ kind: "cross", layer, head });
    const first = split(this.model.get("sentences")[0]);
    return this.answer !== null || (opens && same(this.source, first));
  }

  /** Bound, like `meaning`: what tells of a word takes them by themselves. */
  percent = (i, j) => Math.round(100 * this.weight(this.look, i, j));

  /** The same, for a word that stands as it did, with every part in its place. */
  before = (i, j) => {
    const words = this.look.kind === "encoder" ? [[], []] : [this.target, this.intact];
    const stands = words[0][i] === words[1][i];
    return stands ? Math.round(100 * this.weight(this.look, i, j, this.whole)) : 0;
  };

  /** The word that is picked out: {side, index}, or null. */
  get chosen() {
    const { source, target, look } = this;
    const read = this.model.get("source_word");
    const step = this.model.get("step");
    if (isIndex(read, source)) return { side: "source", index: read };
    if (look.kind === "encoder" || !isIndex(step, target)) return null;
    return { side: "target", index: step };
  }

  /** How sure it was of written word i. */
  sure(i) {
    const { id, probabilities } = this.answer.steps[i];
    return probabilities[id];
  }

  meaning = (word) => {
    const gloss = this.model.get("gloss");
    return gloss[looked(word, (spelt) => Object.hasOwn(gloss, spelt))] ?? "";
  };

  /** The written word that looks farthest along the sentence. */
  longestLook() {
    const { source, target } = this;
    const look = { ...this.look, kind: "cross" };
    const reach = target.map((_, i) => {
      const distance = (j) => Math.abs(i / target.length - j / source.length);
      return Math.max(...source.map((_, j) => this.weight(look, i, j) * distance(j)));
    });
    return Math.max(0, reach.indexOf(Math.max(...reach)));
  }
}
