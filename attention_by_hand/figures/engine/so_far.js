// What a decoder would say if its vectors stopped where they are (elsewhere called a logit lens):
// after each norm the output matrix reads them, as it reads the last ones.

import { probabilities } from "./decoding.js";
import { matmul } from "./tensor.js";

const MOST = 3; // words
const NORM = /^decoder\.\d+\.norm\d$/;

/** The likeliest words of one row of logits, [id, probability] each, the likeliest first. */
const likeliest = (row) =>
  [...probabilities(row).entries()].sort(([, a], [, b]) => b - a).slice(0, MOST);

/**
 * Listens to the next forward pass of a model over one sentence. What it returns is filled then:
 * {norm: a list of words for each place}. A model whose norms stand before its sub-layers has no
 * stream to read there, and tells nothing.
 */
export const listenTo = (model) => {
  const said = {};
  if (model.config.norm_first) return said;
  model.note = (name, x) => {
    if (!NORM.test(name)) return;
    const { data, shape } = matmul(x, model.weights["output.weight"], true); // (1, T, V)
    const [, T, V] = shape;
    said[name] = Array.from({ length: T }, (_, i) => likeliest(data.subarray(i * V, (i + 1) * V)));
  };
  return said;
};
