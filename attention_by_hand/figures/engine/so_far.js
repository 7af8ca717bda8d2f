// What a decoder would say if its vectors stopped where they are (elsewhere called a logit lens):
// after each norm the output matrix reads them, as it reads the last ones.

import { matmul } from "./tensor.js";

const MOST = 3; // words
const NORM = /^decoder\.\d+\.norm\d$/;

/** The likeliest words of one row of logits, [id, probability] each, the likeliest first. */
const likeliest = (row) => {
  const best = Math.max(...row);
  const total = row.reduce((sum, logit) => sum + Math.exp(logit - best), 0);
  return [...row.keys()]
    .sort((a, b) => row[b] - row[a])
    .slice(0, MOST)
    .map((id) => [id, Math.exp(row[id] - best) / total]);
};

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
    const size = shape.at(-1);
    const rows = Array.from({ length: shape.at(-2) }, (_, i) => i * size);
    said[name] = rows.map((at) => likeliest(data.subarray(at, at + size)));
  };
  return said;
};
