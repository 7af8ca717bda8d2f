// The five steps from two vectors to a share: what each asks for, and what its slips are.

import { field } from "../kit/shared/boxes.js";
import { quoted } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";

const two = (value) => signed(value, 2);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
/** The places of the largest numbers, the largest first. */
const largest = (numbers, count) =>
  numbers
    .map((value, i) => [value, i])
    .sort(([a], [b]) => b - a)
    .slice(0, count)
    .map(([, i]) => i);

/**
 * What there is to compute: the places whose products are asked for, the best words, and all
 * numbers that are right.
 */
export const rowOf = ({ query, key, scores }) => {
  const products = query.map((value, i) => value * key[i]);
  const places = largest(products, 2).sort((a, b) => a - b);
  const total = sum(products);
  const best = largest(scores, 3);
  const powers = best.map((i) => Math.exp(scores[i]));
  const rest = sum(scores.map(Math.exp)) - sum(powers);
  return {
    products,
    places,
    total,
    given: total - sum(places.map((i) => products[i])),
    root: Math.sqrt(query.length),
    best,
    powers,
    rest,
    share: powers[0] / (sum(powers) + rest),
  };
};

const productField = (place, a, b) =>
  field(
    `place ${place}: ${two(a)} times ${two(b)}`,
    a * b,
    0.011,
    [
      [-a * b, "the sign: two numbers with the same sign have a product above 0."],
      [a + b, "that is their sum. Multiply them."],
      [10 * a * b, "the point stands one place too far to the right."],
      [(a * b) / 10, "the point stands one place too far to the left."],
    ],
    `multiply ${two(a)} by ${two(b)}.`,
  );

const powerField = (word, score) =>
  field(
    `${quoted(word)}: e to the power of ${two(score)}`,
    Math.exp(score),
    0.02 * Math.exp(score),
    [
      [
        Math.E * score,
        "that is e times the score. It is the exponent: the key e^x of a calculator.",
      ],
      [score ** Math.E, "the two are turned round: e stands below, and the score above."],
      [10 ** score, "that is a power of 10. Take the key e^x."],
      [2 ** score, "that is a power of 2. Take e, which is 2.718."],
    ],
    `2.718 to the power of ${two(score)}.`,
  );

/** From two vectors to their score. */
const toTheScore = (query, key, { places, products, total, given, root }) => {
  const [first, second] = places.map((i) => products[i]);
  const sumSlips = [
    [given + first, "the second of your products is missing."],
    [given + second, "the first of your products is missing."],
    [first + second, "these are your two alone. Add the others."],
  ];
  const scoreSlips = [
    [total / query.length, `that is divided by ${query.length} itself. Take its root.`],
    [total * root, "that is multiplied. Divide."],
    [total / 2, `that is half. The root of ${query.length} is ${root}.`],
  ];
  const sumHint = `${two(given)}, and the two products above.`;
  return [
    {
      text: "Multiply each column.",
      fields: places.map((place) => productField(place, query[place], key[place])),
    },
    {
      text: "Add up the row.",
      fields: [field("the sum", total, 0.031, sumSlips, sumHint)],
    },
    {
      text: `Divide the sum by the root of ${query.length}.`,
      fields: [
        field("the score", total / root, 0.011, scoreSlips, `${two(total)} divided by ${root}.`),
      ],
    },
  ];
};

/** From the scores to the share of the best. */
const toTheShare = (scores, words, { best, powers, rest, share }) => {
  const label = `the share of ${quoted(words[best[0]])}, in per cent`;
  const slips = [
    [
      (100 * powers[0]) / (sum(powers) - powers[0] + rest),
      "the sum below the line must contain the power above it too.",
    ],
    [
      (100 * scores[best[0]]) / sum(best.map((i) => scores[i])),
      "these are shares of the scores. Take the powers.",
    ],
  ];
  const hint = "its own power, divided by the sum of all powers.";
  return [
    {
      text: "That is the score. Take e, which is 2.718, to the power of each.",
      fields: best.map((i) => powerField(words[i], scores[i])),
    },
    {
      text: `Divide the power of ${quoted(words[best[0]])} by the sum of its row.`,
      fields: [{ ...field(label, 100 * share, 0.3, slips, hint), isShare: true }],
    },
  ];
};

/** @param {{ query: number[], key: number[], scores: number[], words: string[] }} numbers */
export const tasksOf = ({ query, key, scores, words }) => {
  const row = rowOf({ query, key, scores });
  return { row, tasks: [...toTheScore(query, key, row), ...toTheShare(scores, words, row)] };
};
