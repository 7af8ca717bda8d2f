// What is said of the text: what was drawn, and what had to be computed for it.

import { h, quoted } from "../kit/parts/dom.js";

const tokens = (n) => `${n} ${n === 1 ? "token" : "tokens"}`;

/** What the cache saved, for the text as it was read last. */
const costOf = ({ read, tokens: all }) => {
  const kept = all.length - read;
  return kept
    ? `Computed: ${tokens(read)}. From the cache: ${kept}.`
    : `Computed: all ${tokens(read)}.`;
};

export const saysOf = (words) => {
  const [drawn, cost, looks] = ["drew", "cost", "looks"].map((className) => h("p", { className }));
  return {
    node: h("div", { className: "says" }, drawn, cost),
    looks,
    get said() {
      return `${drawn.textContent} ${cost.textContent}`.trim();
    },
    /** A word was drawn from `left` words. */
    drew(id, { words: all, left }) {
      const { drawn: share } = all.find((word) => word.id === id);
      const percent = share < 0.001 ? "less than 0.1" : (100 * share).toFixed(share < 0.1 ? 1 : 0);
      drawn.textContent =
        left === 1
          ? `Drawn: ${quoted(words[id])}. No other word was left.`
          : `Drawn: ${quoted(words[id])}, which had ${percent}\u00a0%.`;
    },
    chose(word) {
      drawn.textContent = `You chose ${quoted(word)}.`;
    },
    refuse(word, like) {
      cost.textContent = ""; // its line may be needed
      const near = like.map(quoted).join(", ");
      drawn.textContent = `It does not know ${quoted(word)}${near && `; it knows ${near}`}.`;
    },
    /** Where the newest token looks in a head; else what the bars have where something is off. */
    look(all, pointed, weights, off) {
      const most = weights ? weights.indexOf(Math.max(...weights)) : -1;
      const lines = off.length ? "Thin lines: with nothing cut out." : "";
      looks.textContent =
        most < 0
          ? lines
          : `Head ${pointed.head} of layer ${pointed.layer}: ${quoted(all.at(-1))} looks most at ` +
            `${quoted(all[most])}, ${weights[most].toFixed(2)}.`;
    },
    quiet() {
      drawn.textContent = "";
    },
    /** `shown` as in reading.js, `text` as in text.js */
    tell(shown, { ended, over }) {
      if (ended) cost.textContent = "It has written its end mark.";
      else if (over) cost.textContent = "There is no room left for another word.";
      else cost.textContent = shown ? costOf(shown) : "Loading the model …";
    },
    fail(fault, error) {
      cost.textContent = `The model ${fault}: ${error.message}`;
    },
  };
};
