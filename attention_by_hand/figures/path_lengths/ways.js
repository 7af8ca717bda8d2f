// How far each way takes the message in a step: all that the three differ in.

export const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// A recurrence stays in one row: its steps follow each other in time, not from layer to layer.
export const WAYS = {
  convolution: {
    height: 92,
    reach: (_, k) => k - 1,
    how: (_, k) => `${counted(k - 1, "word")} a layer`,
  },
  recurrence: { height: 40, reach: () => 1, how: () => "1 word a step", flat: true },
  attention: { height: 56, reach: (n) => n - 1, how: () => "any distance" },
};

/** How many steps a way has from the first of n words to the last. */
export const stepsOf = ({ reach }, n, k) => Math.ceil((n - 1) / reach(n, k));
