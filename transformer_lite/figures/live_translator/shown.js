// What the figure shows: a sentence, what became of it, and how much each of its words looked at which.

import { split } from "../kit/words.js";
import { headOf } from "./parts.js";

const same = (a, b) => a.join(" ") === b.join(" ");

const SPELLINGS = [
  (word) => word,
  (word) => word[0].toLowerCase() + word.slice(1),
  (word) => word[0].toUpperCase() + word.slice(1),
];

/** What a table of words has for a word, with a capital or without: who begins a sentence may write one. */
export const looked = (word, has) => SPELLINGS.map((spelt) => spelt(word)).find(has);

export const shownOf = (model) => {
  const at = (trait) => model.get(trait);
  const within = (index, words) => Number.isInteger(index) && index >= 0 && index < words.length;
  const shown = {
    source: [], // the words that were read, and those that were written
    target: [],
    intact: [], // what is written with every part in its place
    answer: null, // the engine's, of the latest translation
    vocabulary: [], // the words that may be written, by their ids
    glance: null, // a look that is only pointed at: {kind, layer, head}

    /** Whose look is drawn. */
    get look() {
      const chosen = { kind: at("kinds")[at("kind")], layer: at("layer"), head: at("head") };
      return shown.glance ?? chosen;
    },
    /** How much word i takes from word j in a look, from 0 to 1. */
    weight({ kind, layer, head }, i, j) {
      if (!shown.answer) return (at("opening").percents[i]?.[j] ?? 0) / 100;
      const map = shown.answer[kind][layer];
      if (!map) return 0; // the layer is cut out
      const [, , rows, columns] = map.shape;
      return map.data[(head * rows + i) * columns + j];
    },
    /** Whether there are weights to draw: the engine's, or those of the first sentence that are at hand. */
    get isKnown() {
      const { layer, head } = at("opening");
      const opens = headOf(shown.look) === headOf({ kind: "cross", layer, head });
      return shown.answer !== null || (opens && same(shown.source, split(at("sentences")[0])));
    },
    percent: (i, j) => Math.round(100 * shown.weight(shown.look, i, j)),
    /** The word that is picked out: {side, index}, or null. */
    get chosen() {
      const { source, target, look } = shown;
      if (within(at("source_word"), source)) return { side: "source", index: at("source_word") };
      if (look.kind === "encoder" || !within(at("step"), target)) return null;
      return { side: "target", index: at("step") };
    },
    /** How sure it was of written word i. */
    sure(i) {
      const { id, probabilities } = shown.answer.steps[i];
      return probabilities[id];
    },
    meaning(word) {
      const gloss = at("gloss");
      return gloss[looked(word, (spelt) => Object.hasOwn(gloss, spelt))] ?? "";
    },
    /** The written word that looks farthest along the sentence. */
    longestLook() {
      const { source, target } = shown;
      const reach = target.map((_, i) => {
        const reaches = source.map(
          (_, j) =>
            shown.weight({ ...shown.look, kind: "cross" }, i, j) *
            Math.abs(i / target.length - j / source.length),
        );
        return Math.max(...reaches);
      });
      return Math.max(0, reach.indexOf(Math.max(...reach)));
    },
  };
  return shown;
};
