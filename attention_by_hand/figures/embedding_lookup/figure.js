// The embedding lookup: one-hot vector × table = row. The row slides out of the table and lands
// under its word, and one number of it is written out.

import { h, quoted } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { dot, signed } from "../kit/parts/numbers.js";
import { whenSized } from "../kit/parts/sized.js";
import { numbersTable } from "../kit/parts/tables.js";
import { productOf } from "./product.js";
import { rowOf, sentencesOf } from "./sentences.js";
import { slide } from "./slide.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   words: any[],
 *   gloss: any[],
 *   table: any[],
 *   sentences: any[],
 *   sentence: number,
 *   position: number,
 *   column: number,
 *   last_position: number,
 *   last_column: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/** One number of the row, written out: the sum over all rows of the table. */
const workOf = (rows) => {
  const formula = h("p", { className: "title" });
  const terms = h("p", { className: "terms" });
  const update = ({ word, column, id, x }) => {
    formula.textContent = `number ${column} of ${quoted(word)}`;
    const products = rows.flatMap((row, i) => [
      i ? " + " : " = ",
      h(
        "span",
        { className: i === id ? "term" : "term plain" },
        `${i === id ? 1 : 0} × ${signed(row[column], 2)}`,
      ),
    ]);
    terms.replaceChildren(
      `one-hot · column ${column}`,
      ...products,
      h("b", { className: "result" }, ` = ${signed(x[column], 2)}`),
    );
  };
  return { node: h("div", { className: "work" }, formula, terms), update };
};

/** Where a word stands: in the sentence that is shown, if it is there. */
const placeOf = (sentences, id, sentence) => {
  const order = [sentence, ...sentences.keys()];
  const place = order.find((i) => sentences[i].includes(id));
  return { sentence: place, position: sentences[place].indexOf(id) };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const at = getter(model);
    const [words, gloss, rows, sentences] = ["words", "gloss", "table", "sentences"].map(at);
    const data = { words, gloss, rows, sentences };
    const size = rows[0].length;
    const isIn = (id) => sentences.some((ids) => ids.includes(id));
    const pick = ({ id, ...values }) => {
      const place = id === undefined ? {} : placeOf(sentences, id, at("sentence"));
      put(model, { ...place, ...values });
    };
    const row = rowOf(rows, pick);
    const picked = sentencesOf(data, row.node, (place) => put(model, place));
    const product = productOf(data, { isIn, pick });
    const work = workOf(rows);
    body.classList.add("lookup");
    body.append(picked.node, product.node, work.node);
    whenSized(base, picked.node, picked.fit);
    const numbers = numbersTable(
      "one-hot × table: each row of the table times its entry",
      words,
      rows[0].map((_, j) => `${j}`),
    );
    base.numbers.append(numbers.node);

    let before = "";
    const update = () => {
      const [sentence, position, column] = ["sentence", "position", "column"].map(at);
      const id = sentences[sentence][position];
      const hot = words.map((_, i) => Number(i === id));
      const sum = (j) => {
        const numbersBelow = rows.map((row) => row[j]);
        return dot(hot, numbersBelow);
      };
      const x = rows[0].map((_, j) => sum(j));
      row.update(x, column);
      picked.update(sentence, position);
      product.update({ id, column });
      work.update({ word: words[id], column, id, x });
      numbers.texts.forEach((text, k) => {
        const row = Math.floor(k / size);
        text.data = signed(hot[row] * rows[row][k % size]);
      });
      const place = `${sentence} ${position}`;
      if (before && before !== place) slide(product.first(id), row.node);
      before = place;
      Object.assign(root.dataset, { sentence, position, column, id });
      say(`${quoted(words[id])}, id ${id}: ${x.map((v) => signed(v)).join(", ")}`);
    };
    listen(model, ["sentence", "position", "column"], update);
    update();
    return () => base.dispose();
  },
};

export default figure;
