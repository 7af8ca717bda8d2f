// What the traits of the machine hold: the strips of numbers, the weights, and the places on the
// way.

import { fixedAt, sharesFrom } from "../kit/parts/packed.js";
import { softmax } from "../kit/parts/numbers.js";
import { getter } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

const KINDS = {
  "encoder self-attention": "encoder",
  "masked self-attention": "decoder",
  "cross-attention": "cross",
};
/** @type {Record<string, keyof import("./figure.js").Traits>} */
const WORDS = { source: "source_word", target: "decoder_word" };

/** The places on the way, each with its box, the row of its tower and what it reads. */
const stopsOf = (stops, boxes) =>
  stops.map(({ box, layer, reads }, index) => {
    const { role, side } = boxes[box];
    const layered = ["attention", "feed", "norm"].includes(role);
    const row = stops.slice(0, index).filter((other) => boxes[other.box].side === side).length;
    return {
      ...boxes[box],
      index,
      row,
      layer,
      reads,
      layered,
      name: layered ? `, layer ${layer}` : "",
    };
  });

/**
 * A function of a stop and a word: the weights with which it looks at others, a list for each head,
 * or null.
 */
const looksOf = (at, words) => {
  const { heads, layers } = at("sizes");
  const shapes = {
    encoder: [words.source.length, words.source.length],
    decoder: [words.target.length, words.target.length],
    cross: [words.target.length, words.source.length],
  };
  return ({ part, layer }, word) => {
    const kind = KINDS[part];
    if (kind === undefined) return null;
    const kinds = Object.keys(shapes);
    const before = kinds.slice(0, kinds.indexOf(kind));
    const start = before.reduce((sum, name) => sum + shapes[name][0] * shapes[name][1], 0);
    const [rows, cols] = shapes[kind];
    return Array.from({ length: heads }, (_, head) => {
      const first = layers * heads * start + ((layer * heads + head) * rows + word) * cols;
      return Array.from(sharesFrom(at("weights"), first, cols), (v) => v / 255);
    });
  };
};

/** @param {Model} model */
export const dataOf = (model, { boxes }) => {
  const at = getter(model);
  const { heads, d_model: size, layers } = at("sizes");
  const words = { source: at("source_tokens"), target: at("decoder_tokens") };
  const vocabulary = at("vocabulary");
  const [source, target] = at("languages");
  const stops = stopsOf(at("stops"), boxes);
  const looks = looksOf(at, words);

  const numberAt = (i) => fixedAt(at("numbers"), i);
  const vector = (stage, word) => {
    if (stage === "softmax") return softmax(vector("scores", word));
    const count = stage === "scores" ? vocabulary.length : size;
    const start = at("stages")[stage] + word * count;
    return Array.from({ length: count }, (_, i) => numberAt(start + i));
  };

  /** The likeliest words after this one: [word, probability]. */
  const next = (word, most) => {
    const probabilities = vector("softmax", word);
    const order = probabilities
      .map((_, i) => i)
      .sort((a, b) => probabilities[b] - probabilities[a] || a - b);
    return order.slice(0, most).map((i) => [vocabulary[i], probabilities[i]]);
  };

  /** What would be written after this word if its vector stopped here: [word, share], or none. */
  const said = ({ reads }, word) => {
    const told = at("said");
    const stage = reads.map(([, name]) => name).filter((name) => name in told);
    return (told[stage.at(-1)]?.[word] ?? []).map(([id, n]) => [vocabulary[id], n / 1000]);
  };

  return {
    at,
    heads,
    size,
    layers,
    words,
    vocabulary,
    languages: { source, target },
    stops,
    vector,
    looks,
    next,
    said,
    tower: (side) => stops.filter((stop) => stop.side === side),
    stop: () => stops[at("stop")],
    wordOf: (side) => at(WORDS[side]),
    /** The words that a stop looks at: [tokens, how many of them are not hidden]. */
    seenFrom: ({ part }, word) => {
      if (KINDS[part] === "decoder") return [words.target.slice(0, at("written") + 1), word + 1];
      return [words.source, words.source.length];
    },
  };
};
export { WORDS };
