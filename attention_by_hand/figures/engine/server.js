// What a page can ask of the engine, in whichever home it runs. A request is {id, ask, ...}, its
// answer {id, answer} or {id, error}. The work is done in slices of a few milliseconds, in the
// order of the requests.

import { beginning, modelOf } from "./decoder_only.js";
import { beamSearch, greedy, write, writeMany } from "./decoding.js";
import { Random } from "./random.js";
import { listenTo } from "./so_far.js";
import { Trainer } from "./training.js";
import { unpack } from "./weights.js";

/** Each is a generator: it yields where it may be paused and returns the answer. Sentences are rows
 * of ids. */
class Desk {
  /** Takes a trained model: bytes, as Python packed them. Answers with its config and
   * vocabularies. */
  *load({ bytes }) {
    this.model = unpack(bytes);
    this.loaded = { ...this.model, bytes };
    this.kept = null;
    yield;
    const { weights, ...known } = this.model;
    return known;
  }

  /** Makes an untrained model. options: seed, rate, warmup, off. batch: as `learn` takes it. */
  *create({ config, options = {}, batch }) {
    this.batch = batch;
    return yield* this.begin(new Trainer(config, options));
  }

  *begin(trainer) {
    this.trainer = trainer;
    this.model = trainer.model;
    this.kept = null;
    yield;
    return { step: 0 };
  }

  /** Trains so many steps, on the one batch or a step on each of `batches`, and answers with the
   * loss before each. To pause, ask for few at a time. */
  *train({ steps, batches = Array(steps).fill(this.batch) }) {
    const losses = [];
    this.kept = null;
    for (const batch of batches) losses.push(yield* this.trainer.learn(batch));
    return { step: this.trainer.step, losses };
  }

  /** Begins to teach the model that was loaded, from its own weights again. options: rate. */
  *teach({ options }) {
    const { config, weights } = unpack(this.loaded.bytes);
    return yield* this.begin(new Trainer(config, options, weights));
  }

  /** So many texts of a decoder alone, drawn from <bos> on: rows of ids. */
  *draw({ count, longest, seed }) {
    return yield* writeMany(this.view(), count, longest, new Random(seed));
  }

  /** One step on texts that were judged, see `Trainer.pull`. */
  *pull(judged) {
    const { config, weights } = this.loaded;
    this.kept = null;
    const loss = yield* this.trainer.pull(judged, modelOf(config, weights));
    return { step: this.trainer.step, loss };
  }

  /** Translates one sentence: {steps: [{id, probabilities}], said, encoder, decoder, cross}, the maps
   * as in `look`, and what it would have said so far, as in `so_far.js`. off, temperature and seed as
   * in `Transformer` and `greedy`. */
  *translate({ source, beam = 1, off, ...options }) {
    const model = this.view(off);
    let steps = [];
    const writing = beam > 1 ? beamSearch(model, source, beam) : greedy(model, source, options);
    for (const step of writing) {
      steps = step.steps ?? [...steps, step];
      yield;
    }
    const { bos_id } = model.config;
    const read = [bos_id, ...steps.slice(0, -1).map(({ id }) => id)];
    const said = listenTo(model);
    return { steps, said, ...model.forward([source], [read]) };
  }

  /** Goes on with a text, as a decoder alone does: {steps}, as `translate` has them. */
  *write({ text, off, ...options }) {
    const steps = [];
    for (const step of write(this.view(off), text, options)) {
      steps.push(step);
      yield;
    }
    return { steps };
  }

  /** One forward pass over padded rows: {logits, memory, encoder, decoder, cross}, where the maps
   * are a list of one (B, H, T_q, T_k) a layer; of a decoder alone over texts: {logits, maps}. All
   * have a shape and data. */
  *look({ source, target, texts, off }) {
    yield;
    return this.view(off).forward(...(texts ? [texts] : [source, target]));
  }

  /** One forward pass of a decoder alone over one text: {logits (V) of its last place, maps, read}.
   * Where it begins as the one before it and the same is off, keys and values are kept, and only
   * the `read` tokens behind are read; the maps have a row for each of them. */
  *read({ text, off = [] }) {
    const model = this.view(off);
    const cache = this.keptFor(text, model.off) ?? model.cache();
    const fresh = text.slice(cache.length);
    this.kept = null;
    const { logits, maps } = model.forward([fresh], cache);
    this.kept = { off: model.off, text, cache };
    yield;
    return { logits: logits.data.slice(-model.config.vocab_size), maps, read: fresh.length };
  }

  /** Of the cache of the text before, what this one begins with too; null where that would
   * differ. */
  keptFor(text, off) {
    const { kept } = this;
    if (!kept || off.has("causal mask") || String([...off]) !== String([...kept.off])) return null;
    const differs = text.findIndex((id, i) => id !== kept.text[i]);
    // The last token is read in any case: at its place stands what comes next
    const same = differs < 0 ? text.length - 1 : Math.min(differs, text.length - 1);
    return same ? beginning(kept.cache, same) : null;
  }

  view(off = this.model.off) {
    return modelOf(this.model.config, this.model.weights, { off });
  }
}

/** Begins to serve: `post` sends an answer, and what is returned takes a request. */
export function serve(post, slice = 8) {
  const desk = new Desk();
  const queue = [];
  // What it sends comes back after whatever else is waiting
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const end = performance.now() + slice;
    while (queue.length && performance.now() < end) {
      const { id, work } = queue[0];
      try {
        const { done, value } = work.next();
        if (!done) continue;
        post({ id, answer: value });
      } catch (error) {
        post({ id, error: String(error) });
      }
      queue.shift();
    }
    if (queue.length) port2.postMessage(0);
  };
  function* answer(ask, request) {
    return yield* desk[ask](request);
  }

  return ({ id, ask, ...request }) => {
    queue.push({ id, work: answer(ask, request) });
    if (queue.length === 1) port2.postMessage(0);
  };
}
