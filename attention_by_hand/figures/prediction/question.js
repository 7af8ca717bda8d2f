// What is asked: answers to choose from, or the ends of a scale, and how each of them is written.

import { unbroken } from "../kit/parts/dom.js";
import { getAll } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

/**
 * `names` are all guesses that can be made; `share(value)` is how far along the scale a number
 * lies, from 0 to 1.
 *
 * @param {Model} model
 */
export const questionOf = (model, { steps }) => {
  const [text, choices, low, high, unit, answer] = getAll(model, [
    "question",
    "options",
    "low",
    "high",
    "unit",
    "answer",
  ]);
  const options = choices.map(unbroken);
  const choosing = options.length > 0;
  const written = (value) => unbroken(`${Number(value.toPrecision(3))}${unit}`).replace("-", "−");
  const placed = (guess) => low + ((high - low) * guess) / steps;
  const places = Array.from({ length: choosing ? options.length : steps + 1 }, (_, i) => i);
  const tenths = Array.from(
    { length: 10 },
    (_, i) => `${written(placed((steps / 10) * i))} to ${written(placed((steps / 10) * (i + 1)))}`,
  );
  return {
    text,
    choosing,
    written,
    placed,
    names: choosing ? options : places.map((guess) => written(placed(guess))),
    bins: choosing ? options : tenths, // what hands are counted for
    right: choosing ? options[answer] : written(answer),
    share: (value) => (value - low) / (high - low),
    isHit: (guess) =>
      choosing ? guess === answer : Math.abs(placed(guess) - answer) <= (high - low) / 20,
  };
};
