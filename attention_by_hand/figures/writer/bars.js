// The likeliest words, a bar each. A line between them is top-k; a press on a word writes it.

import { drag } from "../kit/parts/drag.js";
import { h, token } from "../kit/parts/dom.js";
import { roveAmong } from "../kit/parts/rove.js";

const SEEN = 0.004; // of the axis: what is shorter has no thin line

const percent = (share) => {
  if (share > 0 && share < 0.001) return "<0.1\u00a0%";
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`;
};

/** What is said of the words without a bar: their share, and how many of them may be drawn. */
const restOf = (share, may, all) => {
  if (!may) return "none may be drawn";
  return may < all ? `${percent(share)}, ${may} may be drawn` : percent(share);
};

/** The end of the axis: as much as the longest bar needs. */
const endOf = (most) => [0.25, 0.5, 1].find((end) => most <= end) ?? 1;

const rowOf = () => {
  const bar = h("i");
  const tick = h("u", { hidden: true });
  const [name, number] = [h("span", { className: "name" }), h("span", { className: "number" })];
  const node = h(
    "button",
    { type: "button", className: "row paper" },
    name,
    h("span", { className: "track" }, bar, tick),
    number,
  );
  return { node, bar, tick, name, number };
};

/**
 * `choose(id)` is called when a word is pressed, `moved(k)` while the line is dragged; below all
 * bars k is the number of words.
 */
export const barsOf = (words, count, { choose, moved }) => {
  const rows = Array.from({ length: Math.min(count, words.length) }, rowOf);
  const others = h("p", { className: "others" });
  const tag = h("b");
  const line = h("div", { className: "line across", "aria-hidden": true }, h("i"), tag);
  const list = h("div", { className: "rows" }, ...rows.map(({ node }) => node), line);
  const node = h("div", { className: "bars" }, list, others);
  roveAmong(list, () => rows.map((row) => row.node));
  drag(line, {
    axis: "y",
    move(event) {
      const { top, height } = list.getBoundingClientRect();
      const k = Math.round(((event.clientY - top) / height) * rows.length);
      moved(k > rows.length ? words.length : Math.max(1, k));
    },
  });
  let shown = [];
  rows.forEach((row, rank) => row.node.addEventListener("click", () => choose(shown[rank].id)));

  /** whole: what each word would have with nothing cut out, or null. */
  const showRow = (row, { id, before, drawn }, end, whole) => {
    const share = drawn || before;
    row.name.replaceChildren(token(words[id]));
    row.bar.style.width = `${(100 * share) / end}%`;
    row.number.textContent = drawn ? percent(drawn) : "–";
    row.node.classList.toggle("pale", !drawn);
    row.node.title = `write ${words[id]}`;
    row.tick.hidden = !(whole?.[id] > SEEN * end);
    if (whole) row.tick.style.left = `${Math.min(100, (100 * whole[id]) / end)}%`;
  };

  return {
    node,
    /** Where a word stands among the bars. */
    placeOf(id) {
      return rows[shown.findIndex((word) => word.id === id)]?.name ?? others;
    },
    show(choice, topK, { whole, hit, over }) {
      shown = choice.words.slice(0, rows.length);
      const most = Math.max(...shown.map(({ id, drawn }) => Math.max(drawn, whole?.[id] ?? 0)));
      rows.forEach((row, rank) => {
        showRow(row, shown[rank], endOf(most), whole);
        row.node.classList.toggle("hit", shown[rank].id === hit);
      });
      others.classList.toggle("hit", hit !== undefined && !shown.some(({ id }) => id === hit));
      const hidden = choice.words.length - rows.length;
      const share = choice.words.slice(rows.length).reduce((sum, { drawn }) => sum + drawn, 0);
      const may = Math.max(0, choice.left - rows.length);
      others.textContent = `${hidden} others: ${restOf(share, may, hidden)}`;
      for (const { node } of rows) node.setAttribute("aria-disabled", over);
      const at = Math.min(topK, rows.length) / rows.length;
      line.style.top = `${100 * at}%`;
      tag.textContent = topK < words.length ? `↕ top-k ${topK}` : "↕ top-k: all";
    },
  };
};
