// What the figure shows at present: two sentences, and how much each written word takes from each
// that was read.

import { getter } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

/** @type {Record<string, keyof import("./figure.js").Traits>} */
const WORDS = { target: "target_word", source: "source_word" };

/**
 * The present sentence and its weights. What an address asks for and is not there is not shown.
 *
 * @param {Model} model
 */
export const viewOf = (model) => {
  const at = getter(model);
  const sources = at("sources");
  const targets = at("targets");
  const sizes = sources.map((source, n) => at("heads") * targets[n].length * source.length);
  const starts = sizes.map((_, n) => sizes.slice(0, n).reduce((sum, size) => sum + size, 0));
  const within = (index, length) =>
    Number.isInteger(index) && index >= 0 && index < length ? index : -1;
  const view = {
    sources,
    targets,
    heads: at("heads"),
    get sentence() {
      return Math.max(0, within(at("sentence"), sources.length));
    },
    get head() {
      return Math.max(0, within(at("head"), at("heads")));
    },
    get source() {
      return sources[this.sentence];
    },
    get target() {
      return targets[this.sentence];
    },
    /** The word that is picked out: {side, index}, or null. */
    get chosen() {
      for (const side of Object.keys(WORDS)) {
        const index = within(at(WORDS[side]), this[side].length);
        if (index >= 0) return { side, index };
      }
      return null;
    },
    /** How much of what written word i looks at is word j, in per cent. */
    percent: (i, j) => {
      const { sentence, head } = view;
      const rows = targets[sentence].length;
      const columns = sources[sentence].length;
      return at("weights").getUint8(starts[sentence] + (head * rows + i) * columns + j);
    },
    meaning: (word) => (Object.hasOwn(at("gloss"), word) ? at("gloss")[word] : ""),
  };
  return view;
};
