// The translator in the page: it starts when its weights are there.

import { startEngine } from "./client.js";

const MISSING = "its file is missing, so reload the page";

const idsOf = (words) => new Map(words.map((word, id) => [word, id]));

export const translatorOf = (model, ended) => {
  let engine = null;
  const loaded = new Promise((resolve, reject) => {
    const start = () => {
      const view = model.get("weights");
      if (engine || !view) return;
      if (!view.byteLength) return reject(new Error(MISSING));
      engine = startEngine();
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      const known = engine.ask("load", { bytes });
      known.then((words) => resolve({ ...words, ids: idsOf(words.source) }), reject);
    };
    model.on("change:weights", start);
    start();
  });
  loaded.catch(() => {}); // who asks for something is told
  ended.addEventListener("abort", () => engine?.close());

  return {
    /** Whether the weights are there: a built site fetches them when the reader comes near. */
    get ready() {
      return engine !== null;
    },
    /** A promise of its config and vocabularies: {config, source, target}, and `ids`, the id of each source word. */
    loaded,
    /**
     * A translation of a row of ids with the options of the engine's `translate`: its answer, and `words`, which are
     * those that were written, without the end mark.
     */
    async translate(source, options) {
      const { config, target } = await loaded;
      const answer = await engine.ask("translate", { source, ...options });
      const steps = answer.steps.filter(({ id }) => id !== config.eos_id);
      return { ...answer, steps, words: steps.map(({ id }) => target[id]) };
    },
  };
};
