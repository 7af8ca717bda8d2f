// The strips of numbers of one word, one above the other: a tower for each side. Where there is
// room both are seen, the one that does not speak dimmed, and otherwise one.

import { h, token } from "../kit/parts/dom.js";

const MOST = 3; // a strip's colours are full at ±3
const PALE = 0.22; // what has not happened yet
const SHOWN = 3; // candidates for the next word

const scaleOf = (stage, values) => (stage === "scores" ? Math.max(...values.map(Math.abs)) : MOST);

/** The strip of one stop, or the next words at the top. */
const rowOf = (stop) => {
  const picture =
    stop.part === "softmax" ? h("ol", { className: "next" }) : h("canvas", { className: "pixels" });
  const name = h("span", { className: "name" }, stop.label);
  const node = h("div", { className: `row ${stop.role}`, "data-stop": stop.index }, name, picture);
  const first = stop.role === "attention" && /position|norm[23]$/.test(stop.reads[0][1]);
  node.classList.toggle("starts", first && stop.part !== "cross-attention");
  return { stop, node, picture };
};

export const stackOf = (base, data, { choose }) => {
  const rows = data.stops.map(rowOf);
  const towers = ["source", "target"].map((side) => {
    const own = rows.filter(({ stop }) => stop.side === side).map(({ node }) => node);
    const name = h("p", { className: "which" }, side === "source" ? "encoder" : "decoder");
    return h("div", { className: `tower ${side}` }, name, ...own.reverse());
  });
  const across = h("p", { className: "across" }, "↑ to every cross-attention of the decoder");
  towers[0].prepend(across);
  const node = h("div", { className: "stack" }, ...towers);
  for (const { stop, node: row } of rows) row.addEventListener("click", () => choose(stop.index));

  const paintNext = (list, word) => {
    const items = data.next(word, SHOWN).map(([text, probability]) => {
      const bar = h("span", { className: "bar" });
      bar.style.width = `${(100 * probability).toFixed(1)}%`;
      return h("li", {}, bar, token(text), h("span", {}, probability.toFixed(3)));
    });
    list.replaceChildren(...items);
  };

  /**
   * Paints the strips of a side up to a row; what lies above is pale, because it is still to come.
   */
  const paint = (side, reached) => {
    const word = data.wordOf(side);
    for (const { stop, node: row, picture } of rows.filter((one) => one.stop.side === side)) {
      const passed = stop.row <= reached;
      row.classList.toggle("passed", passed);
      if (stop.part === "softmax") {
        paintNext(picture, word);
        continue;
      }
      const stage = stop.reads.at(-1)[1];
      const values = data.vector(stage, word);
      const most = scaleOf(stage, values) / (passed ? 1 : PALE);
      base.paint(picture, values, 1, values.length, { most, signed: true });
    }
  };

  /** While the decoder speaks, all of the encoder has happened, and while that speaks, none of it. */
  const paintOther = (side) =>
    side === "target" ? paint("source", Infinity) : paint("target", -1);
  const update = () => {
    const { side, index } = data.stop();
    towers.forEach((tower) => tower.classList.toggle("away", !tower.classList.contains(side)));
    for (const { stop, node: row } of rows) row.classList.toggle("on", stop.index === index);
    paintOther(side);
  };
  /** The rows that are seen: of both towers where they stand beside each other. */
  const seen = () => {
    const isWide = towers[0].offsetLeft !== towers[1].offsetLeft;
    return isWide ? rows : rows.filter(({ stop }) => stop.side === data.stop().side);
  };
  return { node, rows, seen, paint, update };
};
export { MOST };
