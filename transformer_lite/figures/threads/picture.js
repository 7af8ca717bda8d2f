// The words as buttons in two lines, and the threads between them. The lines lie one over the other where there is room,
// and stand side by side where there is not.

import { h, svgNode } from "../kit/dom.js";
import { listen } from "./hand.js";
import { WORTH_SAYING } from "./saying.js";

const LEAST = 4; // per cent: thinner threads are not drawn
const NARROW = 560; // pixels
const LARGEST = 26; // pixels, of letters in a line
const SMALLEST = 15;
const GAP = 5; // pixels between a word and its threads
const SIDES = ["source", "target"];

const wordOf = (side, index, text, meaning) => {
  const label = h("bdi", { className: "token", dir: "auto" }, text);
  const lang = side === "source" ? "de" : "en";
  const button = h("button", { type: "button", className: "word", lang }, label);
  if (side === "source" && meaning) {
    button.append(h("span", { className: "meant", lang: "en" }, meaning));
  }
  button.dataset.text = text; // as wide as it is in bold: see the style
  button.tabIndex = index ? -1 : 0;
  return Object.assign(button, { side, index });
};

/** New buttons for the words of the present sentence. */
const fill = ({ lines, words }, shown) => {
  for (const side of SIDES) {
    words[side] = shown[side].map((text, index) => wordOf(side, index, text, shown.meaning(text)));
    lines[side].replaceChildren(...words[side]);
  }
};

/** New threads for the present weights: {i, j, percent, path}, from written word i to word j that was read. */
const spin = ({ svg }, { source, target, percent }) => {
  const pairs = target.flatMap((_, i) => source.map((_, j) => ({ i, j, percent: percent(i, j) })));
  const threads = pairs
    .filter(({ percent }) => percent >= LEAST)
    .map((pair) => {
      const look = { pathLength: 1, style: `--weight-of: ${pair.percent / 100}` };
      return { ...pair, path: svgNode("path", look) };
    });
  svg.replaceChildren(...threads.map(({ path }) => path));
  return threads;
};

/** How wide the longer line is, where they lie one over the other. */
const widest = (words) => {
  const widths = SIDES.map((side) => {
    const last = words[side].at(-1);
    return last.offsetLeft + last.offsetWidth - words[side][0].offsetLeft;
  });
  return Math.max(...widths);
};

const curve = (source, target, beside) => {
  const middle = (from, to) => (from + to) / 2;
  if (beside) {
    const [x, y] = [target.offsetLeft - GAP, target.offsetTop + target.offsetHeight / 2];
    const [toX, toY] = [
      source.offsetLeft + source.offsetWidth + GAP,
      source.offsetTop + source.offsetHeight / 2,
    ];
    return `M${x} ${y}C${middle(x, toX)} ${y} ${middle(x, toX)} ${toY} ${toX} ${toY}`;
  }
  const [x, y] = [target.offsetLeft + target.offsetWidth / 2, target.offsetTop - GAP];
  const [toX, toY] = [
    source.offsetLeft + source.offsetWidth / 2,
    source.offsetTop + source.offsetHeight + GAP,
  ];
  return `M${x} ${y}C${x} ${middle(y, toY)} ${toX} ${middle(y, toY)} ${toX} ${toY}`;
};

/** One line over the other or beside it, as large as fits, and the threads where their words are. */
const place = ({ node, words, threads }) => {
  const width = node.clientWidth;
  if (!width || !words.source.length || !words.target.length) return;
  node.classList.remove("beside");
  node.style.setProperty("--size", `${LARGEST}px`);
  const size = Math.min(LARGEST, (LARGEST * width) / widest(words));
  const beside = width < NARROW || size < SMALLEST;
  node.classList.toggle("beside", beside);
  node.style.setProperty("--size", `${size.toFixed(1)}px`);
  for (const { i, j, path } of threads) {
    path.setAttribute("d", curve(words.source[j], words.target[i], beside));
  }
};

/** Picks out a word, {side, index}, or none, where so many words are written. */
const light = ({ node, words, threads }, lit, written) => {
  node.classList.toggle("picked", lit !== null);
  const thick = { source: new Set(), target: new Set() }; // the words at its thick threads
  for (const { i, j, percent, path } of threads) {
    const mine = lit !== null && (lit.side === "target" ? i : j) === lit.index;
    path.setAttribute("class", `${mine ? "lit" : ""} ${i < written ? "" : "unwritten"}`);
    if (!mine || percent < WORTH_SAYING) continue;
    thick.source.add(j);
    thick.target.add(i);
  }
  for (const side of SIDES) {
    words[side].forEach((word, index) => {
      const mine = lit?.side === side && lit.index === index;
      word.setAttribute("aria-pressed", mine);
      word.classList.toggle("lit", mine || thick[side].has(index));
      word.classList.toggle("unwritten", side === "target" && index >= written);
    });
  }
};

const lineOf = (side, name) =>
  h("div", { className: `line ${side}`, role: "toolbar", "aria-label": name });

export const pictureOf = (base, shown, { point, choose }) => {
  const svg = svgNode("svg", { "aria-hidden": "true" });
  const lines = {
    source: lineOf("source", "the words that were read"),
    target: lineOf("target", "the words that were written"),
  };
  const node = h("div", { className: "picture" }, lines.source, svg, lines.target);
  const most = Math.max(...[...shown.sources, ...shown.targets].map((line) => line.length));
  node.style.setProperty("--rows", most); // the height that any sentence takes side by side
  const parts = { node, svg, lines, words: { source: [], target: [] }, threads: [] };

  const watch = new ResizeObserver(() => place(parts));
  watch.observe(node);
  base.ended.addEventListener("abort", () => watch.disconnect());
  listen(node, parts.words, { shown, point, choose });

  let drawn = null; // the sentence whose words stand there
  return {
    node,
    draw() {
      if (drawn !== shown.sentence) fill(parts, shown);
      drawn = shown.sentence;
      parts.threads = spin(parts, shown);
      place(parts);
    },
    light: (lit, written) => light(parts, lit, written),
  };
};
