// Roving tabindex: many things to press, one stop of the tab key.

/** The cell that an arrow key leads to; null for other keys and for browser shortcuts. */
export const arrow = ({ key, altKey, ctrlKey, metaKey }, row, col, rows, cols) => {
  if (altKey || ctrlKey || metaKey) return null;
  const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  if (key === "Home") return [row, 0];
  if (key === "End") return [row, cols - 1];
  if (!move) return null;
  return [
    Math.min(rows - 1, Math.max(0, row + move[0])),
    Math.min(cols - 1, Math.max(0, col + move[1])),
  ];
};

/**
 * Makes one tab stop of a grid of elements, rows of columns: arrow keys lead from each to its
 * neighbours, and `moved` is called there. Returns `stop(row, column)`, which makes another one the
 * tab stop.
 *
 * @param {HTMLElement[][]} grid
 * @param {(row: number, column: number) => void} moved
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
    const nextRow = next[0];
    const nextCol = Math.min(next[1], grid[nextRow].length - 1); // rows may differ in length
    if (nextRow === row && nextCol === col) return;
    stop(nextRow, nextCol);
    grid[nextRow][nextCol].focus();
    moved(nextRow, nextCol);
  };
  grid.forEach((line, i) =>
    line.forEach((element, j) => element.addEventListener("keydown", (e) => follow(e, i, j))),
  );
  stop(0, 0);
  return stop;
};

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/**
 * Makes one tab stop of elements in `node` that come and go: `items()` are the present ones, in
 * their order. Call what is returned when they are others.
 */
export const roveAmong = (node, items) => {
  const stopAt = (chosen) => {
    for (const item of items()) item.tabIndex = item === chosen ? 0 : -1;
  };
  node.addEventListener("focusin", ({ target }) => {
    if (items().includes(target)) stopAt(target);
  });
  node.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const all = items();
    const at = all.indexOf(event.target);
    const ends = { Home: 0, End: all.length - 1 };
    const to = all[ends[event.key] ?? at + STEPS[event.key]];
    if (at < 0 || !to) return;
    event.preventDefault();
    to.focus();
  });
  const renew = () => stopAt(items().find((item) => item.tabIndex === 0) ?? items()[0]);
  renew();
  return renew;
};
