// Training: show the decoder the right beginning, ask for the next token at every place at once,
// and let each weight take a small step against its gradient.

import { modelOf } from "./decoder_only.js";
import { Random } from "./random.js";
import { crossEntropy, judgedLoss, propagate, record } from "./tensor.js";
import { initialWeights } from "./transformer.js";

/** A model and its optimizer, from the seed alone: as `torch.manual_seed(seed)`, then the model,
 * then Adam. rate: the learning rate, to which it climbs in a straight line over the first `warmup`
 * steps. Given `weights`, it goes on from them. */
export class Trainer {
  constructor(config, { seed = 0, rate = 3e-3, warmup = 0, off = [] } = {}, weights = null) {
    this.random = new Random(seed);
    this.weights = weights ?? initialWeights(config, this.random);
    this.model = modelOf(config, this.weights, { off, random: this.random });
    this.config = config;
    this.rate = rate;
    this.warmup = warmup;
    this.step = 0;
    this.moments = {};
  }

  /** One step on a batch: source (B, S), target (B, T + 1) from <bos> to <eos>; for a decoder alone
   * texts (B, T) and answers (B, T), what should come after each token. Returns the loss before it;
   * between its slices, a caller may pause. */
  *learn({ source, target, texts, answers = target.map((row) => row.slice(1)) }) {
    const read = texts ? [texts] : [source, target.map((row) => row.slice(0, -1))];
    return yield* this.take(() =>
      crossEntropy(this.model.forward(...read).logits, answers, this.config.pad_id),
    );
  }

  /** One step of a decoder alone towards texts that were judged good, and away from others. texts
   * and answers as above; pulls, one a text; before: the model at the other end of the leash. */
  *pull({ texts, answers, pulls, leash = 0 }, before) {
    const old = leash ? before.forward(texts).logits : null;
    yield;
    return yield* this.take(() =>
      judgedLoss(this.model.forward(texts).logits, answers, pulls, this.config.pad_id, old, leash),
    );
  }

  /** One step down a loss. */
  *take(compute) {
    const [loss, notes] = record(compute);
    yield;
    yield* propagate(loss, notes);
    this.adam();
    return loss.data[0];
  }

  /** Adam (Kingma and Ba, 2015): a step along the mean of past gradients, measured in their root
   * mean square. */
  adam(beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8) {
    const step = ++this.step;
    const climbed = this.warmup > 0 ? Math.min(1, step / this.warmup) : 1;
    const rate = this.rate * climbed;
    const unbias1 = 1 - beta1 ** step;
    const unbias2 = Math.sqrt(1 - beta2 ** step);
    for (const [name, weight] of Object.entries(this.weights)) {
      const { data, grad } = weight;
      this.moments[name] ??= [new Float32Array(data.length), new Float32Array(data.length)];
      const [mean, square] = this.moments[name];
      for (let i = 0; i < data.length; i++) {
        mean[i] += (1 - beta1) * (grad[i] - mean[i]);
        square[i] += (1 - beta2) * (grad[i] * grad[i] - square[i]);
        data[i] -= ((rate / unbias1) * mean[i]) / (Math.sqrt(square[i]) / unbias2 + epsilon);
      }
      weight.forget();
    }
  }
}
