// What the figure knows of a layer's heads, read from the traits.

import { fineAt, shareAt, smallAt } from "../kit/parts/packed.js";
import { getter, put } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

/** @type {(keyof import("./figure.js").Traits)[]} */
export const HEADS = ["head_0", "head_1", "head_2", "head_3"];

const STAGES = ["x", "queries", "strips"];

/**
 * The numbers of the layer.
 *
 * @param {Model} model
 */
const layerOf = (model) => {
  const at = getter(model);
  const [source, read, tokens] = ["source_tokens", "decoder_tokens", "tokens"].map(at);
  const { n_heads: H, d_model: D } = at("sizes");
  const T = read.length;
  const S = source.length;
  const d = D / H;

  /** The columns of a stage that belong to one head, or all of them, row after row. */
  const stage = (name, head = null) => {
    const [first, width] = head === null ? [0, D] : [head * d, d];
    const start = STAGES.indexOf(name) * T * D;
    return Array.from({ length: T * width }, (_, i) => {
      const place = Math.floor(i / width) * D + first + (i % width);
      return smallAt(at("painted"), start + place, at("most")[name]);
    });
  };
  /** How much a head takes of a German word for an English one, from 0 to 1. */
  const weight = (head, row, key) => shareAt(at("weights"), (head * T + row) * S + key);
  /** The German word that a head takes most of. */
  const best = (head, row) => {
    const weights = source.map((_, key) => weight(head, row, key));
    return weights.indexOf(Math.max(...weights));
  };
  const part = (head, i) => fineAt(at("parts"), head * T * D + i, at("most").parts);
  /** The rows from `from` to `to` of the output, as these heads' parts add up. */
  const output = (some, from = 0, to = T) =>
    Array.from({ length: (to - from) * D }, (_, i) =>
      some.reduce((sum, head) => sum + part(head, from * D + i), 0),
    );
  /**
   * What is then said with this choice of heads: the word of all heads, and its likeliest rival.
   */
  const odds = (choice, row) => {
    const [chosen, rival, other] = [0, 1, 2].map((i) =>
      at("odds").getUint16(2 * ((choice * T + row) * 3 + i), true),
    );
    return { chosen: chosen / 65535, rival: at("rivals")[rival], other: other / 65535 };
  };
  return {
    source,
    read,
    tokens,
    H,
    D,
    T,
    S,
    d,
    most: at("most"),
    stage,
    weight,
    best,
    output,
    odds,
  };
};

/**
 * Which heads are on, which word asks, and the hand that changes both. Bit h of a choice says that
 * head h is on.
 *
 * @param {Model} model
 */
const chosenOf = (model, { H, T }) => {
  const heads = Array.from({ length: H }, (_, head) => head);
  const isOn = (head) => model.get(HEADS[head]);
  const among = (choice) => heads.filter((head) => (choice >> head) & 1);
  return {
    heads,
    isOn,
    row: () => model.get("row"),
    on: () => heads.filter(isOn),
    choice: () => heads.reduce((bits, head) => bits + (isOn(head) ? 2 ** head : 0), 0),
    choose(choice) {
      const on = heads.map((head) => [`head_${head}`, among(choice).includes(head)]);
      put(model, Object.fromEntries(on));
    },
    ask: (row) => put(model, { row: Math.max(0, Math.min(T - 1, row)) }),
    cut: (head) => put(model, { [`head_${head}`]: !isOn(head) }),
    /** All choices, from all heads to none. */
    choices: Array.from({ length: 2 ** H }, (_, choice) => choice).sort(
      (a, b) => among(b).length - among(a).length || a - b,
    ),
    named(choice) {
      const on = among(choice);
      return on.length ? `${on.length > 1 ? "heads" : "head"} ${on.join(", ")}` : "no head";
    },
  };
};

/** @param {Model} model */
export const dataOf = (model) => {
  const layer = layerOf(model);
  return { ...layer, ...chosenOf(model, layer) };
};
