// The Transformer (Vaswani et al., 2017) as the package has it in Python: ids in, a score for every
// next token out. Its weights are known by their PyTorch names. Ids come as B rows of T numbers,
// padded.
//
// Any part can be switched off by its name in `off`, to see what it was for: "positions", "causal
// mask", "scaling" (by √d_k), "residuals", "feed_forward", "norm", a layer ("encoder.0"), one box
// of it ("encoder.0.feed_forward", "decoder.1.cross_attention") or one head
// ("decoder.1.cross_attention.3").
//
// Shapes: B sentences, S and T source and target tokens, H heads, D d_model, V target
// vocabulary.

import {
  add,
  dropout,
  gather,
  layerNorm,
  matmul,
  mergeHeads,
  relu,
  scale,
  softmax,
  splitHeads,
  Tensor,
} from "./tensor.js";

/** The weights' names of the norm around sub-layer i of a layer. */
const normName = (layer, i) => `${layer}.norm${i + 1}`;

/** What the two kinds of model are made of, from bottom to top: an encoder with a decoder, and a
 * decoder alone (`decoder_only.js`). */
const KINDS = {
  pair: {
    embeddings: ["source_embedding", "target_embedding"],
    stacks: [
      ["encoder", ["self_attention"]],
      ["decoder", ["self_attention", "cross_attention"]],
    ],
    norms: ["encoder_norm", "decoder_norm"],
  },
  alone: { embeddings: ["embedding"], stacks: [["layers", ["self_attention"]]], norms: ["norm"] },
};

/** A decoder alone has one vocabulary. */
export const isAlone = (config) => config.vocab_size !== undefined;

const kindOf = (config) => KINDS[isAlone(config) ? "alone" : "pair"];

/** [name, shape] of every weight, in the order in which PyTorch makes and numbers them. A d_ff of 0
 * leaves layers of attention alone, without the network and its norm. */
export function parameters(config) {
  const { d_model: D, d_ff, n_layers, norm_first, tie_embeddings } = config;
  const { embeddings, stacks, norms } = kindOf(config);
  const words = (name) => config[name.replace("embedding", "vocab_size")];
  /** @type {[string, number[]][]} */
  const shapes = embeddings.map((name) => [`${name}.weight`, [words(name), D]]);
  const norm = (name) => shapes.push([`${name}.weight`, [D]], [`${name}.bias`, [D]]);
  for (const [stack, attentions] of stacks) {
    for (let i = 0; i < n_layers; i++) {
      const layer = `${stack}.${i}`;
      for (const attention of attentions) {
        for (const w of ["w_q", "w_k", "w_v", "w_o"])
          shapes.push([`${layer}.${attention}.${w}.weight`, [D, D]]);
      }
      if (d_ff > 0) {
        shapes.push(
          [`${layer}.feed_forward.0.weight`, [d_ff, D]],
          [`${layer}.feed_forward.0.bias`, [d_ff]],
          [`${layer}.feed_forward.2.weight`, [D, d_ff]],
          [`${layer}.feed_forward.2.bias`, [D]],
        );
      }
      const sublayers = attentions.length + (d_ff > 0 ? 1 : 0);
      for (let j = 0; j < sublayers; j++) norm(normName(layer, j));
    }
  }
  if (norm_first) norms.forEach(norm);
  if (!tie_embeddings) shapes.push(["output.weight", [words(embeddings.at(-1)), D]]);
  return shapes;
}

/** The weights that PyTorch begins with, drawn in its order: {name: Tensor}. */
export function initialWeights(config, random) {
  const weights = {};
  let inputs = 0;
  for (const [name, shape] of parameters({ ...config, tie_embeddings: false })) {
    weights[name] = new Tensor(shape);
    const { data } = weights[name];
    if (name.includes("norm")) data.fill(name.endsWith("weight") ? 1 : 0);
    // Embeddings are drawn twice: as PyTorch does it unasked, and below.
    else if (name.includes("embedding")) random.fillNormal(data, 1);
    else {
      // A bias follows its matrix.
      if (shape.length === 2) inputs = shape[1];
      random.fillUniform(data, 1 / Math.sqrt(inputs));
    }
  }
  for (const name of kindOf(config).embeddings) {
    const { data } = weights[`${name}.weight`];
    random.fillNormal(data, 1 / Math.sqrt(config.d_model));
    data.fill(0, config.pad_id * config.d_model, (config.pad_id + 1) * config.d_model);
  }
  if (config.tie_embeddings) delete weights["output.weight"];
  return weights;
}

/** sin(pos / 10000^(2i/D)) in the even columns, the cosine in the odd ones (section 3.5): (T,
 * D). */
export function sinusoids(start, T, D) {
  const table = new Tensor([T, D]);
  for (let i = 0; i < T * D; i++) {
    const position = start + Math.floor(i / D);
    const column = i % D;
    const angle = position / 10000 ** ((column - (column % 2)) / D);
    table.data[i] = column % 2 ? Math.cos(angle) : Math.sin(angle);
  }
  return table;
}

/** Who may look at whom, (B, T_q, T_k), 1 = may attend: at real keys only, and with `causal` at
 * none to come. */
export function mask(keys, pad, queries, causal = false) {
  const T = keys[0].length;
  const may = new Uint8Array(keys.length * queries * T);
  for (let i = 0; i < may.length; i++) {
    const row = Math.floor(i / (queries * T));
    const q = Math.floor(i / T) % queries;
    const k = i % T;
    may[i] = Number(keys[row][k] !== pad && !(causal && k > q + T - queries));
  }
  return may;
}

export class Transformer {
  /** note: called with the name and the result of each part as it is computed: "encoder.0" is what
   * that layer gives, "source" and "target" are what the first layers read. random: draws what
   * dropout leaves out, while training. */
  constructor(config, weights, { off = [], note = (..._part) => {}, random = null } = {}) {
    if (Object.keys(weights).length > parameters(config).length) throw new Error("unknown weights");
    // Where the output layer is tied, it is the target embedding and has no weight of its own.
    this.weights = { "output.weight": weights["target_embedding.weight"], ...weights };
    this.config = config;
    this.note = note;
    this.random = random;
    this.off = new Set(off);
  }

  /**
   * Logits (B, T, V), the memory (B, S, D), and the attention of each layer (B, H, T_q, T_k), null
   * where the layer is off.
   *
   * @param {any} source
   * @param {any} [target]
   * @returns {any}
   */
  forward(source, target) {
    const { memory, maps } = this.encode(source);
    return { memory, encoder: maps, ...this.decode(target, this.cache(source, memory)) };
  }

  /** The source as the decoder will see it, (B, S, D), and a map a layer. */
  encode(source) {
    const may = mask(source, this.config.pad_id, source[0].length);
    const maps = [];
    let x = this.embed(source, "source_embedding", "source");
    for (const name of this.layers("encoder")) {
      if (!this.off.has(name)) x = this.encoderLayer(name, x, may, maps);
      else maps.push(null);
    }
    return { memory: this.config.norm_first ? this.norm(x, "encoder_norm") : x, maps };
  }

  /**
   * What need not be computed again as the translation grows: keys and values, of the memory and of
   * the past.
   *
   * @param {any} [source]
   * @param {any} [memory]
   * @returns {any}
   */
  cache(source, memory) {
    const layers = this.layers("decoder").map((name) => ({
      memory: this.keysValues(`${name}.cross_attention`, memory),
    }));
    return { source, target: source.map(() => []), layers };
  }

  /** Logits (B, T, V) for target tokens that follow those in the cache, with maps of both
   * attentions. */
  decode(target, cache) {
    const { pad_id, norm_first } = this.config;
    const T = target[0].length;
    const past = cache.target[0].length;
    cache.target = cache.target.map((row, i) => [...row, ...target[i]]);
    const may = mask(cache.target, pad_id, T, !this.off.has("causal mask"));
    const mayCross = mask(cache.source, pad_id, T);
    const maps = { decoder: [], cross: [] };
    let x = this.embed(target, "target_embedding", "target", past);
    this.layers("decoder").forEach((name, i) => {
      if (!this.off.has(name)) x = this.decoderLayer(name, x, cache.layers[i], may, mayCross, maps);
      else for (const kind of [maps.decoder, maps.cross]) kind.push(null);
    });
    if (norm_first) x = this.norm(x, "decoder_norm");
    return { logits: this.linear(x, "output"), ...maps };
  }

  layers(stack) {
    return Array.from({ length: this.config.n_layers }, (_, i) => `${stack}.${i}`);
  }

  /** Token, from the table of this name, plus position: (B, T, D). It is noted as `what`. */
  embed(ids, name, what, start = 0) {
    const { d_model: D, pad_id } = this.config;
    const token = this.noted(name, gather(this.weights[`${name}.weight`], ids, pad_id));
    let x = scale(token, Math.sqrt(D));
    if (!this.off.has("positions")) x = add(x, sinusoids(start, ids[0].length, D));
    return this.noted(what, this.dropout(x));
  }

  encoderLayer(layer, x, may, maps, cache = {}) {
    x = this.around(layer, 0, x, (h) => this.selfAttention(layer, h, may, maps, cache));
    if (this.config.d_ff > 0) x = this.around(layer, 1, x, (h) => this.feedForward(layer, h));
    return this.noted(layer, x);
  }

  decoderLayer(layer, x, cache, may, mayCross, maps) {
    const cross = `${layer}.cross_attention`;
    x = this.around(layer, 0, x, (h) => this.selfAttention(layer, h, may, maps.decoder, cache));
    x = this.around(layer, 1, x, (h) =>
      this.attention(cross, h, cache.memory, mayCross, maps.cross),
    );
    return this.noted(
      layer,
      this.around(layer, 2, x, (h) => this.feedForward(layer, h)),
    );
  }

  /** The shell around a sub-layer: add what it found, then normalise; or normalise what it reads
   * (pre-norm). */
  around(layer, i, x, sublayer) {
    const { norm_first } = this.config;
    const norm = normName(layer, i);
    const output = this.dropout(sublayer(norm_first ? this.norm(x, norm) : x));
    const sum = this.off.has("residuals") ? output : add(x, output);
    return norm_first ? sum : this.norm(sum, norm);
  }

  /** A text asks itself; the keys and values of its past, if there are any, stand in the cache. */
  selfAttention(layer, h, may, maps, cache) {
    const name = `${layer}.self_attention`;
    const fresh = this.keysValues(name, h);
    cache.past = cache.past ? cache.past.map((past, i) => join(past, fresh[i])) : fresh;
    return this.attention(name, h, cache.past, may, maps);
  }

  /** Keys and values of all heads: (B, H, T, D/H). */
  keysValues(name, x) {
    return ["w_k", "w_v"].map((w) =>
      splitHeads(this.linear(x, `${name}.${w}`), this.config.n_heads),
    );
  }

  /** softmax(Q Kᵀ / √d_k) V, equation 1, in every head; then the heads side by side, mixed by
   * W^O. */
  attention(name, x, [keys, values], may, maps) {
    // (B, H, T_q, D/H)
    const queries = splitHeads(this.linear(x, `${name}.w_q`), this.config.n_heads);
    const d_k = queries.shape[3];
    const scores = scale(
      matmul(queries, keys, true),
      this.off.has("scaling") ? 1 : 1 / Math.sqrt(d_k),
    );
    const weights = softmax(scores, may, (head) =>
      [name, `${name}.${head}`].some((part) => this.off.has(part)),
    );
    maps.push(weights);
    return this.noted(name, this.linear(mergeHeads(matmul(weights, values)), `${name}.w_o`));
  }

  /** Linear(ReLU(Linear(x))), the same at every position: equation 2. */
  feedForward(layer, x) {
    const name = `${layer}.feed_forward`;
    if (["feed_forward", name].some((part) => this.off.has(part))) return scale(x, 0);
    return this.noted(name, this.linear(relu(this.linear(x, `${name}.0`)), `${name}.2`));
  }

  linear(x, name) {
    const bias = this.weights[`${name}.bias`];
    const y = matmul(x, this.weights[`${name}.weight`], true);
    return this.noted(name, bias ? add(y, bias) : y);
  }

  norm(x, name) {
    if (this.off.has("norm")) return x;
    return this.noted(
      name,
      layerNorm(x, this.weights[`${name}.weight`], this.weights[`${name}.bias`]),
    );
  }

  dropout(x) {
    return this.random && this.config.dropout ? dropout(x, this.config.dropout, this.random) : x;
  }

  noted(name, x) {
    this.note(name, x);
    return x;
  }
}

/** (B, H, T_1, d) and (B, H, T_2, d) -> (B, H, T_1 + T_2, d). Only decoding needs it, so it has no
 * gradient. */
function join(past, fresh) {
  const [B, H, T, d] = past.shape;
  const U = fresh.shape[2];
  const both = new Tensor([B, H, T + U, d]);
  for (let i = 0; i < B * H; i++) {
    both.data.set(past.data.subarray(i * T * d, (i + 1) * T * d), i * (T + U) * d);
    both.data.set(fresh.data.subarray(i * U * d, (i + 1) * U * d), (i * (T + U) + T) * d);
  }
  return both;
}
