// The chain of one sentence, x -> Q = K = V -> scores -> scaled -> weights -> output, in double
// precision.

import { dot, softmax } from "../kit/parts/numbers.js";
import { getter } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

/** Which trait holds an input. */
export const SOURCE = { x: "x", W: "weight", b: "bias" };

/** Which matrices each step is made of. */
export const NEEDED = {
  Q: ["x", "W", "b"],
  scores: ["Q"],
  scaled: ["scores"],
  weights: ["scaled"],
  output: ["weights", "Q"],
};

export const columnOf = (matrix, j) => matrix.map((row) => row[j]);

/** The powers of a softmax as they are written out. */
export const exponentials = (row) => {
  const most = Math.max(...row);
  const shift = Math.abs(most) > 20 ? most : 0; // the same quotient, where exp alone would overflow
  return { shift, values: row.map((v) => Math.exp(v - shift)) };
};

/**
 * Every matrix by its name; x is (T, D), W (d_k, D), b (d_k, 1).
 *
 * @param {Model} model
 */
export const valuesOf = (model) => {
  const at = getter(model);
  const x = at("x")[at("sentence")];
  const W = at("weight");
  const b = at("bias");
  const Q = x.map((word) => W.map((w, j) => dot(word, w) + b[j]));
  const scores = Q.map((q) => Q.map((k) => dot(q, k)));
  const scaled = scores.map((row) => row.map((v) => v / Math.sqrt(b.length)));
  const weights = scaled.map(softmax);
  const output = weights.map((row) => Q[0].map((_, j) => dot(row, columnOf(Q, j))));
  return { x, W, b: b.map((v) => [v]), Q, scores, scaled, weights, output };
};

/**
 * Of each matrix its title, how it came to be, and what its rows and columns are: words, or
 * numbered.
 *
 * @param {Model} model
 */
export const layoutOf = (model) => {
  const T = model.get("x")[0].length;
  const D = model.get("x")[0][0].length;
  const d = model.get("bias").length;
  const words = Array(T).fill("word");
  const dims = (n) => Array.from({ length: n }, (_, i) => `${i}`);
  return {
    x: ["x", "pull a number sideways", words, dims(D)],
    W: ["W", "row j makes number j", dims(d), dims(D)],
    b: ["b", "", dims(d), ["0"]],
    Q: ["Q = K = V", "x·Wᵀ + b", words, dims(d)],
    scores: ["scores", "Q·Kᵀ", words, words],
    scaled: ["scaled", `scores / √${d}`, words, words],
    weights: ["weights", "softmax by row", words, words],
    output: ["output", "weights·V", words, dims(d)],
  };
};
