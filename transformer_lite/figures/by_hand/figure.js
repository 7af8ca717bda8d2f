// Attention by hand: every matrix of the chain, and the whole arithmetic of one cell, term by term.

import { tint } from "../kit/colour.js";
import { h, quoted } from "../kit/dom.js";
import { arrow, frame, put } from "../kit/frame.js";
import { dot, signed, softmax } from "../kit/numbers.js";
import { heading, numbersTable, table } from "../kit/tables.js";

const columnOf = (matrix, j) => matrix.map((row) => row[j]);
/** The powers of a softmax as they are written out. */
const exponentials = (row) => {
  const most = Math.max(...row);
  const shift = Math.abs(most) > 20 ? most : 0; // the same quotient, where exp alone would overflow
  return { shift, values: row.map((v) => Math.exp(v - shift)) };
};

/** The chain of one sentence: x (T, D), W (d_k, D), b (d_k). */
const chain = (x, W, b) => {
  const Q = x.map((word) => W.map((w, j) => dot(word, w) + b[j]));
  const scores = Q.map((q) => Q.map((k) => dot(q, k)));
  const scaled = scores.map((row) => row.map((v) => v / Math.sqrt(b.length)));
  const weights = scaled.map(softmax);
  const output = weights.map((row) => Q[0].map((_, j) => dot(row, columnOf(Q, j))));
  return { Q, scores, scaled, weights, output };
};

const exact = (v) => String(Number(v.toFixed(8))).replace("-", "−"); // an operand: no more digits than it has
const full = (v) => signed(v, 8);
const factor = (text) => (text.startsWith("−") ? `(${text})` : text);

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const size = { T: at("x")[0].length, D: at("x")[0][0].length, d: at("bias").length };

    const formula = h("p", { className: "title" });
    const terms = h("p", { className: "terms" });
    const refusal = h("p", { className: "refusal", role: "alert" });
    const reset = h("button", { type: "button", className: "ui" }, "Reset the numbers");
    const panels = h("div", { className: "panels" });
    const note =
      "Rows of scores and weights are queries, columns are keys. The numbers of x, W and b can be changed.";
    const scale = h("div", { className: "tints" });
    body.className = "body byhand";
    body.append(
      h("div", { className: "work" }, formula, terms),
      panels,
      h("p", { className: "note" }, note),
      scale,
    );
    body.append(h("div", { className: "edit" }, reset, refusal));

    // ---- The matrices. `cells[name][i][j]` is an input in x, W and b, a table cell elsewhere.
    const words = (n) => Array.from({ length: n }, () => "word");
    const dims = (n) => Array.from({ length: n }, (_, i) => `${i}`);
    const layout = {
      x: ["x", "one row a word", size.T, size.D, words(size.T), dims(size.D)],
      W: ["W", "row j makes number j", size.d, size.D, dims(size.d), dims(size.D)],
      b: ["b", "", size.d, 1, dims(size.d), ["0"]],
      Q: ["Q = K = V", "x·Wᵀ + b", size.T, size.d, words(size.T), dims(size.d)],
      scores: ["scores", "Q·Kᵀ", size.T, size.T, words(size.T), words(size.T)],
      scaled: ["scaled", `scores / √${size.d}`, size.T, size.T, words(size.T), words(size.T)],
      weights: ["weights", "softmax of each row", size.T, size.T, words(size.T), words(size.T)],
      output: ["output", "weights·V", size.T, size.d, words(size.T), dims(size.d)],
    };
    const source = { x: "x", W: "weight", b: "bias" };
    const cells = {},
      tables = {},
      names = [];

    /** What heads row or column i: its number, and the word it stands for, filled in by `update`. */
    const header = (kind, i) => {
      if (kind !== "word") return kind;
      const word = h("bdi", { className: "token", dir: "auto" });
      names.push([word, i]);
      return [`${i} `, word];
    };

    for (const [name, [title, how, rows, cols, rowKinds, colKinds]] of Object.entries(layout)) {
      const editable = name in source;
      const cell = (i, j) => {
        if (!editable) return h("td", { role: "gridcell", tabIndex: -1 });
        const label = name === "b" ? `b ${i}` : `${name} row ${i} column ${j}`;
        const plain = { type: "text", autocomplete: "off", spellcheck: false };
        return h(
          "td",
          { role: "gridcell" },
          h("input", { ...plain, tabIndex: -1, "aria-label": label }),
        );
      };
      const grid = table(rowKinds.map(header), colKinds.map(header), {
        cell,
        role: "grid",
        "aria-label": `${title} ${how}`,
      });
      cells[name] = grid.cells.map((row) => row.map((td) => (editable ? td.firstChild : td)));
      cells[name][0][0].tabIndex = 0;
      const group =
        name === "b" ? panels.lastChild : panels.appendChild(h("div", { className: "group" }));
      group.append(h("section", { className: `panel ${name}` }, heading(title, how), grid.node));

      grid.node.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
        const [i, j] = place(name, event.target);
        if (event.key === "Escape" && editable) takeBack(name, i, j);
        if (event.key === "Enter" && editable) commit(name, i, j);
        const next = arrow(event, i, j, rows, cols);
        if (!next || inText(event)) return;
        event.preventDefault();
        go(name, ...next);
      });
      grid.node.addEventListener("focusin", (event) => {
        for (const cell of cells[name].flat()) cell.tabIndex = cell === event.target ? 0 : -1;
        if (!editable) return;
        before = structuredClone(at(source[name]));
        event.target.select();
      });
      grid.node.addEventListener("click", (event) => {
        const [i, j] = place(name, event.target.closest("td") ?? event.target);
        if (!editable && i >= 0) go(name, i, j);
      });
      if (editable) {
        grid.node.addEventListener("input", (event) => edit(name, ...place(name, event.target)));
        grid.node.addEventListener("change", (event) => commit(name, ...place(name, event.target)));
      }
    }
    /** Whether a key still has letters to pass inside a field. */
    const inText = ({ key, target: { value, selectionStart: from, selectionEnd: to } }) =>
      value !== undefined &&
      from === to &&
      ((["ArrowLeft", "Home"].includes(key) && from > 0) ||
        (["ArrowRight", "End"].includes(key) && to < value.length));
    const place = (name, node) => {
      const i = cells[name].findIndex((row) => row.includes(node));
      return [i, i < 0 ? -1 : cells[name][i].indexOf(node)];
    };
    const go = (name, i, j) => {
      if (!(name in source)) put(model, { step: at("steps").indexOf(name), row: i, column: j });
      cells[name][i][j].focus();
    };

    // ---- Editing
    let before; // the numbers as they were when the field was entered
    const takeBack = (name, i, j) => {
      put(model, { [source[name]]: before });
      show(name, i, j);
      cells[name][i][j].select();
    };
    const value = (name, i, j) =>
      name === "x"
        ? at("x")[at("sentence")][i][j]
        : name === "W"
          ? at("weight")[i][j]
          : at("bias")[i];
    const show = (name, i, j) => {
      const cell = cells[name][i][j];
      cell.value = value(name, i, j).toFixed(4);
      cell.removeAttribute("aria-invalid");
    };
    const typed = (cell) =>
      cell.value.trim() === "" ? NaN : Number(cell.value.replace("−", "-").replace(",", "."));
    const edit = (name, i, j) => {
      const number = typed(cells[name][i][j]);
      cells[name][i][j].setAttribute("aria-invalid", !Number.isFinite(number));
      if (!Number.isFinite(number)) return;
      refusal.textContent = "";
      const all = structuredClone(at(source[name]));
      if (name === "x") all[at("sentence")][i][j] = number;
      else if (name === "W") all[i][j] = number;
      else all[i] = number;
      put(model, { [source[name]]: all });
    };
    const commit = (name, i, j) => {
      const cell = cells[name][i][j];
      if (!Number.isFinite(typed(cell))) {
        const [where, old] = [cell.getAttribute("aria-label"), value(name, i, j)];
        refusal.textContent = `${quoted(cell.value)} is not a finite number; ${where} stays ${old}.`;
      }
      show(name, i, j);
    };
    reset.addEventListener("click", () => {
      refusal.textContent = "";
      put(model, structuredClone(at("original")));
      say("the numbers are as they were");
    });

    // ---- Showing. `a` and `b` mark the operands, in the matrices and in the arithmetic.
    const a = (text) => h("span", { className: "op-a" }, text);
    const b = (text) => h("span", { className: "op-b" }, text);
    const sum = (left, right) =>
      left.flatMap((v, k) => [
        k ? " + " : "",
        h("span", { className: "term" }, a(factor(exact(v))), " × ", b(factor(exact(right[k])))),
      ]);
    const rowOf = (name, i) => cells[name][i];
    const columnCells = (name, j) => cells[name].map((row) => row[j]);

    /** For one cell: what it is, its arithmetic, and the cells of its left (`a`) and right (`b`) operands. */
    const explain = {
      Q: (_, i, j, x) => [
        [a(`x[${i}]`), " · ", b(`W[${j}]`), ` + b[${j}]`],
        [...sum(x[i], at("weight")[j]), " + ", factor(exact(at("bias")[j]))],
        rowOf("x", i),
        [...rowOf("W", j), cells.b[j][0]],
      ],
      scores: (c, i, j) => [
        [a(`Q[${i}]`), " · ", b(`K[${j}]`)],
        sum(c.Q[i], c.Q[j]),
        rowOf("Q", i),
        rowOf("Q", j),
      ],
      scaled: (c, i, j) => [
        [a(`scores[${i},${j}]`), ` / √${size.d}`],
        [a(exact(c.scores[i][j])), ` / ${exact(Math.sqrt(size.d))}`],
        [cells.scores[i][j]],
        [],
      ],
      weights: (c, i, j) => {
        const { shift, values } = exponentials(c.scaled[i]);
        const power = (v) => `exp(${exact(v)}${shift ? ` − ${factor(exact(shift))}` : ""})`;
        const total = values.reduce((s, v) => s + v);
        const plus = (items) => items.flatMap((item, k) => [k ? " + " : "", b(item)]);
        return [
          [a(`exp(scaled[${i},${j}])`), " / ", b(`the sum of exp over scaled[${i}]`)],
          [
            a(power(c.scaled[i][j])),
            " / (",
            ...plus(c.scaled[i].map(power)),
            ") = ",
            a(full(values[j])),
            " / (",
            ...plus(values.map(full)),
            ") = ",
            a(full(values[j])),
            " / ",
            b(full(total)),
          ],
          [cells.scaled[i][j]],
          rowOf("scaled", i),
        ];
      },
      output: (c, i, j) => [
        [a(`weights[${i}]`), " · ", b(`V[:,${j}]`)],
        sum(c.weights[i], columnOf(c.Q, j)),
        rowOf("weights", i),
        columnCells("Q", j),
      ],
    };

    const update = () => {
      const steps = at("steps");
      const step = steps[at("step")];
      const [i, j] = [at("row"), at("column")];
      const tokens = at("tokens")[at("sentence")] ?? [];
      const x = at("x")[at("sentence")];
      const c = chain(x, at("weight"), at("bias"));

      for (const [node, k] of names)
        Object.assign(node, { textContent: tokens[k] ?? "", title: tokens[k] ?? "" });
      const values = { x, W: at("weight"), b: at("bias").map((v) => [v]), ...c };
      const most = Math.max(...Object.values(values).flat(2).map(Math.abs));
      for (const [name, rows] of Object.entries(cells)) {
        rows.forEach((row, r) =>
          row.forEach((cell, s) => {
            const number = values[name][r][s];
            cell.className = "";
            cell.style.backgroundColor = tint(number, most);
            cell.title = full(number);
            if (!(name in source)) cell.textContent = signed(number);
            else if (cell !== el.shadowRoot.activeElement || typed(cell) !== number)
              show(name, r, s);
          }),
        );
      }
      const [what, arithmetic, left, right] = explain[step](c, i, j, x);
      for (const cell of left) cell.classList.add("op-a");
      for (const cell of right) cell.classList.add("op-b");
      for (const cell of steps.flatMap((name) => cells[name].flat()))
        cell.removeAttribute("aria-selected");
      const chosen = cells[step][i][j];
      chosen.classList.add("chosen");
      chosen.setAttribute("aria-selected", "true");
      for (const cell of cells[step].flat()) cell.tabIndex = cell === chosen ? 0 : -1;
      formula.replaceChildren(`${step}[${i},${j}] = `, ...what);
      terms.replaceChildren("= ", ...arithmetic, h("b", {}, ` = ${full(c[step][i][j])}`));

      const tick = (v) => h("span", { style: `background:${tint(v, most)}` }, signed(v, 2));
      scale.replaceChildren("colour ", ...[-most, -most / 2, 0, most / 2, most].map(tick));
      if (!tables.Q) {
        for (const name of steps) {
          const label = (kind, k) => (kind === "word" ? `${k} ${tokens[k] ?? ""}` : kind);
          const [title, how, , , rowKinds, colKinds] = layout[name];
          tables[name] = numbersTable(`${title}: ${how}`, rowKinds.map(label), colKinds.map(label));
          base.numbers.append(tables[name].node);
        }
      }
      for (const name of steps)
        tables[name].texts.forEach((text, k) => {
          text.data = full(c[name].flat()[k]);
        });
      Object.assign(root.dataset, { step, row: i, column: j, sentence: at("sentence") });
      say(`${step}, row ${i}, column ${j}: ${signed(c[step][i][j])}`);
    };
    const again = () => {
      base.numbers.replaceChildren(); // another sentence: other words in the headers
      delete tables.Q;
      update();
    };
    for (const trait of ["sentence", "tokens"]) model.on(`change:${trait}`, again);
    for (const trait of ["x", "weight", "bias", "step", "row", "column"])
      model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
