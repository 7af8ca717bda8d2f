// The translator in the page: it starts when its weights are there, and writes the sentence with some parts off.

import { startEngine } from "../engine/client.js";

export const translatorOf = (model, ended) => {
  let engine = null;
  const loaded = new Promise((resolve, reject) => {
    const start = () => {
      const view = model.get("weights");
      if (!view?.byteLength) return;
      engine = startEngine();
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      engine.ask("load", { bytes }).then(resolve, reject);
    };
    model.on("change:weights", start);
    start();
  });
  ended.addEventListener("abort", () => engine?.close());

  return {
    /** Whether the weights are there: a built site fetches them when the reader comes near. */
    get ready() {
      return engine !== null;
    },
    /** The words of the sentence's translation, without the end mark. */
    async write(off) {
      const { config, source, target } = await loaded;
      const ids = model.get("source").map((word) => source.indexOf(word));
      const { steps } = await engine.ask("translate", { source: ids, off });
      return steps.filter(({ id }) => id !== config.eos_id).map(({ id }) => target[id]);
    },
  };
};
