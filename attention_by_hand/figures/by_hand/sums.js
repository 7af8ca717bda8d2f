// The arithmetic of one cell, written out term by term, and the cells of its left and right
// operands.

import { h } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { columnOf, exponentials } from "./chain.js";

const a = (text) => h("span", { className: "op-a" }, text);
const b = (text) => h("span", { className: "op-b" }, text);
const factor = (text) => (text.startsWith("−") ? `(${text})` : text);

/**
 * How numbers are written, with so many digits at most; an operand has no more digits than it
 * needs.
 */
const writerOf = (digits) => {
  const exact = (v) => String(Number(v.toFixed(digits))).replace("-", "−");
  const full = (v) => signed(v, digits);
  const sum = (left, right) =>
    left.flatMap((v, k) => [
      k ? " + " : "",
      h("span", { className: "term" }, a(factor(exact(v))), " × ", b(factor(exact(right[k])))),
    ]);
  return { exact, full, sum };
};

const quotient = ({ exact, full }, row, j) => {
  const { shift, values } = exponentials(row);
  const less = shift ? ` − ${factor(exact(shift))}` : "";
  const power = (v) => `exp(${exact(v)}${less})`;
  const total = values.reduce((sum, v) => sum + v);
  const plus = (items) => items.flatMap((item, k) => [k ? " + " : "", b(item)]);
  return [
    ...[a(power(row[j])), " / (", ...plus(row.map(power)), ") = "],
    ...[a(full(values[j])), " / (", ...plus(values.map(full)), ") = "],
    ...[a(full(values[j])), " / ", b(full(total))],
  ];
};

/** Of cell (i, j) of a step: what it is, its arithmetic, its operands. */
const STEPS = {
  Q: (c, i, j, cells, write) => ({
    what: [a(`x[${i}]`), " · ", b(`W[${j}]`), ` + b[${j}]`],
    terms: [...write.sum(c.x[i], c.W[j]), " + ", factor(write.exact(c.b[j][0]))],
    left: cells.x[i],
    right: [...cells.W[j], cells.b[j][0]],
  }),
  scores: (c, i, j, cells, write) => ({
    what: [a(`Q[${i}]`), " · ", b(`K[${j}]`)],
    terms: write.sum(c.Q[i], c.Q[j]),
    left: cells.Q[i],
    right: cells.Q[j],
  }),
  scaled: (c, i, j, cells, write) => ({
    what: [a(`scores[${i},${j}]`), ` / √${c.b.length}`],
    terms: [a(write.exact(c.scores[i][j])), ` / ${write.exact(Math.sqrt(c.b.length))}`],
    left: [cells.scores[i][j]],
    right: [],
  }),
  weights: (c, i, j, cells, write) => ({
    what: [a(`exp(scaled[${i},${j}])`), " / ", b(`the sum of exp over scaled[${i}]`)],
    terms: quotient(write, c.scaled[i], j),
    left: [cells.scaled[i][j]],
    right: cells.scaled[i],
  }),
  output: (c, i, j, cells, write) => ({
    what: [a(`weights[${i}]`), " · ", b(`V[:,${j}]`)],
    terms: write.sum(c.weights[i], columnOf(c.Q, j)),
    left: cells.weights[i],
    right: columnOf(cells.Q, j),
  }),
};

/** The line over the matrices; `update` returns the operands. */
export const sumOf = () => {
  const formula = h("p", { className: "title" });
  const terms = h("p", { className: "terms" });
  const node = h("div", { className: "work" }, formula, terms);
  const update = (values, { step, i, j }, cells, digits) => {
    const write = writerOf(digits);
    const sum = STEPS[step](values, i, j, cells, write);
    formula.replaceChildren(`${step}[${i},${j}] = `, ...sum.what);
    const result = h("b", { className: "result" }, ` = ${write.full(values[step][i][j])}`);
    terms.replaceChildren("= ", ...sum.terms, result);
    return sum;
  };
  return { node, update };
};
