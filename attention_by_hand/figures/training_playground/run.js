// A run: the model that the settings ask for learns in a worker, and how it looked after each step
// is kept.

import { startEngine } from "../engine/client.js";
import { getter } from "../kit/runtime/model.js";
import { answersIn, textsOf } from "./alone.js";
import { lossOf } from "./measures.js";

/** @import { Model } from "./figure.js" */

/**
 * What the engine makes a model from, as set now, and what it is to learn.
 *
 * @param {Model} model
 */
const orderOf = (model, choices, base, batch) => {
  const at = getter(model);
  const choice = (trait) => choices[trait][at(trait)];
  const config = {
    ...base,
    d_model: at("d_model"),
    d_ff: 4 * at("d_model"),
    n_layers: at("layers"),
    n_heads: Number(choice("heads")),
    dropout: at("dropout"),
    norm_first: choice("norm") === "pre-norm",
  };
  const off = [at("no_layer_norm") && "norm", at("no_feed_forward") && "feed_forward"];
  const options = {
    seed: at("seed"),
    rate: Number(choice("rate")),
    warmup: at("warmup"),
    off: off.filter(Boolean),
  };
  return { config, options, batch };
};

/**
 * All runs of a lesson, one at a time: {start(), ahead(run), close()}.
 *
 * @param {Model} model
 */
export const runsOf = (model, choices, lesson) => {
  const { source, target, sources, alone, config } = lesson;
  const { bos_id, pad_id } = config;
  const batch = alone ? textsOf(sources, target, pad_id) : { source, target };
  let engine = null;
  let current = null;

  const lookAlone = async () =>
    answersIn(await engine.ask("look", { texts: batch.texts }), sources, target[0].length - 1);
  const lookBoth = async () => {
    const read = target.map((row) => row.slice(0, -1));
    const { logits, memory, cross } = await engine.ask("look", { source, target: read });
    return { logits, memory, cross };
  };
  const translate = (ids) =>
    alone
      ? engine.ask("write", { text: [...ids, bos_id] })
      : engine.ask("translate", { source: ids });

  /** Keeps how the model looks now. A run that was replaced has no model any more. */
  const look = async (run) => {
    const asked = [alone ? lookAlone() : lookBoth(), ...sources.map(translate)];
    const [seen, ...translated] = await Promise.all(asked);
    if (run !== current) return;
    const written = translated.map(({ steps }) => steps.map(({ id }) => id));
    keep(run, { ...seen, written });
  };

  const keep = (run, look) => {
    run.looks.push(look);
    run.losses.push(lossOf(look.logits, target, pad_id));
  };

  const make = async (run) => {
    engine ??= startEngine();
    await engine.ask("create", run.order);
    if (!run.looks.length) await look(run);
  };
  /** Makes the model of a run, once. */
  const begin = (run) => (run.ready ??= make(run));

  return {
    /** A new run, untrained. Its first look is known, or comes with `first(run)`. */
    start(known) {
      current = { looks: [], losses: [], order: orderOf(model, choices, config, batch) };
      if (known) keep(current, known);
      return current;
    },
    first: (run) => (run === current && !run.looks.length ? begin(run) : null),
    /** Takes one step; the promise is kept once it is looked at. */
    async ahead(run) {
      await begin(run);
      if (run !== current) return;
      await engine.ask("train", { steps: 1 });
      await look(run);
    },
    close() {
      current = null;
      engine?.close();
    },
  };
};

/** How many steps a run has taken. */
export const taken = (run) => Math.max(0, run.looks.length - 1);

/** Whether its weights have grown out of all numbers: it can learn no further. */
export const burst = (run) => run.losses.length > 0 && !Number.isFinite(run.losses.at(-1));
