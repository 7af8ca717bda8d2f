// What is read off a look at many texts: the loss where something is asked, and where heads look.

import { logSoftmax } from "../engine/tensor.js";

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/** On the second stretch, the loss in nats a letter, and the share of letters that are right, where
 * the likeliest is taken. */
export const lossOf = ({ shape, data }, answers, pad) => {
  const [, T, V] = shape;
  const found = answers.flatMap((row, b) =>
    row.flatMap((id, t) => {
      if (id === pad) return [];
      const logs = logSoftmax(data.subarray((b * T + t) * V, (b * T + t + 1) * V));
      return [{ loss: -logs[id], right: Number(logs.every((log) => log <= logs[id])) }];
    }),
  );
  return {
    loss: mean(found.map(({ loss }) => loss)),
    right: mean(found.map(({ right }) => right)),
  };
};

/** The weight of each head of a layer's map at these [text, query, key], on average. */
const weightAt = ({ shape, data }, places) => {
  const [, H, T, K] = shape;
  return Array.from({ length: H }, (_, head) =>
    mean(places.map(([b, query, key]) => data[((b * H + head) * T + query) * K + key])),
  );
};

/** How much each head puts on the letter one place back, and, where something is asked, on the
 * letter behind the earlier twin: {back, behind}, a list of heads for each layer. */
export const looksOf = (maps, texts) => {
  const before = texts.flatMap(({ ids }, b) => ids.slice(2).map((_, i) => [b, i + 1, i]));
  const behind = texts.flatMap(({ first, second, stretch }, b) =>
    Array.from({ length: stretch - 1 }, (_, i) => [b, second + i, first + i + 1]),
  );
  return {
    back: maps.map((map) => weightAt(map, before)),
    behind: maps.map((map) => weightAt(map, behind)),
  };
};
