// Many things to press, one stop of the tab key.

import { arrow } from "./frame.js";

/**
 * Makes one tab stop of a grid of elements, rows of columns: arrow keys lead from each to its neighbours, and
 * `moved(row, column)` is called there. Returns `stop(row, column)`, which makes another one the tab stop.
 */
export const rove = (grid, moved = () => {}) => {
  const stop = (row, col) => {
    grid.forEach((line, i) =>
      line.forEach((element, j) => {
        element.tabIndex = i === row && j === col ? 0 : -1;
      }),
    );
  };
  const follow = (event, row, col) => {
    const next = arrow(event, row, col, grid.length, grid[row].length);
    if (!next) return;
    event.preventDefault();
    if (next[0] === row && next[1] === col) return;
    stop(...next);
    grid[next[0]][next[1]].focus();
    moved(...next);
  };
  grid.forEach((line, i) =>
    line.forEach((element, j) => element.addEventListener("keydown", (e) => follow(e, i, j))),
  );
  stop(0, 0);
  return stop;
};
