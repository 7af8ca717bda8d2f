// Attention under a mask, and how far its outputs move when the vector of one word is turned round.

import { dot, softmax } from "../kit/parts/numbers.js";

/** Who may look where: `allowed(query, key)`. */
export const maskOf = (kind, length) => {
  const hidesPadding = kind === "padding" || kind === "both";
  const hidesFuture = kind === "causal" || kind === "both";
  return (i, j) => !(hidesPadding && j >= length) && !(hidesFuture && j > i);
};

/**
 * Attention of x to itself: the weights, row by row, and the outputs. A row with nothing to see is
 * zeros.
 */
const attend = (x, allowed) => {
  const width = x[0].length;
  const weights = x.map((query, i) =>
    softmax(x.map((key, j) => (allowed(i, j) ? dot(query, key) / Math.sqrt(width) : -Infinity))),
  );
  const outputs = weights.map((row) =>
    x[0].map((_, c) => row.reduce((sum, w, j) => sum + (w ? w * x[j][c] : 0), 0)),
  );
  return { weights, outputs };
};

/**
 * The weights, and how far each output moves where the vector of the word `changed` is turned
 * round.
 */
export const lookAt = (x, changed, allowed) => {
  const { weights, outputs } = attend(x, allowed);
  const turned = x.map((vector, i) => (i === changed ? vector.map((v) => -v) : vector));
  const after = attend(turned, allowed).outputs;
  const moved = outputs.map((output, i) =>
    Math.max(...output.map((v, c) => Math.abs(v - after[i][c]))),
  );
  return { weights, moved };
};
