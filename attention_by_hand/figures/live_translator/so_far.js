// What the translator would have said on its way up to a word: after each sub-layer of the decoder the
// likeliest next words, if the vector had stopped there.

import { h, token } from "../kit/parts/dom.js";
import { table } from "../kit/parts/tables.js";
import { boxesOf, shortNameOf } from "./parts.js";

const RANKS = ["first", "second", "third"];

/** The sub-layer before a norm: "decoder.1.norm2" stands after the cross-attention of layer 1. */
const subLayerOf = (norm, sizes) => {
  const [stack, layer, place] = norm.split(".");
  const box = boxesOf(stack)[Number(place.slice(-1)) - 1];
  return shortNameOf(`${stack}.${layer}.${box}`, sizes).replace(`, ${stack}`, "");
};

/**
 * A fold with the table of the word that is looked at: {node, tell(lit)}.
 *
 * @param {import("./figure.js").Model} model
 */
export const soFarOf = (model, view) => {
  const title = h("p", { className: "title" });
  const home = h("div", {});
  const node = h(
    "details",
    { className: "so-far" },
    h("summary", {}, "What it would say so far"),
    title,
    home,
  );
  let lit = null;
  const write = () => {
    const norms = Object.entries(view.answer?.said ?? {});
    const isTold = node.open && lit?.side === "target" && norms.length > 0;
    title.hidden = home.hidden = !isTold;
    if (!isTold) return;
    const before = ["<bos>", ...view.target].slice(0, lit.index + 1).join(" ");
    title.textContent = `After “${before}”, if the vector stopped there`;
    const names = norms.map(([norm]) => subLayerOf(norm, model.get("sizes")));
    const cell = (i, j) => {
      const [id, share] = norms[i][1][lit.index][j] ?? [];
      if (id === undefined) return h("td");
      return h("td", {}, token(view.vocabulary[id]), ` ${Math.round(100 * share)}\u00a0%`);
    };
    home.replaceChildren(table(names, RANKS, { cell }).node);
  };
  node.addEventListener("toggle", write);
  const tell = (word) => {
    lit = word;
    write();
  };
  return { node, tell };
};
