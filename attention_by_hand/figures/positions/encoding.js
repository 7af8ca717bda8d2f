// The encoding itself: each pair of numbers turns at its own rate.

import { dot } from "../kit/parts/numbers.js";

export const encodingOf = (width, length) => {
  /** By how much the angle of a pair grows from each position to the next. */
  const rate = (pair) => 10000 ** ((-2 * pair) / width);
  /** The pair at a position, also outside the table: [sine, cosine]. */
  const pairAt = (position, pair) => [
    Math.sin(position * rate(pair)),
    Math.cos(position * rate(pair)),
  ];
  const pairs = Array.from({ length: width / 2 }, (_, pair) => pair);
  const rows = Array.from({ length }, (_, position) =>
    pairs.flatMap((pair) => pairAt(position, pair)),
  );
  /** The dot product of a position with every position. */
  const products = (position) => rows.map((row) => dot(row, rows[position]));
  return { rate, pairAt, rows, products };
};
