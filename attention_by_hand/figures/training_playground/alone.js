// A decoder alone reads question, mark and answer as one text. What it says of its answers is cut out
// here, so that it has the form that an encoder with a decoder gives.

/**
 * {texts, answers}: each question with its answer behind it, and what should come after each token,
 * with padding in place of the question.
 */
export const textsOf = (sources, target, pad) => {
  const longest = Math.max(...sources.map((ids) => ids.length)) + target[0].length - 1;
  const padded = (row) => [...row, ...Array(longest - row.length).fill(pad)];
  return {
    texts: sources.map((ids, i) => padded([...ids, ...target[i].slice(0, -1)])),
    answers: sources.map((ids, i) => padded([...ids.map(() => pad), ...target[i].slice(1)])),
  };
};

/** Of a tensor (B, ..., T, N) the `rows` rows of each text that stand behind its question. */
const behind = ({ shape, data }, sources, rows) => {
  const [T, N] = shape.slice(-2);
  const tables = data.length / (T * N);
  const kept = new Float32Array(tables * rows * N);
  for (let i = 0; i < tables; i++) {
    const question = sources[Math.floor((i * sources.length) / tables)];
    const from = (i * T + question.length) * N;
    kept.set(data.subarray(from, from + rows * N), i * rows * N);
  }
  return { shape: [...shape.slice(0, -2), rows, N], data: kept };
};

/** A look as that at an encoder with a decoder, but for the memory, which is not there. */
export const answersIn = ({ logits, maps }, sources, rows) => ({
  logits: behind(logits, sources, rows),
  cross: maps.map((map) => behind(map, sources, rows)),
});
