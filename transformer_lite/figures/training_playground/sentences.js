// The sentences it reads, over what it writes of each: large, because they are what changes.

import { h, token } from "../kit/dom.js";
import { fit } from "../kit/fit.js";

const [LARGE, SMALL, FEW] = [22, 13, 2]; // pixels; and how many sentences are set large
const SIGNS = ["<pad>", "<bos>", "<unk>"]; // no words: what it writes before it knows any

/**
 * What it has written, word by word: wrong ones are marked, and so is an end that comes too early. Of more words than
 * there should be, the first one and "…" are enough.
 */
const wordsOf = (written, target, words, end) => {
  const wanted = target.length - 2;
  const mark = (text, title = "") => h("bdi", { className: "wrong", dir: "auto", title }, text);
  const parts = written.slice(0, wanted + 1).flatMap((id, i) => {
    if (id === target[i + 1]) return id === end ? [] : [h("bdi", { dir: "auto" }, words[id])];
    if (id === end) return [mark("∎", "the end")];
    return [SIGNS.includes(words[id]) ? mark("?", words[id]) : mark(words[id])];
  });
  return written.length > wanted + 1 ? [...parts, mark("…")] : parts;
};

/** What it has written as one text. */
export const textOf = (written, words, end) => {
  const text = written.map((id) => (id === end ? "" : `${words[id]} `)).join("");
  return `${text}${written.includes(end) ? "" : "…"}`.trim();
};

/** The sentences: {node, show(written)}, where what is written is ids, a list for each sentence. */
export const sentencesOf = ({ sources, targets, sourceWords, targetWords, end }) => {
  const large = sources.length > FEW ? 16 : LARGE;
  const lines = sources.map((ids) => {
    const german = h(
      "p",
      { className: "reads" },
      ...ids.flatMap((id) => [" ", token(sourceWords[id])]),
    );
    const english = h("p", { className: "writes" });
    const pair = [h("span", {}, "it reads"), german, h("span", {}, "it writes"), english];
    return { german, english, node: h("li", {}, ...pair) };
  });
  const node = h("ul", { className: "sentences" }, ...lines.map((line) => line.node));
  const show = (written) => {
    lines.forEach(({ german, english }, i) => {
      const ids = written?.[i];
      const parts = ids ? wordsOf(ids, targets[i], targetWords, end) : ["…"];
      const right = ids?.join() === targets[i].slice(1).join();
      const verdict = right ? [h("span", { className: "right", title: "right" }, "✓")] : [];
      english.replaceChildren(...[...parts, ...verdict].flatMap((part) => [" ", part]));
      for (const line of [german, english]) fit(line, large, SMALL);
    });
  };
  return { node, show };
};
