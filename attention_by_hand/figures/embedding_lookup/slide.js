// The way of a row: out of the table, sideways first, and to its word.

const SLIDE = 700; // milliseconds
const OUT = 36; // pixels: so far it is pulled out
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Lets `row` come from the cell in which its first number stands to where it is now. */
export const slide = (cell, row) => {
  if (still.matches) return;
  const [from, to] = [cell, row].map((node) => node.getBoundingClientRect());
  const [x, y] = [from.left - to.left, from.top - to.top];
  const at = (left, top) => ({ transform: `translate(${left}px, ${top}px)` });
  const keys = [at(x, y), { ...at(x + OUT, y), offset: 0.35 }, at(0, 0)];
  row.animate(keys, { duration: SLIDE, easing: "ease-in-out" });
};
