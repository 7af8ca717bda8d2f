// What the chosen row looks at: a line above the map, and its largest weights as bars.

import { h, quoted, token } from "../kit/parts/dom.js";

const SHOWN = 6; // keys listed for a query
const LEAST = 0.005; // a smaller weight would be read as 0.00

/** The row in words: how much it takes of the chosen key. */
export const lineOf = (state) => {
  const node = h("p", { className: "query" });
  const update = () => {
    const { rows, cols, emitted } = state.view;
    const { row, col } = state;
    const emits = emitted ? [h("span", { className: "emits" }, " → ", token(emitted[row]))] : [];
    const taken = h("b", {}, state.weights()[col].toFixed(2));
    const word = token(rows[row], "asks");
    node.replaceChildren(word, ...emits, " takes ", taken, " from ", token(cols[col], "key"));
  };
  return { node, update };
};

export const barsOf = (state, { lock }) => {
  const title = h("p", { className: "title" });
  const list = h("ol", { className: "bars" });
  const barOf = (key, weight) => {
    const bar = h("span", { className: "bar" }, h("i", { style: `width:${100 * weight}%` }));
    const on = key === state.col ? "on" : "";
    const item = h(
      "li",
      { className: on },
      token(state.view.cols[key]),
      bar,
      h("b", {}, weight.toFixed(2)),
    );
    item.addEventListener("click", () => lock(state.row, key));
    return item;
  };
  const update = () => {
    const weights = state.weights();
    const listed = state.order().filter((key, i) => i < SHOWN && weights[key] >= LEAST);
    if (!listed.includes(state.col)) listed.splice(SHOWN - 1, 1, state.col);
    title.replaceChildren("Where ", token(state.view.rows[state.row]), " looks");
    list.replaceChildren(...listed.map((key) => barOf(key, weights[key])));
  };
  return { node: h("div", { className: "looks" }, title, list), update };
};

/** The same, spoken. */
export const spoken = (state) => {
  const { rows, cols, emitted } = state.view;
  const { row, col } = state;
  const weights = state.weights();
  const [best] = state.order();
  const named = emitted
    ? `${quoted(rows[row])}, emitting ${quoted(emitted[row])},`
    : quoted(rows[row]);
  const withWeight = (key) => `${quoted(cols[key])} ${weights[key].toFixed(2)}`;
  return `query ${row} ${named} to key ${col} ${withWeight(col)}; most to ${withWeight(best)}`;
};
