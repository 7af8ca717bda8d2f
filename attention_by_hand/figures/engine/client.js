// Work that could hold up the page runs beside it, in a worker. Not every home of a page allows
// one: a worker from a Blob is tried first, then one from a data: address; failing both, the page
// does the same work itself, in slices.

import { serve } from "./server.js";
// @ts-expect-error the text of a module: see bundle.py
import code from "./worker.js?script";

/** Starts an engine. Returns
 *
 * ask(what, request): a promise of the answer, see `server.js`;
 * home: a promise of "blob", "data" or "page", once it is known;
 * close(): ends it. */
export function startEngine() {
  // What was asked and has no answer yet, by its number
  const waiting = new Map();
  let asked = 0;
  let post = null;
  let close = () => {};

  function answered({ id, answer, error }) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    error ? reject(new Error(error)) : resolve(answer);
  }

  /** A worker that the page may not have does not throw: it fails later. One that runs says so
   * first. */
  const worker = (address) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(address);
      worker.onerror = reject;
      worker.onmessage = () => {
        worker.onmessage = ({ data }) => answered(data);
        close = () => worker.terminate();
        resolve((request) => worker.postMessage(request));
      };
    });

  const homes = {
    blob: () => worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))),
    data: () => worker(`data:text/javascript;charset=utf-8,${encodeURIComponent(code)}`),
    page: () => serve(answered),
  };

  async function settle() {
    for (const name of Object.keys(homes)) {
      try {
        post = await homes[name]();
        return name;
      } catch {
        // the next one
      }
    }
  }

  const home = settle();
  return {
    home,
    async ask(what, request = {}) {
      await home;
      const id = ++asked;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        post({ id, ask: what, ...request });
      });
    },
    close: () => home.then(() => close()),
  };
}
