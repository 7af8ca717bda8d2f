// The two tables that the boxes complete: two vectors to their score, and scores to a share.

import { h, token } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";

const two = (value) => signed(value, 2);
const cell = (...content) => h("td", {}, ...content);
const row = (name, cells, className = "") =>
  h("tr", { className }, h("th", { scope: "row" }, ...[name].flat()), ...cells);
const heads = (names) =>
  h("tr", {}, cell(), ...names.map((name) => h("th", { scope: "col" }, name)));
const tableOf = (label, className, rows) =>
  h("table", { className, "aria-label": label }, h("tbody", {}, ...rows));

/**
 * Both vectors at the places that are the reader's, their products, the sum and the score.
 *
 * @param {any} given
 */
const scoreTable = ({ query, key, asks, word }, { places, given }, [products, [sum], [score]]) => {
  const at = (numbers) => [...places.map((place) => cell(two(numbers[place]))), cell("…"), cell()];
  const others = query.length - places.length;
  const scored = h(
    "tr",
    {},
    h("th", { scope: "row", colSpan: places.length + 2 }, `divided by √${query.length}, the score`),
    cell(score),
  );
  const rows = [
    heads([...places.map((place) => `place ${place}`), `${others} others`, "sum"]),
    row([token(asks), " asks"], at(query), "query"),
    row([token(word), " offers"], at(key), "key"),
    row("product", [...products.map((box) => cell(box)), cell(two(given)), cell(sum)], "line"),
    scored,
  ];
  return { node: tableOf("from query and key to the score", "scores", rows), rows: rows.slice(3) };
};

/**
 * The scores of the best words, their powers and the share of the best.
 *
 * @param {any} given
 */
const shareTable = ({ words, scores }, { best, rest }, [powers, [share]]) => {
  const others = scores.length - best.length;
  const score = cell();
  const shares = [...best.slice(1), -1].map((i) => ({ i, node: cell() }));
  const rows = [
    heads([...best.map((i) => token(words[i])), `${others} others`]),
    row("score", [score, ...best.slice(1).map((i) => cell(two(scores[i]))), cell("…")]),
    row(["e", h("sup", {}, "score")], [...powers.map((box) => cell(box)), cell(rest.toFixed(1))]),
    row("share, %", [cell(share), ...shares.map(({ node }) => node)], "line"),
  ];
  const update = (isScored, shareOf) => {
    score.textContent = isScored ? two(scores[best[0]]) : "?";
    for (const { i, node } of shares) node.textContent = shareOf ? shareOf(i).toFixed(1) : "";
  };
  return { node: tableOf("from scores to shares", "shares", rows), rows: rows.slice(2), update };
};

/**
 * Both tables: {node, update(step, shares)}. What is said of a box, `said`, stands under its row.
 *
 * @param {any} given
 */
export const sheetOf = (given, numbers, inputs, said) => {
  const first = scoreTable(given, numbers, inputs.slice(0, 3));
  const second = shareTable(given, numbers, inputs.slice(3));
  const [products, scored] = first.rows;
  const [powers, share] = second.rows;
  const rowOfStep = [products, products, scored, powers, share, share]; // the last when all are done
  const under = h("tr", { className: "under" }, h("td", { colSpan: 5 }, said));
  const update = (step, shares) => {
    const open = rowOfStep[step];
    if (under.previousElementSibling !== open) open.after(under);
    second.node.classList.toggle("waiting", step < 3);
    const rest = (list) => numbers.best.reduce((left, i) => left - list[i], 1);
    second.update(step > 2, step === 5 && ((i) => 100 * (i < 0 ? rest(shares) : shares[i])));
  };
  return { node: h("div", { className: "sheet" }, first.node, second.node), update };
};
