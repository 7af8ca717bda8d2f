// What is seen at the word that is picked out, in one line: its largest weights in the chosen head.

import { h, quoted, token } from "../kit/parts/dom.js";

const SHOWN = 3; // weights that are told
const LEAST = 0.05; // a smaller one is only told if it is the largest
const NONE = 0.005; // a smaller one would be read as 0.00

/** The indices of the largest weights, the largest first. */
export const strongest = (weights) => {
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b);
  return order.filter((i, n) => weights[i] >= (n ? LEAST : NONE)).slice(0, SHOWN);
};

/** A word as nodes: a query with the word that is written there. */
const wordOf = ({ rows, cols, emitted }, { side, index }) => {
  if (side === "source") return [token(cols[index], "key")];
  const emits = emitted ? [h("span", {}, " → "), token(emitted[index], "asks")] : [];
  return [token(rows[index], "asks"), ...emits];
};

/** What is told: whether it takes or gives, and of which of the others how much. */
const toldOf = (state) => {
  const { side, index, key } = state.lit;
  const weights = state.weights(state.lit);
  const told = key === undefined ? strongest(weights) : [key];
  const other = side === "source" ? "target" : "source";
  const parts = told.map((i) => ({
    weight: weights[i].toFixed(2),
    word: { side: other, index: i },
  }));
  return { word: { side, index }, parts, verb: side === "source" ? "gives" : "takes" };
};

export const lineOf = (state) => {
  const node = h("p", { className: "query" });
  const update = () => {
    const { word, parts, verb } = toldOf(state);
    const way = verb === "gives" ? " to " : " from ";
    const shares = parts.flatMap((part, n) => [
      n ? ", " : " ",
      h("b", {}, part.weight),
      way,
      ...wordOf(state.view, part.word),
    ]);
    const rest = parts.length ? shares : [" nothing"];
    node.replaceChildren(...wordOf(state.view, word), ` ${verb}`, ...rest);
  };
  return { node, update };
};

/** The same, spoken. */
export const spoken = (state) => {
  const { names, cols } = state.view;
  const { word, parts, verb } = toldOf(state);
  const name = ({ side, index }) => quoted(side === "source" ? cols[index] : names[index]);
  const way = verb === "gives" ? "to" : "from";
  const shares = parts.map((part) => `${part.weight} ${way} ${name(part.word)}`);
  const kind = word.side === "source" ? "key" : "query";
  return `${kind} ${word.index} ${name(word)} ${verb} ${shares.join(", ") || "nothing"}`;
};
