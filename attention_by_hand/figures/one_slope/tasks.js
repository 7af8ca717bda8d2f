// The five boxes from the loss to the weight after a step: what each asks for, and what its slips
// are.

import { field } from "../kit/shared/boxes.js";
import { signed } from "../kit/parts/numbers.js";

const two = (value) => signed(value, 2);

/** All that is computed with one weight, upwards, and the slope of the loss at each part. */
export const wayOf = (weight, { numbers, values }) => {
  const [other, score] = numbers.map((number) => weight * number);
  const share = 1 / (1 + Math.exp(other - score));
  const mixture = (1 - share) * values[0] + share * values[1];
  const p = 1 / (1 + Math.exp(-mixture));
  const apart = values[1] - values[0];
  const toMixture = p - 1;
  const toShare = toMixture * apart;
  const toScore = toShare * share * (1 - share);
  const slope = toScore * numbers[1];
  return {
    weight,
    score,
    share,
    mixture,
    p,
    apart,
    loss: -Math.log(p),
    toMixture,
    toShare,
    toScore,
    slope,
  };
};

/** The weight after so many steps downhill. */
export const weightAfter = (steps, given) => {
  let weight = 0;
  for (let i = 0; i < steps; i++) weight -= given.rate * wayOf(weight, given).slope;
  return weight;
};

const slopeAt = (part, right, slips, otherwise) =>
  field(`the slope at ${part}`, right, 0.011, slips, otherwise);
const SIGN = "the sign: a slope below 0 stays below 0 when it is multiplied by a number above 0.";

const toTheMixture = ({ p, toMixture }) => ({
  text: `“beer” is right and has a probability of ${two(p)}. The slope at its score is the probability minus 1.`,
  fields: [
    slopeAt(
      "the mixture",
      toMixture,
      [
        [p, "that is the probability. Take 1 from it."],
        [-toMixture, "the sign: a higher score makes the loss smaller."],
      ],
      `${two(p)} minus 1.`,
    ),
  ],
});

const toTheShare = ({ apart, toMixture, toShare }, [other, value]) => ({
  text: `If all went to “bier”, the mixture would be ${value}, and if all went to “ich”, ${signed(other, 0)}. Multiply by the difference.`,
  fields: [
    slopeAt(
      "the share",
      toShare,
      [
        [-toShare, SIGN],
        [toMixture * value, `that is times ${value}. Less for “ich” counts too.`],
        [toMixture * (value + other), "that is their sum. Take the difference of the two."],
      ],
      `${two(toMixture)} times ${apart}.`,
    ),
  ],
});

const toTheScore = ({ share, toShare, toScore }) => ({
  text: `Through the softmax goes share times (1 − share), here ${two(share)} · ${two(1 - share)}.`,
  fields: [
    slopeAt(
      "the score",
      toScore,
      [
        [-toScore, SIGN],
        [toShare * share, `that is times ${two(share)} alone. Multiply by ${two(1 - share)} too.`],
      ],
      `${two(toShare)} times ${two(share * (1 - share))}.`,
    ),
  ],
});

const toTheWeight = ({ toScore, slope }, number) => ({
  text: `The score is the weight times ${number}, so what moves the weight moves the score ${number} times as far.`,
  fields: [
    slopeAt(
      "the weight",
      slope,
      [
        [-slope, SIGN],
        [toScore / number, "that is divided. Multiply."],
      ],
      `${two(toScore)} times ${number}.`,
    ),
  ],
});

const downhill = ({ slope }, rate) => ({
  text: `Now a step against the slope, at a rate of ${rate}: the new weight is 0 minus ${rate} times the slope.`,
  fields: [
    field(
      "the weight after a step",
      -rate * slope,
      0.006,
      [
        [rate * slope, "that is uphill. Two minus signs make a plus."],
        [-slope, `that is a step at a rate of 1. Take ${rate} of it.`],
      ],
      `${rate} times ${two(-slope)}.`,
    ),
  ],
});

/** @param {any} given */
export const tasksOf = (given) => {
  const way = wayOf(0, given);
  return [
    toTheMixture(way),
    toTheShare(way, given.values),
    toTheScore(way),
    toTheWeight(way, given.numbers[1]),
    downhill(way, given.rate),
  ];
};
