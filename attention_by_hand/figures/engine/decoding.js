// A text is written one token at a time: score what may come next, choose, append, repeat. What the
// layers computed for earlier tokens is kept; only without the causal mask must each step read the
// whole beginning again.

import { Random } from "./random.js";
import { logSoftmax, Tensor } from "./tensor.js";

/** Where translations of `source` (one sentence, a row of ids) begin: a function from beginnings to
 * log-probabilities (V) of each one's next token. `parents` says which of the beginnings before it
 * each of them continues. */
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
    return lastOf(logits, model.config);
  };
}

/** The logarithms of what may come next, (V), after the last place of each row. */
function lastOf({ data, shape: [B, T, V] }, { pad_id }) {
  return Array.from({ length: B }, (_, row) => {
    const end = (row + 1) * T * V;
    const logs = logSoftmax(data.subarray(end - V, end));
    // Padding is no word, whatever an untrained model thinks of it
    logs[pad_id] = -Infinity;
    return logs;
  });
}

/** These rows of a tensor, in this order. */
function taken(x, rows) {
  const size = x.data.length / x.shape[0];
  const some = new Tensor([rows.length, ...x.shape.slice(1)]);
  rows.forEach((row, i) => some.data.set(x.data.subarray(row * size, (row + 1) * size), i * size));
  return some;
}

/** The cache with these of its rows, in this order. */
function select(cache, rows) {
  const take = (x) => taken(x, rows);
  return {
    source: rows.map((row) => cache.source[row]),
    target: rows.map((row) => cache.target[row]),
    layers: cache.layers.map(({ memory, past }) => ({
      memory: memory.map(take),
      past: past?.map(take),
    })),
  };
}

/** Yields, token by token, {id, probabilities (V)}: the likeliest one, or at a temperature above 0
 * one drawn from `probabilities`. It ends with <eos>, or when the model has no room left. */
export function* greedy(model, source, options = {}) {
  const { bos_id, max_length } = model.config;
  yield* goOn(model.config, reader(model, source), [bos_id], max_length + 1, options);
}

/** The same for a decoder alone, which goes on with a text, a row of ids. */
export function* write(model, beginning, options = {}) {
  const whole = model.off.has("causal mask");
  let cache = model.cache();
  const next = ([ids]) => {
    if (whole) cache = model.cache();
    return lastOf(model.forward([ids.slice(cache.length)], cache).logits, model.config);
  };
  yield* goOn(model.config, next, beginning, model.config.max_length, options);
}

/** So many texts at once, drawn from <bos> on to <eos> or `longest` tokens: rows of ids. It yields
 * after each token of all. */
export function* writeMany(model, count, longest, random) {
  const { bos_id, eos_id } = model.config;
  const texts = Array.from({ length: count }, () => [bos_id]);
  let cache = model.cache();
  for (let open = texts; open.length && open[0].length < longest; ) {
    const newest = open.map((text) => text.slice(-1));
    const logs = lastOf(model.forward(newest, cache).logits, model.config);
    open.forEach((text, i) => text.push(draw(probabilities(logs[i]), random.uniform())));
    const left = [...open.keys()].filter((i) => open[i].at(-1) !== eos_id);
    open = left.map((i) => open[i]);
    const layers = cache.layers.map(({ past }) => ({ past: past.map((x) => taken(x, left)) }));
    cache = { length: cache.length, layers };
    yield;
  }
  return texts;
}

function* goOn({ eos_id }, next, beginning, longest, { temperature = 0, seed = 0, ...cuts }) {
  const random = new Random(seed);
  const ids = [...beginning];
  while (ids.length < longest && ids.at(-1) !== eos_id) {
    const [logs] = next([ids], [0]);
    const shares = probabilities(logs, { temperature: temperature || 1, ...cuts });
    const id = temperature ? draw(shares, random.uniform()) : likeliest(logs);
    ids.push(id);
    yield { id, probabilities: shares };
  }
}

const likeliest = (logs) => logs.reduce((best, log, i) => (log > logs[best] ? i : best), 0);

/** How likely each token is to be drawn, (V): softmax(logits / temperature), of which only the
 * top_k likeliest may be drawn, and only as few of these as have the share top_p together. The
 * rest share what is left. */
export function probabilities(logits, { temperature = 1, top_k = Infinity, top_p = 1 } = {}) {
  const shares = logSoftmax(logits.map((x) => x / temperature)).map(Math.exp);
  const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a]);
  let sum = 0;
  const cut = order.findIndex((id, rank) => {
    // With 1, the default, nothing is cut, though the sum may be rounded to 1 before its end
    if (rank >= top_k || (top_p < 1 && sum >= top_p)) return true;
    sum += shares[id];
    return false;
  });
  const gone = new Set(cut < 0 ? [] : order.slice(cut));
  return shares.map((share, id) => (gone.has(id) ? 0 : share / sum));
}

/** The token at which the sum of the probabilities first exceeds `chance`, a number from 0 up to
 * 1. */
export function draw(probabilities, chance) {
  let sum = 0;
  const drawn = probabilities.findIndex((p) => {
    sum += p;
    return sum > chance;
  });
  // Where rounding leaves the sum below 1, the last that may be drawn
  return drawn < 0 ? probabilities.findLastIndex((p) => p > 0) : drawn;
}

/** Keeps the `beam` likeliest beginnings instead of one, by log-probability / ((5 + length) /
 * 6)^0.6 (Wu et al., 2016). Yields the best at every step, and at last the best that has ended:
 * {ids, total, rank, steps, ended}, where steps has what `greedy` yields. */
export function* beamSearch(model, source, beam) {
  const { bos_id, eos_id, max_length } = model.config;
  const next = reader(model, source);
  /** @type {any[]} */
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
