// The smallest training: one weight, its loss, and steps against the slope.

export const MOST_STEPS = 12;
const ARRIVED = 0.01; // a loss that is as good as none
export const LONG = 50; // more steps than are drawn

export const descentOf = ({ input, wanted }) => {
  const loss = (w) => (w * input - wanted) ** 2;
  const slope = (w) => 2 * input * (w * input - wanted);
  /** How far a weight is from the bottom of the valley. */
  const far = (w) => Math.abs(w - wanted / input);
  const next = (w, rate) => w - rate * slope(w);
  /** The weight at first and after each of `steps`. */
  const path = (first, rate, steps) => {
    const weights = [first];
    while (weights.length <= steps) weights.push(next(weights.at(-1), rate));
    return weights;
  };
  /**
   * How many steps training takes from a weight at a rate: Infinity where they are too many to be
   * drawn.
   */
  const stepsTo = (weight, rate) => {
    let steps = 0;
    for (let w = weight; loss(w) >= ARRIVED; w = next(w, rate)) if (++steps > LONG) return Infinity;
    return steps;
  };
  return { loss, slope, far, next, path, stepsTo };
};
