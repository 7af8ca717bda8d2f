// What is read off a look at the model: probabilities, the loss, translations, how alike its
// vectors are.

import { dot, softmax } from "../kit/parts/numbers.js";

/** The probabilities of all words at one place of a sentence. */
export const nextWords = ({ shape, data }, sentence, place) => {
  const from = (sentence * shape[1] + place) * shape[2];
  return softmax(Array.from(data.slice(from, from + shape[2])));
};

/** The mean surprise at the right words, in nats. */
export const lossOf = (logits, target, pad) => {
  const all = target.flatMap((ids, sentence) =>
    ids.slice(1).flatMap((id, place) => {
      if (id === pad) return [];
      return [-Math.log(nextWords(logits, sentence, place)[id])];
    }),
  );
  return all.reduce((sum, x) => sum + x, 0) / all.length;
};

const unit = (vector) => {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((x) => x / length);
};

/** The encoder's vectors of a sentence's words, each of length 1. */
export const vectorsOf = ({ shape, data }, sentence, words) =>
  words.map((_, i) => {
    const from = (sentence * shape[1] + i) * shape[2];
    return unit(Array.from(data.slice(from, from + shape[2])));
  });

/** The mean cosine of every two words of all sentences. */
export const likeness = (memory, sources) => {
  const all = sources.flatMap((words, sentence) => vectorsOf(memory, sentence, words));
  if (all.length < 2) return 1;
  const sum = all.reduce((total, v) => total.map((x, i) => x + v[i]));
  return (dot(sum, sum) - all.length) / (all.length * (all.length - 1));
};
