// Small arithmetic on lists of numbers, and how a number is written.

export const signed = (value, digits = 4) => value.toFixed(digits).replace("-", "−");

export const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);

/**
 * Softmax of a list of scores. Where all are −Infinity, nothing may be attended to and every weight
 * is 0.
 */
export const softmax = (scores) => {
  const most = Math.max(...scores);
  const powers = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - most)));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => (total === 0 ? 0 : power / total));
};
