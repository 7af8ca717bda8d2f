// A tensor is numbers and a shape. While a tape runs, every operation below also leaves a note on
// it: how the gradient of its result becomes the gradient of its inputs. Read backwards, the tape
// is the chain rule.
//
// Shapes: B sentences, T tokens, H heads, D numbers a token. Sums are kept in doubles, results in
// 32 bits.

export class Tensor {
  #grad;

  constructor(shape, data) {
    this.shape = shape;
    this.data = data ?? new Float32Array(shape.reduce((a, b) => a * b, 1));
  }

  /** The gradient of the loss by each number; zeros until something is added to it. */
  get grad() {
    this.#grad ??= new Float32Array(this.data.length);
    return this.#grad;
  }

  forget() {
    this.#grad = null;
  }
}

// What to run backwards; null while nobody wants gradients
let tape = null;

const backward = (note) => tape?.push(note);

/** Runs `compute` on a tape. Returns its result, a loss, and the notes, first to last. */
export function record(compute) {
  tape = [];
  try {
    return [compute(), tape];
  } finally {
    tape = null;
  }
}

/** The chain rule: from a loss back to everything it was computed from. It yields now and then, to
 * be paused there. */
export function* propagate(loss, notes) {
  loss.grad[0] = 1;
  for (let i = notes.length - 1; i >= 0; i--) {
    notes[i]();
    if (i % 32 === 0) yield;
  }
}

/** C += A B, of matrices inside larger arrays: `at` is where one begins, `row` and `column` the
 * steps to the next of each. Swapping the steps transposes. Four columns of C at a time keep each
 * number of A at hand for four products. */
function product(rows, inner, columns, A, aAt, aRow, aColumn, B, bAt, bRow, bColumn, C, cAt) {
  for (let i = 0; i < rows; i++) {
    const from = aAt + i * aRow;
    const to = cAt + i * columns;
    let j = 0;
    for (; j + 4 <= columns; j += 4) {
      let c0 = 0;
      let c1 = 0;
      let c2 = 0;
      let c3 = 0;
      let a = from;
      let b = bAt + j * bColumn;
      for (let k = 0; k < inner; k++) {
        const x = A[a];
        c0 += x * B[b];
        c1 += x * B[b + bColumn];
        c2 += x * B[b + 2 * bColumn];
        c3 += x * B[b + 3 * bColumn];
        a += aColumn;
        b += bRow;
      }
      C[to + j] += c0;
      C[to + j + 1] += c1;
      C[to + j + 2] += c2;
      C[to + j + 3] += c3;
    }
    for (; j < columns; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++)
        sum += A[from + k * aColumn] * B[bAt + j * bColumn + k * bRow];
      C[to + j] += sum;
    }
  }
}

/** a (..., m, k) times b (..., k, n), or times b (..., n, k) transposed: (..., m, n). A b of two
 * axes serves all. */
export function matmul(a, b, transposed = false) {
  const k = a.shape.at(-1);
  const n = b.shape.at(transposed ? -2 : -1);
  const m = b.shape.length === 2 ? a.data.length / k : a.shape.at(-2);
  const [row, column] = transposed ? [1, k] : [n, 1];
  const c = new Tensor([...a.shape.slice(0, -1), n]);
  const each = (use) => {
    for (let i = 0; i * m * k < a.data.length; i++) use(i * m * k, i * k * n, i * m * n);
  };
  each((aAt, bAt, cAt) =>
    product(m, k, n, a.data, aAt, k, 1, b.data, bAt, row, column, c.data, cAt),
  );
  backward(() =>
    each((aAt, bAt, cAt) => {
      // dA = dC Bᵀ; dB = Aᵀ dC, or dCᵀ A for a B that was transposed
      product(m, n, k, c.grad, cAt, n, 1, b.data, bAt, column, row, a.grad, aAt);
      if (transposed) product(n, m, k, c.grad, cAt, 1, n, a.data, aAt, k, 1, b.grad, bAt);
      else product(k, m, n, a.data, aAt, 1, k, c.grad, cAt, n, 1, b.grad, bAt);
    }),
  );
  return c;
}

/** a + b; a b of fewer axes, such as a bias, is added to each of the others. */
export function add(a, b) {
  const sum = new Tensor(a.shape, a.data.slice());
  const each = (use) => {
    for (let at = 0; at < a.data.length; at += b.data.length)
      for (let i = 0; i < b.data.length; i++) use(at + i, i);
  };
  const { data } = sum;
  each((i, j) => {
    data[i] += b.data[j];
  });
  backward(() => {
    const from = sum.grad;
    const toA = a.grad;
    const toB = b.grad;
    each((i, j) => {
      toA[i] += from[i];
      toB[j] += from[i];
    });
  });
  return sum;
}

/** Each number times something that does not depend on its size; so is each gradient. */
function times(a, factor) {
  const y = new Tensor(a.shape, a.data.map(factor));
  backward(() => {
    const from = y.grad;
    const to = a.grad;
    for (let i = 0; i < from.length; i++) to[i] += factor(from[i], i);
  });
  return y;
}

export const scale = (a, factor) => times(a, (x) => x * factor);

export const relu = (a) => times(a, (x, i) => (a.data[i] > 0 ? x : 0));

/** Sets each number to 0 with probability p, and divides the others by 1 - p, so that the mean
 * stays. */
export function dropout(a, p, random) {
  const kept = a.data.map(() => (random.uniform() < p ? 0 : 1 / (1 - p)));
  return times(a, (x, i) => x * kept[i]);
}

/** Rows of scores (B, H, T_q, T_k) as weights that sum to 1. mask: (B, T_q, T_k), 1 = may attend. A
 * row that may attend to nothing becomes zeros, and so does every row of a head that is
 * `silent`. */
export function softmax(scores, mask, silent) {
  const [, heads, queries, keys] = scores.shape;
  const weights = new Tensor(scores.shape);
  const { data } = weights;
  for (let at = 0; at < data.length; at += keys) {
    const head = Math.floor(at / (keys * queries));
    const query = (at / keys) % queries;
    if (silent(head % heads)) continue;
    const row = (Math.floor(head / heads) * queries + query) * keys; // of the mask
    let most = -Infinity;
    let sum = 0;
    for (let k = 0; k < keys; k++) if (mask[row + k]) most = Math.max(most, scores.data[at + k]);
    for (let k = 0; k < keys; k++) {
      if (mask[row + k]) data[at + k] = Math.exp(scores.data[at + k] - most);
      sum += data[at + k];
    }
    for (let k = 0; k < keys; k++) data[at + k] /= sum || 1;
  }
  backward(() => {
    const from = weights.grad;
    const to = scores.grad;
    for (let at = 0; at < data.length; at += keys) {
      let mean = 0;
      for (let i = at; i < at + keys; i++) mean += data[i] * from[i];
      for (let i = at; i < at + keys; i++) to[i] += data[i] * (from[i] - mean);
    }
  });
  return weights;
}

/** Each row to mean 0 and variance 1, then times the gain plus the bias. */
export function layerNorm(x, gain, bias) {
  const D = x.shape.at(-1);
  const y = new Tensor(x.shape);
  // The rows before gain and bias
  const unit = new Float32Array(x.data.length);
  const deviation = new Float64Array(x.data.length / D);
  for (let at = 0; at < x.data.length; at += D) {
    let mean = 0;
    let variance = 0;
    for (let i = 0; i < D; i++) mean += x.data[at + i] / D;
    for (let i = 0; i < D; i++) variance += (x.data[at + i] - mean) ** 2 / D;
    const root = Math.sqrt(variance + 1e-5);
    deviation[at / D] = root;
    for (let i = 0; i < D; i++) {
      unit[at + i] = (x.data[at + i] - mean) / root;
      y.data[at + i] = unit[at + i] * gain.data[i] + bias.data[i];
    }
  }
  backward(() => {
    const from = y.grad;
    const to = x.grad;
    const toGain = gain.grad;
    const toBias = bias.grad;
    for (let at = 0; at < from.length; at += D) {
      let mean = 0;
      let along = 0;
      for (let i = 0; i < D; i++) {
        const g = from[at + i] * gain.data[i];
        mean += g / D;
        along += (g * unit[at + i]) / D;
        toGain[i] += from[at + i] * unit[at + i];
        toBias[i] += from[at + i];
      }
      for (let i = 0; i < D; i++) {
        to[at + i] +=
          (from[at + i] * gain.data[i] - mean - unit[at + i] * along) / deviation[at / D];
      }
    }
  });
  return y;
}

/** The rows of a table (V, D) that stand at these ids (B rows of T): (B, T, D). Padding learns
 * nothing. */
export function gather(table, ids, pad) {
  const D = table.shape[1];
  const flat = ids.flat();
  const rows = new Tensor([ids.length, ids[0].length, D]);
  flat.forEach((id, row) => {
    if (!(id >= 0 && id < table.shape[0])) throw new RangeError(`no token has the id ${id}`);
    rows.data.set(table.data.subarray(id * D, (id + 1) * D), row * D);
  });
  backward(() => {
    const from = rows.grad;
    const to = table.grad;
    flat.forEach((id, row) => {
      if (id !== pad) for (let i = 0; i < D; i++) to[id * D + i] += from[row * D + i];
    });
  });
  return rows;
}

/** x seen as (a, b, c, d), with b and c in the other order. */
function swap(x, [a, b, c, d], shape) {
  const y = new Tensor(shape);
  const each = (use) => {
    for (let row = 0; row < a * b * c; row++) {
      const i = Math.floor(row / (b * c));
      const j = Math.floor(row / c) % b;
      const k = row % c;
      use(row * d, ((i * c + k) * b + j) * d);
    }
  };
  each((from, to) => y.data.set(x.data.subarray(from, from + d), to));
  backward(() => {
    const from = y.grad;
    const to = x.grad;
    each((at, other) => {
      for (let i = 0; i < d; i++) to[at + i] += from[other + i];
    });
  });
  return y;
}

/** (B, T, H·d) -> (B, H, T, d) */
export function splitHeads(x, H) {
  const [B, T, D] = x.shape;
  return swap(x, [B, T, H, D / H], [B, H, T, D / H]);
}

/** (B, H, T, d) -> (B, T, H·d) */
export function mergeHeads(x) {
  const [B, H, T, d] = x.shape;
  return swap(x, [B, H, T, d], [B, T, H * d]);
}

/** log(softmax(row)), in doubles: a probability may be too small for a number. */
export function logSoftmax(row) {
  const most = row.reduce((a, b) => Math.max(a, b));
  const sum = row.reduce((total, x) => total + Math.exp(x - most), 0);
  return Float64Array.from(row, (x) => x - most - Math.log(sum));
}

/** -log(probability of the answer), its mean over the real tokens. logits (B, T, V), answers B rows
 * of T ids. */
export function crossEntropy(logits, answers, pad) {
  const V = logits.shape[2];
  const real = [...answers.flat().entries()].filter(([, id]) => id !== pad);
  const logs = real.map(([row]) => logSoftmax(logits.data.subarray(row * V, (row + 1) * V)));
  const loss = real.reduce((sum, [, id], i) => sum - logs[i][id], 0) / real.length;
  backward(() => {
    const to = logits.grad;
    real.forEach(([row, id], i) => {
      for (let j = 0; j < V; j++)
        to[row * V + j] += (Math.exp(logs[i][j]) - Number(j === id)) / real.length;
    });
  });
  return new Tensor([1], Float32Array.of(loss));
}

/** The loss of judgements: -(pull of the text) · log(probability of the answer), its mean over the
 * real tokens, so that a text with a pull above 0 becomes likelier. `leash` times the divergence
 * from `before`, the logits of another model, is added. pulls: one a text. */
export function judgedLoss(logits, answers, pulls, pad, before = null, leash = 0) {
  const [, T, V] = logits.shape;
  const real = [...answers.flat().entries()].filter(([, id]) => id !== pad);
  const row = ({ data }, at) => logSoftmax(data.subarray(at * V, (at + 1) * V));
  const slopes = [];
  let loss = 0;
  for (const [at, id] of real) {
    const pull = pulls[Math.floor(at / T)];
    const logs = row(logits, at);
    const old = before ? row(before, at) : logs;
    const apart = logs.reduce((sum, log, j) => sum + Math.exp(log) * (log - old[j]), 0);
    loss += (leash * apart - pull * logs[id]) / real.length;
    slopes.push(logs.map((log, j) => Math.exp(log) * (pull + leash * (log - old[j] - apart))));
    slopes.at(-1)[id] -= pull;
  }
  backward(() => {
    const to = logits.grad;
    real.forEach(([at], i) => {
      for (let j = 0; j < V; j++) to[at * V + j] += slopes[i][j] / real.length;
    });
  });
  return new Tensor([1], Float32Array.of(loss));
}
