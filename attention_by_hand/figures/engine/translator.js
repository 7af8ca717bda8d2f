// The translator in the page.

import { startedOf } from "./started.js";

const idsOf = (words) => new Map(words.map((word, id) => [word, id]));

export const translatorOf = (model, ended) => {
  const started = startedOf(model, ended);
  const loaded = started.loaded.then((words) => ({ ...words, ids: idsOf(words.source) }));
  loaded.catch(() => {}); // who asks for something is told

  return {
    /** Whether the weights are there: a built site fetches them when the reader comes near. */
    get ready() {
      return started.ready;
    },
    /** What is said of it where something fails. */
    get fault() {
      return started.fault;
    },
    /** A promise of its config and vocabularies: {config, source, target}, and `ids`, the id of
     * each source word. */
    loaded,
    /** A translation of a row of ids with the options of the engine's `translate`: its answer, and
     * `words`, which are those that were written, without the end mark. */
    async translate(source, options) {
      const { config, target } = await loaded;
      const answer = await started.ask("translate", { source, ...options });
      const steps = answer.steps.filter(({ id }) => id !== config.eos_id);
      return { ...answer, steps, words: steps.map(({ id }) => target[id]) };
    },
  };
};
