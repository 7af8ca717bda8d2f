// An engine with the model of a figure: it starts when the weights are there.

import { startEngine } from "./client.js";

const MISSING = "its file is missing, so reload the page";

/** {ready, fault, loaded, ask}: whether the weights are there, which a built site fetches when
 * the reader comes near; what is said of it where something fails; a promise of what the model
 * is, as the engine's `load` answers; and what asks the engine once it is loaded. */
export const startedOf = (model, ended) => {
  let engine = null;
  let runs = false;
  const loaded = new Promise((resolve, reject) => {
    const start = () => {
      const view = model.get("weights");
      if (engine || !view) return;
      if (!view.byteLength) return reject(new Error(MISSING));
      engine = startEngine();
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      engine.ask("load", { bytes }).then(resolve, reject);
    };
    model.on("change:weights", start);
    start();
  });
  loaded.then(
    () => {
      runs = true;
    },
    () => {}, // who asks for something is told
  );
  ended.addEventListener("abort", () => engine?.close());

  return {
    get ready() {
      return engine !== null;
    },
    get fault() {
      return runs ? "stopped" : "did not start";
    },
    loaded,
    async ask(what, request) {
      await loaded;
      return engine.ask(what, request);
    },
  };
};
