// Threads between the words of two lines, as thick as the weights. The lines lie one over the other
// where there is room, and stand side by side where there is not.

import { svgNode } from "../parts/dom.js";
import { WORTH_SAYING } from "./looks.js";

const LEAST = 4; // per cent: thinner threads are not drawn
const SMALLEST = 15; // pixels, of letters in a line
const STEPS = 5; // towards the size that fits
const GAP = 5; // pixels between a word and its threads
const SIDES = ["source", "target"];

/** The word {side, index}; two are the same where both are. */
const same = (a, b) => a.side === b.side && a.index === b.index;

/**
 * New threads in `parts.svg`, {from, to, percent, path}. A thread is lit by the words in `ends`,
 * which are both unless it says otherwise.
 */
export const spin = (parts, pairs) => {
  parts.threads = pairs
    .filter(({ percent }) => percent >= LEAST)
    .map(({ from, to, percent, ends = [from, to] }) => {
      const look = { pathLength: 1, style: `--weight-of: ${percent / 100}` };
      return { from, to, percent, ends, path: svgNode("path", look) };
    });
  parts.svg.replaceChildren(...parts.threads.map(({ path }) => path));
};

/** How wide the longer line is, where they lie one over the other. */
const widest = (node) => {
  const widths = [...node.querySelectorAll(".line")].map(
    ({ firstElementChild: first, lastElementChild: last }) =>
      last ? last.offsetLeft + last.offsetWidth - first.offsetLeft : 0,
  );
  return Math.max(...widths);
};

/**
 * The largest letters with which both lines fit. Not all in them grows with the letters, so it
 * takes some steps.
 */
const sizeOf = (node, largest) => {
  let size = largest;
  for (let step = 0; step < STEPS && size >= SMALLEST; step++) {
    node.style.setProperty("--size", `${size.toFixed(1)}px`);
    const over = widest(node) / node.clientWidth;
    if (over <= 1) break;
    size = Math.floor((10 * size) / over) / 10;
  }
  return size;
};

/** Where the threads of a word end: the middle of its edge towards the other line. */
const endOf = (word, side, beside) => {
  const { offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height } = word;
  const first = side === "source";
  if (beside) return [first ? x + width + GAP : x - GAP, y + height / 2];
  return [x + width / 2, first ? y + height + GAP : y - GAP];
};

/** From one word to another across, or in a bow to one of the same line. */
const curve = (from, to, beside, depth) => {
  const bow = from.side === to.side;
  const [a, b] = [from, to].map(({ word, side }) => endOf(word, side, beside));
  const along = beside ? 0 : 1; // the axis across the gap
  const reach = from.side === "source" ? depth : -depth;
  const turn = (end) => {
    const point = [...end];
    point[along] = bow ? end[along] + reach : (a[along] + b[along]) / 2;
    return point.join(" ");
  };
  return `M${a.join(" ")}C${turn(a)} ${turn(b)} ${b.join(" ")}`;
};

/**
 * One line over the other or beside it, as large as fits, and the threads where their words are.
 * `parts`: `node` holds `svg` and both lines; `words` are their buttons, `threads` what `spin`
 * made, `largest` the size of letters in pixels, `narrow` the width under which they stand side by
 * side.
 */
export const place = ({ node, words, threads, largest, narrow }) => {
  const width = node.clientWidth;
  if (!width || !words.source.length) return;
  node.classList.remove("beside");
  const size = sizeOf(node, largest);
  const beside = width < narrow || size < SMALLEST;
  node.classList.toggle("beside", beside);
  const gap = beside ? width / 4 : node.clientHeight / 3;
  for (const { from, to, path } of threads) {
    const [a, b] = [from, to].map(({ side, index }) => ({ side, word: words[side][index] }));
    if (a.word && b.word) path.setAttribute("d", curve(a, b, beside, gap));
  }
};

/** Picks out a word, {side, index}, or none, where so many words are written. */
export const light = ({ node, words, threads }, lit, written) => {
  node.classList.toggle("picked", lit !== null);
  const thick = { source: new Set(), target: new Set() }; // the words at its thick threads
  for (const { from, to, percent, ends, path } of threads) {
    const picked = lit !== null && ends.some((end) => same(end, lit));
    const there = [from, to].every(({ side, index }) => side === "source" || index < written);
    path.setAttribute("class", `${picked ? "lit" : ""} ${there ? "" : "unwritten"}`);
    if (!picked || percent < WORTH_SAYING) continue;
    for (const { side, index } of [from, to]) thick[side].add(index);
  }
  for (const side of SIDES) {
    words[side].forEach((word, index) => {
      const picked = lit !== null && same({ side, index }, lit);
      if (word.matches("button")) word.setAttribute("aria-pressed", picked);
      word.classList.toggle("lit", picked || thick[side].has(index));
      word.classList.toggle("unwritten", side === "target" && index >= written);
    });
  }
};
