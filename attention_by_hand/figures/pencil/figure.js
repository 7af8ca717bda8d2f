// Pencil: one weight of a trained model, computed by the reader, and its thread, drawn on the way.

import { byPencil } from "../kit/shared/boxes.js";
import { h, quoted } from "../kit/parts/dom.js";
import { signed, softmax } from "../kit/parts/numbers.js";
import { whenSized } from "../kit/parts/sized.js";
import { numbersTable } from "../kit/parts/tables.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen } from "../kit/runtime/model.js";
import { sheetOf } from "./sheet.js";
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

/** Both vectors, and what is known of the words, as tables. */
const numbersIn = ({ numbers }, { query, key, asks, word, words, scores, shares }) => {
  const vectors = numbersTable("query and key", Object.keys(query), [asks, word]);
  for (const [i, text] of vectors.texts.entries())
    text.data = signed((i % 2 ? key : query)[Math.floor(i / 2)], 2);
  const table = numbersTable("score and share of each word", words, ["score", "share"]);
  numbers.append(vectors.node, table.node);
  return (isDone) =>
    words.forEach((_, i) => {
      table.texts[2 * i].data = signed(scores[i], 2);
      table.texts[2 * i + 1].data = isDone ? shares[i].toFixed(4) : "?";
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
    const given = { query, key, asks, word, words, scores, shares };
    const percent = `${Math.round(100 * row.share)}\u00a0%`;
    const last = `${percent} of this look goes to ${quoted(word)}: this is the thread from ${quoted(writes)} to it.`;
    const prompt = () => tasks[model.get("step")]?.text ?? last;

    const boxes = byPencil(model, say, tasks, prompt);
    const sheet = sheetOf(given, row, boxes.inputs, boxes.node);
    const thread = threadOf({ words, writes, shares });
    const write = numbersIn(base, given);
    const update = () => {
      const step = model.get("step");
      sheet.update(step, shares);
      thread.update(step / tasks.length);
      write(step === tasks.length);
      boxes.update();
      root.dataset.step = step;
    };
    const top = h("div", { className: "stays" }, thread.node);
    body.classList.add("by-pencil");
    body.append(top, sheet.node);
    listen(model, ["step"], update);
    whenSized(base, thread.node, thread.place);
    update();
    thread.place();
    return () => base.dispose();
  },
};

export default figure;
