// The table as a picture: a column for each position, a line for each number; pressed for a pair,
// dragged for a position. The knob of the column keeps the pair.

import { h } from "../kit/parts/dom.js";
import { drag } from "../kit/parts/drag.js";

export const tableOf = ({ length, width, choose }) => {
  const map = h("canvas", { className: "pixels map", "aria-hidden": "true" });
  const knob = h("i");
  const column = h("div", { className: "slice column" }, knob);
  const line = h("div", { className: "slice line" });
  const node = h("div", { className: "table" }, map, line, column);
  let pair = null; // of the drag
  let shown = 0;
  drag(node, {
    move: ({ clientX, clientY, target }) => {
      const box = map.getBoundingClientRect();
      const part = (at, from, size, count) => {
        const index = Math.floor(((at - from) / size) * count);
        return Math.max(0, Math.min(count - 1, index));
      };
      pair ??= target === knob ? shown : part(clientY, box.top, box.height, width / 2);
      choose({ position: part(clientX, box.left, box.width, length), pair });
    },
    done: () => {
      pair = null;
    },
  });
  const update = ({ position, pair: chosen }) => {
    shown = chosen;
    column.style.left = `${(100 * position) / length}%`;
    column.style.width = `${100 / length}%`;
    line.style.top = `${(200 * chosen) / width}%`;
    line.style.height = `${200 / width}%`;
  };
  return { node, map, update };
};
