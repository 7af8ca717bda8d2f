// The embedding lookup: the sentences with their ids, then one-hot vector × table = row, and one
// number written out.

import { h, quoted } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { dot, signed } from "../kit/parts/numbers.js";
import { numbersTable } from "../kit/parts/tables.js";
import { productOf } from "./product.js";
import { sentencesOf } from "./sentences.js";

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
    formula.textContent = `number ${column} of ${quoted(word)} = one-hot · column ${column}`;
    const products = rows.flatMap((row, i) => [
      i ? " + " : "= ",
      h(
        "span",
        { className: i === id ? "term" : "term plain" },
        `${i === id ? 1 : 0} × ${signed(row[column])}`,
      ),
    ]);
    terms.replaceChildren(...products, h("b", {}, ` = ${signed(x[column])}`));
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
    const picked = sentencesOf(data, (place) => put(model, place));
    const product = productOf(data, { isIn, pick });
    const work = workOf(rows);
    body.classList.add("lookup");
    body.append(picked.node, product.node, work.node);
    const numbers = numbersTable(
      "one-hot × table: each row of the table times its entry",
      words,
      rows[0].map((_, j) => `${j}`),
    );
    base.numbers.append(numbers.node);

    const update = () => {
      const [sentence, position, column] = ["sentence", "position", "column"].map(at);
      const id = sentences[sentence][position];
      const hot = words.map((_, i) => Number(i === id));
      const sum = (j) => {
        const numbersBelow = rows.map((row) => row[j]);
        return dot(hot, numbersBelow);
      };
      const x = rows[0].map((_, j) => sum(j));
      picked.update(sentence, position);
      product.update({ id, column, x });
      work.update({ word: words[id], column, id, x });
      numbers.texts.forEach((text, k) => {
        const row = Math.floor(k / size);
        text.data = signed(hot[row] * rows[row][k % size]);
      });
      Object.assign(root.dataset, { sentence, position, column, id });
      say(`${quoted(words[id])}, id ${id}: ${x.map((v) => signed(v)).join(", ")}`);
    };
    listen(model, ["sentence", "position", "column"], update);
    update();
    return () => base.dispose();
  },
};

export default figure;
