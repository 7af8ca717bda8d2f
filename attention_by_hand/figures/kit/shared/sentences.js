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

const SMALL = 14; // pixels
const SIGNS = ["<pad>", "<bos>", "<unk>"]; // no words: what is written before any are known
export const END = "<eos>";

const FALL = [{ transform: "translateY(-14px)", opacity: 0.2 }, {}];
const FALLING = { duration: 350, easing: "cubic-bezier(0.3, 0, 0.3, 1.3)" };

/** The places of the words that are right. */
const rightIn = (words, right) =>
  [...right.keys()].filter((n) => words?.[n] === right[n] && right[n] !== END);

/** Lets the words of a line that are right only now drop into their places. */
const drop = (line, now, before) => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  line.querySelectorAll("bdi:not(.wrong)").forEach((word, n) => {
    if (!before.includes(now[n])) word.animate(FALL, FALLING);
  });
};

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
    return { above, below, node, right: null };
  });
  const node = h("ul", { className: "sentences" }, ...lines.map((line) => line.node));
  const show = (written) => {
    lines.forEach((line, i) => {
      const { above, below } = line;
      const words = written?.[i];
      const parts = words ? partsOf(words, targets[i]) : ["…"];
      if (words?.join() === targets[i].join()) {
        parts.push(h("span", { className: "right", title: "right" }, "✓"));
      }
      below.replaceChildren(...parts.flatMap((part) => [" ", part]));
      for (const one of [above, below]) fit(one, size, SMALL);
      const now = rightIn(words, targets[i]);
      if (line.right) drop(below, now, line.right);
      line.right = words ? now : null;
    });
  };
  return { node, show };
};
