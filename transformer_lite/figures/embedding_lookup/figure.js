// The embedding lookup: the sentence with its ids, then one-hot vector × table = row, and one number written out.

import { h, quoted, token } from "../kit/dom.js";
import { arrow, frame, put } from "../kit/frame.js";
import { dot, signed } from "../kit/numbers.js";
import { matrix, numbersTable } from "../kit/tables.js";

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const [words, gloss, rows] = [at("words"), at("gloss"), at("table")];
    const size = rows[0].length;

    const sentence = h("div", {
      className: "sentence",
      role: "radiogroup",
      "aria-label": "the sentence",
    });
    const formula = h("p", { className: "title" });
    const terms = h("p", { className: "terms" });
    const panels = h("div", { className: "panels" });
    body.className = "body grids lookup";
    body.append(sentence, h("div", { className: "work" }, formula, terms), panels);

    const dims = rows[0].map((_, j) => `${j}`);
    const [oneHot] = matrix(
      panels,
      "one-hot",
      "a 1 at the id",
      ["0"],
      words.map((_, i) => `${i}`),
    );
    const names = words.map((word, i) => [
      `${i} `,
      token(word),
      " ",
      h("span", { className: "plain" }, gloss[i]),
    ]);
    const entries = matrix(panels, "table", "one row a word", names, dims);
    const [result] = matrix(panels, "x", "what is left", ["0"], dims);
    entries.flat().forEach((cell, k) => {
      cell.textContent = signed(rows.flat()[k]);
    });

    const numbers = numbersTable(
      "one-hot × table: each row of the table times its entry",
      words,
      dims,
    );
    base.numbers.append(numbers.node);

    let buttons = [];
    /** The words of the chosen sentence, as buttons. */
    const lay = () => {
      buttons = at("sentences")[at("sentence")].map((id, i) => {
        const label = [
          token(words[id]),
          h("span", { className: "plain" }, gloss[id]),
          h("b", {}, `id ${id}`),
        ];
        const button = h("button", { type: "button", role: "radio" }, ...label);
        button.addEventListener("click", () => put(model, { position: i }));
        button.addEventListener("keydown", (event) => {
          const next = arrow(event, 0, i, 1, buttons.length);
          if (!next || next[1] === i) return;
          event.preventDefault();
          put(model, { position: next[1] });
          buttons[next[1]].focus();
        });
        return button;
      });
      sentence.replaceChildren(...buttons);
      update();
    };

    const update = () => {
      const [position, column] = [at("position"), at("column")];
      const id = at("sentences")[at("sentence")][position];
      const hot = words.map((_, i) => Number(i === id));
      buttons.forEach((button, i) => {
        button.setAttribute("aria-checked", i === position);
        button.tabIndex = i === position ? 0 : -1;
      });
      oneHot.forEach((cell, i) => {
        cell.textContent = hot[i];
        cell.className = i === id ? "op-a" : "";
      });
      entries.forEach((line, i) => {
        line[0].parentElement.classList.toggle("on", i === id);
        line.forEach((cell, j) => {
          cell.className = j === column ? "op-b" : "";
        });
      });
      const x = dims.map((_, j) =>
        dot(
          hot,
          rows.map((row) => row[j]),
        ),
      );
      result.forEach((cell, j) => {
        cell.textContent = signed(x[j]);
        cell.className = j === column ? "chosen" : "";
      });
      formula.replaceChildren(
        `x[${at("sentence")},${position},${column}] = one-hot · column ${column} of the table`,
      );
      const products = rows.flatMap((row, i) => [
        i ? " + " : "= ",
        h(
          "span",
          { className: i === id ? "term" : "term plain" },
          `${hot[i]} × ${signed(row[column])}`,
        ),
      ]);
      terms.replaceChildren(...products, h("b", {}, ` = ${signed(x[column])}`));
      numbers.texts.forEach((text, k) => {
        const row = Math.floor(k / size);
        text.data = signed(hot[row] * rows[row][k % size]);
      });
      Object.assign(root.dataset, { sentence: at("sentence"), position, column, id });
      say(`${quoted(words[id])}, id ${id}: ${x.map((v) => signed(v)).join(", ")}`);
    };
    model.on("change:sentence", lay);
    for (const trait of ["position", "column"]) model.on(`change:${trait}`, update);
    lay();
    return () => base.dispose();
  },
};

export default figure;
