// Sentences, over what a model writes of each: large, because they are what changes.

import { h, token } from "../parts/dom.js";

/**
 * Makes the letters of a line smaller where it would be wider than its box: from `most` pixels down
 * to `least`.
 */
const fit = (line, most, least) => {
  line.style.fontSize = `${most}px`;
  const wide = line.scrollWidth;
  const room = line.clientWidth;
  if (wide <= room) return;
  line.style.fontSize = `${Math.max(least, Math.floor((most * room) / wide))}px`;
};

const SMALL = 13; // pixels
const SIGNS = ["<pad>", "<bos>", "<unk>"]; // no words: what is written before any are known
export const END = "<eos>";

/**
 * What is written, word by word: wrong ones are marked, and so is an end that comes too early. Of
 * more words than there should be, some and "…" are enough.
 */
const partsOf = (written, right) => {
  const mark = (text, title = "") => h("bdi", { className: "wrong", dir: "auto", title }, text);
  const long = written.length > right.length;
  const parts = written.slice(0, long ? right.length - 1 : right.length).flatMap((word, i) => {
    if (word === right[i]) return word === END ? [] : [h("bdi", { dir: "auto" }, word)];
    if (word === END) return [mark("‹end›")];
    return [SIGNS.includes(word) ? mark("?", word) : mark(word)];
  });
  return long ? [...parts, mark("…")] : parts;
};

/** What is written as one text. */
export const textOf = (written) =>
  `${written.filter((word) => word !== END).join(" ")}${written.includes(END) ? "" : "…"}`.trim();

/**
 * `sources` and `targets` are words, a list for each sentence, and each target ends with `END`.
 * Returns {node, show(written)}, where what is written is words too, or nothing yet. The letters
 * have `size` pixels where there is room.
 */
export const sentencesOf = (sources, targets, size) => {
  const lines = sources.map((words, i) => {
    const read = words.flatMap((word) => [" ", token(word)]);
    const above = h("p", { className: "reads" }, ...read);
    const below = h("p", { className: "writes" });
    const parts = [h("span", {}, "it reads"), above, h("span", {}, "it writes"), below];
    const node = h("li", {}, ...parts);
    node.style.setProperty("--line", i);
    return { above, below, node };
  });
  const node = h("ul", { className: "sentences" }, ...lines.map((line) => line.node));
  const show = (written) => {
    lines.forEach(({ above, below }, i) => {
      const words = written?.[i];
      const parts = words ? partsOf(words, targets[i]) : ["…"];
      if (words?.join() === targets[i].join()) {
        parts.push(h("span", { className: "right", title: "right" }, "✓"));
      }
      below.replaceChildren(...parts.flatMap((part) => [" ", part]));
      for (const line of [above, below]) fit(line, size, SMALL);
    });
  };
  return { node, show };
};
