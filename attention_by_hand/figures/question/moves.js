// The three moves of attention, and one step of learning, on lists of numbers.

import { dot, softmax } from "../kit/parts/numbers.js";

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Each vector times its number, added up. */
const mixed = (numbers, vectors) =>
  vectors[0].map((_, axis) => sum(vectors.map((vector, i) => numbers[i] * vector[axis])));

/** Score, share, mix: what a question is given. */
export const attend = (question, keys, values) => {
  const scores = keys.map((key) => dot(question, key));
  const shares = softmax(scores);
  return { scores, shares, mixture: mixed(shares, values) };
};

/**
 * One step downhill on the squared distance from the mixture to `target`. Each score is pushed by
 * its share, times how much better its value would have been than the mixture; the question moves
 * along the keys by these pushes.
 */
export const learn = (question, keys, values, target, rate) => {
  const { shares, mixture } = attend(question, keys, values);
  const missing = mixture.map((value, axis) => target[axis] - value);
  const better = (value) => 2 * (dot(missing, value) - dot(missing, mixture));
  const pushes = values.map((value, i) => shares[i] * better(value));
  const step = mixed(pushes, keys);
  return { pushes, question: question.map((value, axis) => value + rate * step[axis]) };
};
