// How a text is cut into tokens, and put together again: into words, or into pieces of words as the
// package's BytePairVocabulary makes them.

import { composed, sentenceOf, split } from "../kit/shared/words.js";

const SPACE = "▁"; // before a word
const SEPARATORS = "\\u001c-\\u001f\\u0085"; // are spaces for Python's split(), and not for \s
const GAP = new RegExp(`[\\s${SEPARATORS}]+`, "g");
const SIGN = /([\p{P}$+<=>^`|~])/u; // stands alone
const AT_ONCE = 24; // letters that are taken as one word

/** Joins neighbours, the pair of the lowest rank first, until no two are a pair. */
const joined = (letters, rankOf) => {
  const parts = [...letters];
  for (;;) {
    const ranks = parts.slice(1).map((part, i) => rankOf(parts[i], part));
    const least = Math.min(...ranks);
    if (least === Infinity) return parts;
    const at = ranks.indexOf(least);
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
};

/** Letters, so many at a time. */
const portions = (word) => {
  const letters = [...word];
  const count = Math.ceil(letters.length / AT_ONCE);
  return Array.from({ length: count }, (_, i) => letters.slice(AT_ONCE * i, AT_ONCE * (i + 1)));
};

const wordsOf = { cut: split, join: (tokens) => tokens.join(" "), told: sentenceOf };

const piecesOf = (words, merges, begin) => {
  const ranks = new Map(merges.map(([a, b], rank) => [`${words[a]} ${words[b]}`, rank]));
  const rankOf = (a, b) => ranks.get(`${a} ${b}`) ?? Infinity;
  const join = (tokens) =>
    tokens
      .map((one) => (one === begin ? ` ${begin} ` : one))
      .join("")
      .replaceAll(SPACE, " ")
      .trim();
  return {
    cut(text) {
      const spaced = composed(text).replace(GAP, " ").trim().replaceAll(" ", SPACE);
      if (!spaced) return [];
      return `${spaced.startsWith(SPACE) ? "" : SPACE}${spaced}`
        .split(/(?=▁)/)
        .flatMap((word) => word.split(SIGN))
        .flatMap(portions)
        .flatMap((letters) => joined(letters, rankOf));
    },
    join,
    told: join,
  };
};

/** cut(text) makes tokens, join(tokens) the text that is cut into them, told(tokens) a sentence. */
export const cuttingOf = (model, begin) =>
  model.get("pieces") ? piecesOf(model.get("words"), model.get("merges"), begin) : wordsOf;
