/* A translation is written one token at a time: score what may come next, choose, append, repeat. What the layers
   computed for earlier tokens is kept; only without the causal mask must each step read the whole beginning again. */

import { Random } from "./random.js";
import { logSoftmax, Tensor } from "./tensor.js";

/* Where translations of `source` (one sentence, a row of ids) begin: a function from beginnings to log-probabilities
   (V) of each one's next token. `parents` says which of the beginnings before it each of them continues. */
function reader(model, source) {
  const { memory } = model.encode([source]);
  const begin = (n) => select(model.cache([source], memory), Array(n).fill(0));
  const whole = model.off.has("causal mask");
  let cache = begin(1);
  return (beginnings, parents) => {
    cache = whole ? begin(beginnings.length) : select(cache, parents);
    const { logits } = model.decode(
      whole ? beginnings : beginnings.map((ids) => ids.slice(-1)),
      cache,
    );
    const [B, T, V] = logits.shape;
    return Array.from({ length: B }, (_, row) => {
      const logs = logSoftmax(logits.data.subarray((row * T + T - 1) * V, (row * T + T) * V));
      // Padding is no word, whatever an untrained model thinks of it
      logs[model.config.pad_id] = -Infinity;
      return logs;
    });
  };
}

/* The cache with these of its rows, in this order. */
function select(cache, rows) {
  const take = (x) => {
    const size = x.data.length / x.shape[0];
    const taken = new Tensor([rows.length, ...x.shape.slice(1)]);
    rows.forEach((row, i) =>
      taken.data.set(x.data.subarray(row * size, (row + 1) * size), i * size),
    );
    return taken;
  };
  return {
    source: rows.map((row) => cache.source[row]),
    target: rows.map((row) => cache.target[row]),
    layers: cache.layers.map(({ memory, past }) => ({
      memory: memory.map(take),
      past: past?.map(take),
    })),
  };
}

/* Yields, token by token, {id, probabilities (V)}: the likeliest one, or at a temperature above 0 one drawn from
   softmax(logits / temperature). It ends with <eos>, or when the model has no room left. */
export function* greedy(model, source, { temperature = 0, seed = 0 } = {}) {
  const { bos_id, eos_id, max_length } = model.config;
  const next = reader(model, source);
  const random = new Random(seed);
  const ids = [bos_id];
  while (ids.length <= max_length && ids.at(-1) !== eos_id) {
    const [logs] = next([ids], [0]);
    const tempered = temperature ? logSoftmax(logs.map((x) => x / temperature)) : logs;
    const probabilities = tempered.map(Math.exp);
    const id = temperature ? draw(probabilities, random.uniform()) : likeliest(logs);
    ids.push(id);
    yield { id, probabilities };
  }
}

const likeliest = (logs) => logs.reduce((best, log, i) => (log > logs[best] ? i : best), 0);

function draw(probabilities, chance) {
  let sum = 0;
  return probabilities.findIndex((p) => {
    sum += p;
    return sum > chance;
  });
}

/* Keeps the `beam` likeliest beginnings instead of one, by log-probability / ((5 + length) / 6)^0.6 (Wu et al., 2016).
   Yields the best at every step, and at last the best that has ended: {ids, total, rank, steps, ended}, where steps
   has what `greedy` yields. */
export function* beamSearch(model, source, beam) {
  const { bos_id, eos_id, max_length } = model.config;
  const next = reader(model, source);
  let beams = [{ ids: [bos_id], total: 0, steps: [], row: 0 }];
  // Of those that have ended; the beam may lose it again
  let best;
  for (let length = 1; length <= max_length && beams.some((one) => !one.ended); length++) {
    const open = beams.filter((one) => !one.ended);
    const rows = next(
      open.map((one) => one.ids),
      open.map((one) => one.row),
    );
    // An ended one stays in the race as it is. The others may each go on with any token.
    const candidates = beams.filter((one) => one.ended);
    open.forEach((one, row) => {
      rows[row].forEach((log, id) => {
        const total = one.total + log;
        candidates.push({ one, row, id, total, rank: total / ((5 + length) / 6) ** 0.6 });
      });
    });
    candidates.sort((a, b) => b.rank - a.rank);
    beams = candidates.slice(0, beam).map((candidate) => {
      if (candidate.ended) return candidate;
      const { one, row, id, total, rank } = candidate;
      const steps = [...one.steps, { id, probabilities: rows[row].map(Math.exp) }];
      return { ids: [...one.ids, id], total, rank, steps, row, ended: id === eos_id };
    });
    const ended = beams.find((one) => one.ended);
    if (ended && (best === undefined || ended.rank > best.rank)) best = ended;
    yield beams[0];
  }
  yield best ?? beams[0];
}
