// Words in what a reader types: where they are, which known ones are near, and how two sentences
// differ; and words as a sentence.

// The same as in vocabulary.py, piece by piece.
const TAGS = "\\u{e0020}-\\u{e007f}";
const KEYCAP = "[0-9#*]\\ufe0f?\\u20e3";
const ON_A_SIGN = `[\\p{M}\\p{EMod}\\u200c\\u200d${TAGS}]*`;
const W = "\\p{Alphabetic}\\p{M}\\p{N}\\p{Pc}\\p{Join_Control}";
const SIGN =
  `${KEYCAP}|\\p{RI}{2}|` +
  `(?:\\p{ExtPict}|[^${W}\\p{White_Space}])${ON_A_SIGN}(?:(?<=\\u200d)\\p{ExtPict}${ON_A_SIGN})*`;
const LETTER = `(?:(?!${KEYCAP}|\\p{ExtPict})[${W}])`;
const WORD = new RegExp(`${LETTER}+(?:['’-]${LETTER}+)*|${SIGN}`, "gu");
const UNSEEN = new RegExp(
  `(?=\\p{Cf})\\p{DI}(?<![\\u200c\\u200d${TAGS}])|[\\u034f\\ufff9-\\ufffb]|` +
    `(?<!\\u{1f3f4}[${TAGS}]*)[${TAGS}]|(?<!\\p{ExtPict})[\\ufe0e\\ufe0f](?!\\u20e3)`,
  "gu",
);

/** A text as it looks, as `compose` in vocabulary.py makes it. */
export const composed = (text) => text.replace(UNSEEN, "").normalize("NFC");

/** Words and signs of a text, as `split_words` in vocabulary.py finds them. */
export const split = (text) => composed(text).match(WORD) ?? [];

/** Words and signs as a sentence is written. */
export const sentenceOf = (words) => words.join(" ").replace(/ (?=[.,?!])/g, "");

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

/**
 * The three known words that are nearest to one that is not known, and of these only those that so
 * many letters would make of it; words that it begins come first.
 */
export const nearest = (word, known, within = Infinity) => {
  const typed = bare(word);
  const far = (other) => (bare(other).startsWith(typed) ? 0.1 : 1) * distance(typed, bare(other));
  return known
    .map((other) => [other, far(other)])
    .filter(([, changes]) => changes <= within)
    .sort((a, b) => a[1] - b[1])
    .slice(0, 3)
    .map(([other]) => other);
};

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

/**
 * Both lists side by side: {word, was}, the same where nothing has changed, one of them "" where
 * there is no other.
 */
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
  let i = 0;
  let j = 0;
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
