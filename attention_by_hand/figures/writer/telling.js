// What is said of the text: what was drawn, what had to be computed for it, and all of it to copy.

import { h, quoted } from "../kit/parts/dom.js";

/** @import { Model } from "./figure.js" */

const tokens = (n) => `${n} ${n === 1 ? "token" : "tokens"}`;

/** What the cache saved, for the text as it was read last. */
const costOf = ({ read, tokens: all }) => {
  const kept = all.length - read;
  return kept
    ? `Computed: ${tokens(read)}. From the cache: ${kept}.`
    : `Computed: all ${tokens(read)}.`;
};

const named = (part) => {
  const [, layer, , head] = part.split(".");
  return head === undefined ? part : `head ${head} of layer ${layer}`;
};

/**
 * The text, what of it was written by the model, how its words were drawn, and what was cut out.
 *
 * @param {Model} model
 */
export const saidOf = (model, { tokens, began, ended, told }) => {
  const [temperature, k, p] = [model.get("temperature"), model.get("top_k"), model.get("top_p")];
  const written = tokens.slice(began, ended ? -1 : undefined);
  const off = model.get("off").map(named);
  return [
    `Begun with: ${told(tokens.slice(1, began)) || "nothing"}`,
    `Written by the model: ${told(written) || "nothing yet"}`,
    `Temperature ${temperature}, top-k ${k}, top-p ${p}`,
    ...(off.length ? [`Cut out: ${off.join(", ")}`] : []),
  ].join("\n");
};

/** Where the newest token looks in a head, or that this head is cut out. */
const lookOf = (all, { layer, head }, weights, off) => {
  const name = `Head ${head} of layer ${layer}`;
  if (off.includes(`layers.${layer}.self_attention.${head}`)) return `${name} is cut out.`;
  const most = weights.indexOf(Math.max(...weights));
  return `${name}: ${quoted(all.at(-1))} looks most at ${quoted(all[most])}, ${weights[most].toFixed(2)}.`;
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
      const near = like.length ? `; it knows ${like.map(quoted).join(", ")}` : "";
      drawn.textContent = `It does not know ${quoted(word)}${near}.`;
    },
    /** Where the newest token looks in a head; else what the bars have where something is off. */
    look(all, pointed, weights, off) {
      const lines = off.length ? "Thin lines: with nothing cut out." : "";
      looks.textContent = weights ? lookOf(all, pointed, weights, off) : lines;
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
