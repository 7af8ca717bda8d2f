// A translation beside the intact one: what is new stands out, and what it stands for is struck out below it.

import { h } from "../kit/dom.js";

const MOST = 15; // words that are shown of a translation without end

/** The lengths of the longest common subsequences of the ends of two lists. */
const commonEnds = (a, b) => {
  const best = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i][j] =
        a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  return best;
};

/** Both lists side by side: {word, was}, the same where nothing has changed, one of them "" where there is no other. */
export const aligned = (words, intact) => {
  const best = commonEnds(words, intact);
  const columns = [];
  let fresh = [];
  let gone = [];
  const settle = () => {
    const early = Math.max(0, gone.length - fresh.length); // as verbs do, the last stand for the last
    const length = Math.max(fresh.length, gone.length);
    for (let n = 0; n < length; n++) {
      columns.push({ word: fresh[n - early] ?? "", was: gone[n] ?? "" });
    }
    fresh = [];
    gone = [];
  };
  let [i, j] = [0, 0];
  while (i < words.length || j < intact.length) {
    if (i < words.length && j < intact.length && words[i] === intact[j]) {
      settle();
      columns.push({ word: words[i++], was: intact[j++] });
    } else if (j >= intact.length || (i < words.length && best[i + 1][j] >= best[i][j + 1])) {
      fresh.push(words[i++]);
    } else {
      gone.push(intact[j++]);
    }
  }
  settle();
  return columns;
};

/** Writes a translation into `line`. */
export const write = (line, words, intact) => {
  const columns = aligned(words, intact);
  const shown = columns.slice(0, MOST).map(({ word, was }) => {
    if (word === was) return h("span", { className: "word" }, h("bdi", {}, word));
    return h("span", { className: "word changed" }, h("bdi", {}, word || "–"), h("s", {}, was));
  });
  const rest =
    columns.length > MOST ? [h("span", { className: "word rest" }, `… ${words.length} words`)] : [];
  line.replaceChildren(...shown, ...rest);
};
