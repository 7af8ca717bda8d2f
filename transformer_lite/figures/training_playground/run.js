// A run: the model that the settings ask for learns in a worker, and how it looked after each step
// is kept.

import { startEngine } from "../engine/client.js";
import { lossOf } from "./measures.js";

/** What the engine makes a model from, as set now. */
const orderOf = (model, choices) => {
  const at = (trait) => model.get(trait);
  const choice = (trait) => choices[trait][at(trait)];
  const config = {
    ...at("config"),
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
  return { config, options, batch: { source: at("source"), target: at("target") } };
};

/** All runs of a figure, one at a time: {start(), ahead(run), close()}. */
export const runsOf = (model, choices) => {
  const source = model.get("source");
  const target = model.get("target");
  const { pad_id } = model.get("config");
  const sources = source.map((row) => row.filter((id) => id !== pad_id));
  let engine = null;
  let current = null;

  /** Keeps how the model looks now. A run that was replaced has no model any more. */
  const look = async (run) => {
    const asked = [engine.ask("look", { source, target: target.map((row) => row.slice(0, -1)) })];
    for (const ids of sources) asked.push(engine.ask("translate", { source: ids }));
    const [{ logits, memory, cross }, ...translated] = await Promise.all(asked);
    if (run !== current) return;
    const written = translated.map(({ steps }) => steps.map(({ id }) => id));
    keep(run, { logits, memory, cross, written });
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
      current = { looks: [], losses: [], order: orderOf(model, choices) };
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
