// What is said of the text: what was drawn, and what had to be computed for it.

import { h, quoted } from "../kit/dom.js";

const tokens = (n) => `${n} ${n === 1 ? "token" : "tokens"}`;

/** What the cache saved, for the text as it was read last. */
const costOf = ({ read, tokens: all }, off) => {
  const kept = all.length - read;
  const cut = off.length ? " Thin lines: with nothing cut out." : "";
  if (!kept) return `Through the layers: all ${tokens(read)}.${cut}`;
  return `Through the layers: ${tokens(read)}. From the cache: ${kept}.${cut}`;
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
      const near = like.map(quoted).join(", ");
      drawn.textContent = `It does not know ${quoted(word)}${near && `; it knows ${near}`}.`;
    },
    /** Where the newest token looks in a head, or nothing. */
    look(all, pointed, weights) {
      const most = weights ? weights.indexOf(Math.max(...weights)) : -1;
      looks.textContent =
        most < 0
          ? ""
          : `Head ${pointed.head} of layer ${pointed.layer}: ${quoted(all.at(-1))} looks most at ` +
            `${quoted(all[most])}, ${weights[most].toFixed(2)}.`;
    },
    quiet() {
      drawn.textContent = "";
    },
    /** `shown` as in reading.js, `text` as in text.js */
    tell(shown, { ended, over }, off) {
      if (ended) cost.textContent = "It has written its end mark: the text is over.";
      else if (over) cost.textContent = "There is no room left for another word.";
      else cost.textContent = shown ? costOf(shown, off) : "Loading the model …";
    },
    fail(error) {
      cost.textContent = `The model did not start: ${error.message}`;
    },
  };
};
