// A decoder alone, as `decoder_only.py` has it: encoder layers under a causal mask, which go on
// with a text. Its parts in `off` are those of the Transformer; its layers are called "layers.0"
// and so on.
//
// Shapes: B texts, T tokens, H heads, V vocabulary.

import { Tensor } from "./tensor.js";
import { isAlone, mask, Transformer } from "./transformer.js";

export class DecoderOnly extends Transformer {
  /** Logits (B, T, V) for tokens that follow those in the cache, and the attention of each layer,
   * (B, H, T, past + T), null where the layer is off. Texts are padded at the end, where no token
   * of theirs looks. */
  forward(texts, cache = this.cache()) {
    const T = texts[0].length;
    const past = cache.length;
    cache.length += T;
    if (cache.length > this.config.max_length)
      throw new RangeError(`a text has 1 to ${this.config.max_length} tokens`);
    // Nothing is hidden but what comes later
    const places = texts.map(() => Array(cache.length).fill(0));
    const may = mask(places, null, T, !this.off.has("causal mask"));
    const maps = [];
    let x = this.embed(texts, "embedding", "text", past);
    this.layers("layers").forEach((name, i) => {
      if (!this.off.has(name)) x = this.encoderLayer(name, x, may, maps, cache.layers[i]);
      else maps.push(null);
    });
    if (this.config.norm_first) x = this.norm(x, "norm");
    return { logits: this.linear(x, "output"), maps };
  }

  /** What need not be computed again as the text grows: no keys and values yet. */
  cache() {
    return { length: 0, layers: this.layers("layers").map(() => ({})) };
  }
}

/** What a cache has of its first `length` tokens. */
export function beginning(cache, length) {
  const first = (x) => {
    const [B, H, T, d] = x.shape;
    const kept = new Tensor([B, H, length, d]);
    for (let i = 0; i < B * H; i++)
      kept.data.set(x.data.subarray(i * T * d, (i * T + length) * d), i * length * d);
    return kept;
  };
  return { length, layers: cache.layers.map(({ past }) => ({ past: past?.map(first) })) };
}

/** The model that a config describes. */
export function modelOf(config, weights, options) {
  return new (isAlone(config) ? DecoderOnly : Transformer)(config, weights, options);
}
