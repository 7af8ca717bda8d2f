// How decided a softmax is.

import { softmax } from "../kit/parts/numbers.js";

/**
 * The softmax of scores, with how decided it is: the largest weight, the entropy and the size of
 * its Jacobian.
 */
export const decided = (scores) => {
  const weights = softmax(scores);
  const sum = (f) => weights.reduce((a, p) => a + f(p), 0);
  // Where one weight is nearly 1, 1 − p would be all rounding: the other weights say how much is
  // missing.
  const best = weights.indexOf(Math.max(...weights));
  const others = weights.filter((_, i) => i !== best);
  const [rest, restSquares] = [
    others.reduce((a, p) => a + p, 0),
    others.reduce((a, p) => a + p * p, 0),
  ];
  const squares = sum((p) => p * p);
  const rowSize = (p, i) =>
    p * p * (i === best ? rest * rest + restSquares : (1 - p) ** 2 + squares - p * p);
  return {
    weights,
    top: Math.max(...weights),
    entropy: -sum((p) => (p > 0 ? p * Math.log(p) : 0)) / Math.log(weights.length),
    size: Math.sqrt(weights.reduce((a, p, i) => a + rowSize(p, i), 0)),
  };
};

/** diag(p) − p pᵀ, row by row: how each weight answers to each score. */
export const jacobian = (p) => p.flatMap((pi, i) => p.map((pj, j) => pi * (Number(i === j) - pj)));

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
