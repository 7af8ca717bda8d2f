// Where the numbers of a sentence lie, block by block, and where each step of the code reads them.

import { fineAt } from "../kit/parts/packed.js";

export const memoryOf = ({ stored, most, tokens: T, heads: H, width: D }) => {
  const d = D / H;
  const first = Float64Array.from({ length: T * D }, (_, i) => fineAt(stored, i, most));
  // What .contiguous() writes after the transpose: head by head.
  const copied = Float64Array.from({ length: T * D }, (_, i) => {
    const [head, token, k] = [Math.floor(i / (T * d)), Math.floor(i / d) % T, i % d];
    return first[token * D + head * d + k];
  });

  /** Where the numbers of [head, token] begin. */
  const offsetOf = ({ axes, strides }, head, token) => {
    const index = { T: token, H: head };
    const begin = axes.reduce((sum, axis, i) => sum + (index[axis] ?? 0) * strides[i], 0);
    return axes.includes("H") ? begin : begin + head * d;
  };
  /** Whose block lies at a place in memory: of which word, and which part of its vector. */
  const blockAt = ({ copied: anew }, place) =>
    anew
      ? { word: place % T, part: Math.floor(place / T) }
      : { word: Math.floor(place / H), part: place % H };
  /** All blocks at a step: who is given each, and its place in memory. */
  const blocksOf = (layout) =>
    Array.from({ length: T * H }, (_, i) => {
      const [head, token] = [Math.floor(i / T), i % T];
      const place = offsetOf(layout, head, token) / d;
      return { head, token, place, ...blockAt(layout, place) };
    });
  const agreeing = (layout) =>
    blocksOf(layout).filter(({ head, token, word, part }) => head === part && token === word)
      .length;
  const inMemory = ({ copied: anew }) => (anew ? copied : first);
  return { T, H, D, d, most, first, offsetOf, blocksOf, agreeing, inMemory };
};
