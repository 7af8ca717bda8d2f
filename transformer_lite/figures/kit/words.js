// Words in what a reader types: where they are, which known ones are near, and how two sentences differ.

const LETTER = "\\p{Alphabetic}\\p{M}\\p{N}\\p{Pc}\\p{Join_Control}";
export const WORD = new RegExp(
  `[${LETTER}]+(?:['’-][${LETTER}]+)*|[^${LETTER}\\s][\\p{M}\\u200c\\u200d]*`,
  "gu",
);

/** Words and marks of a text, as `split_words` in vocabulary.py finds them. */
export const split = (text) => text.normalize("NFC").match(WORD) ?? [];

/** How many letters must be put in, left out or exchanged to make one word the other. */
const distance = (a, b) => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1])));
    }
    row = next;
  }
  return row[b.length];
};

/** Letters without their case and dots: who types mude may mean müde. */
const bare = (word) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().slice(0, 40);

/** The three known words that are nearest to one that is not known; those that it begins come first. */
export const nearest = (word, known) => {
  const typed = bare(word);
  const far = (other) => (bare(other).startsWith(typed) ? 0.1 : 1) * distance(typed, bare(other));
  return known
    .map((other) => [other, far(other)])
    .sort((a, b) => a[1] - b[1])
    .slice(0, 3)
    .map(([other]) => other);
};

/** Which words of `a` do not stand in `b`, in the same order: all but a longest common subsequence. */
export const differing = (a, b) => {
  const best = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i][j] =
        a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  const differs = [];
  for (let i = 0, j = 0; i < a.length; i++) {
    while (j < b.length && a[i] !== b[j] && best[i][j + 1] > best[i + 1][j]) j++;
    differs.push(j >= b.length || a[i] !== b[j]);
    if (!differs[i]) j++;
  }
  return differs;
};
