// The router on lists of numbers: who works for a token, how many each network is sent, and how a
// step of balance moves the choice.

import { dot, softmax } from "../kit/parts/numbers.js";

/** The networks that work for a token, the first choice first, and their shares. */
export const route = (token, { matrix, favour, top_k }) => {
  const scores = matrix.map((row) => dot(row, token));
  const liking = scores.map((score, i) => score + favour[i]);
  const chosen = liking
    .map((_, i) => i)
    .sort((a, b) => liking[b] - liking[a] || a - b)
    .slice(0, top_k);
  return { chosen, shares: softmax(chosen.map((i) => scores[i])) };
};

/** How many of the tokens each network works for. */
export const loadOf = (tokens, router) => {
  const load = router.matrix.map(() => 0);
  for (const token of tokens) for (const i of route(token, router).chosen) load[i] += 1;
  return load;
};

const meanOf = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;

/** Whether no network has much more or less than an equal load. */
export const isBalanced = (load, near) =>
  load.every((count) => Math.abs(count - meanOf(load)) <= near * meanOf(load));

/** One step: who has more than an equal load is favoured less, who has less is favoured more. */
export const balanced = (favour, load, rate) =>
  favour.map((liked, i) => Number((liked + rate * Math.sign(meanOf(load) - load[i])).toFixed(4)));

/** The part of a polygon in which `score(point) >= 0`, a function that is linear in the point. */
const cut = (polygon, score) =>
  polygon.flatMap((point, i) => {
    const before = polygon.at(i - 1);
    const [a, b] = [score(before), score(point)];
    const kept = b >= 0 ? [point] : [];
    if (a >= 0 === b >= 0) return kept;
    const part = a / (a - b);
    return [before.map((value, axis) => value + part * (point[axis] - value)), ...kept];
  });

/** Where a network is the first choice: a polygon, empty where it never is. */
export const firstOf = (i, { matrix, favour }, reach) => {
  const whole = [
    [-reach, -reach],
    [reach, -reach],
    [reach, reach],
    [-reach, reach],
  ];
  const likes = (j) => (point) => dot(matrix[j], point) + favour[j];
  const others = matrix.map((_, j) => j).filter((j) => j !== i);
  return others.reduce((left, j) => cut(left, (at) => likes(i)(at) - likes(j)(at)), whole);
};
