// One number of the strip, followed through all rows by a pointer that hovers over them.

import { h } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";

export const columnOf = (data, { node: stack, rows }) => {
  const line = h("div", { className: "column ui", hidden: true });
  const hint = "Drag the ball, or click a strip. Blue is above zero, orange below.";
  const readout = h("p", { className: "note readout ui" }, hint);
  const leave = () => {
    line.hidden = true;
    readout.textContent = hint;
  };
  stack.addEventListener("pointermove", (event) => {
    const own = rows.find(({ node }) => node.contains(event.target));
    if (event.pointerType === "touch" || own === undefined || own.stop.role === "out")
      return leave();
    const { left, width } = own.picture.getBoundingClientRect();
    const column = Math.floor(((event.clientX - left) / width) * data.size);
    if (column < 0 || column >= data.size) return leave();
    const value = data.vector(own.stop.reads.at(-1)[1], data.wordOf(own.stop.side))[column];
    const { offsetLeft, offsetWidth } = own.picture;
    line.style.left = `${offsetLeft + (column / data.size) * offsetWidth}px`;
    line.style.width = `${offsetWidth / data.size}px`;
    line.style.top = `${stack.offsetTop}px`;
    line.style.height = `${stack.offsetHeight}px`;
    line.hidden = false;
    readout.textContent = `Number ${column} after ${own.stop.label}${own.stop.name}: ${signed(value, 2)}`;
  });
  stack.addEventListener("pointerleave", leave);
  return { line, readout };
};
