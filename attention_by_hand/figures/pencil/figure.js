// Pencil: one weight of a trained model, computed by the reader.

import { h, quoted } from "../kit/parts/dom.js";
import { softmax } from "../kit/parts/numbers.js";
import { whenSized } from "../kit/parts/sized.js";
import { numbersTable } from "../kit/parts/tables.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { stepsOf, vectorsOf } from "./steps.js";
import { tasksOf } from "./tasks.js";
import { threadOf } from "./thread.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   words: string[],
 *   asks: string,
 *   writes: string,
 *   query: number[],
 *   best_key: number[],
 *   scores: number[],
 *   step: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const PRAISE = [
  "",
  "Right. Now the sum.",
  "Right. Now the score.",
  "Right. Now the softmax.",
  "Right.",
];

/** The numbers that are known so far, as a table. */
const numbersIn = (base, { words, scores, shares }, last) => {
  const table = numbersTable("score and share of each word", words, ["score", "share"]);
  base.numbers.append(table.node);
  return (step) =>
    words.forEach((_, i) => {
      table.texts[2 * i].data = scores[i].toFixed(2).replace("-", "−");
      table.texts[2 * i + 1].data = step === last ? shares[i].toFixed(4) : "?";
    });
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const [words, asks, writes] = getAll(model, ["words", "asks", "writes"]);
    const [query, key, scores] = getAll(model, ["query", "best_key", "scores"]);
    const { row, tasks } = tasksOf({ query, key, scores, words });
    const shares = softmax(scores);
    const word = words[row.best[0]];
    const verdict = h("p", { className: "verdict" });
    const vectors = vectorsOf({ query, key, asks, word }, row);
    const thread = threadOf({ words, writes });
    const tell = (text) => {
      verdict.textContent = text;
      if (text) say(text);
    };
    const steps = stepsOf(tasks, {
      say: tell,
      done: (step) => {
        put(model, { step });
        steps.focus(step);
      },
    });
    const write = numbersIn(base, { words, scores, shares }, tasks.length);
    const update = () => {
      const step = model.get("step");
      const isDone = step === tasks.length;
      vectors.update(step > 0);
      steps.update(step);
      thread.update(isDone ? shares : null);
      write(step);
      root.dataset.step = step;
      const percent = `${Math.round(100 * row.share)}\u00a0%`;
      tell(
        isDone
          ? `${percent} of this look goes to ${quoted(word)}: here is the thread from ${quoted(writes)} to it.`
          : PRAISE[step],
      );
    };
    body.classList.add("pencil");
    body.append(vectors.node, steps.node, verdict, thread.node);
    listen(model, ["step"], update);
    whenSized(base, thread.node, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
