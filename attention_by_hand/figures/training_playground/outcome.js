// What came of a run in words: when it read the first word, and from when on all was right.

const same = (a, b) => a.length === b.length && a.every((id, i) => id === b[i]);

/**
 * Whether a word has been read: two answers that begin alike are each written right up to the word
 * that only the source decides.
 */
const hasRead = (written, answers) =>
  answers.some((one, i) =>
    answers.slice(0, i).some((other, j) => {
      const at = one.findIndex((id, t) => id !== other[t]);
      if (at < 0) return false;
      const isRight = (n) => same(written[n].slice(0, at + 1), answers[n].slice(0, at + 1));
      return isRight(i) && isRight(j);
    }),
  );

const areRight = (written, answers) => answers.every((ids, i) => same(ids, written[i]));

/** Whether there are several answers, and none of them needs what was read. */
const areAlike = (answers) => answers.length > 1 && answers.every((ids) => same(ids, answers[0]));

/** Whether all is right after a step. */
export const isLearnt = (look, answers) => look !== undefined && areRight(look.written, answers);

/** How many words stand in their places after a step, of how many. */
const inPlace = ({ written }, answers) => {
  const words = answers.map((ids) => ids.slice(0, -1)); // the end mark is none
  const right = words.flatMap((ids, i) => ids.filter((id, t) => id === written[i][t]));
  return [right.length, words.flat().length];
};

/** The looks are those after each step; `answers` are ids, each with its end. */
export const told = (looks, answers, step, ended) => {
  const look = looks[step];
  if (!look) return "";
  if (!ended) {
    const [right, all] = inPlace(look, answers);
    const when = step ? `After step ${step}` : "It has learnt nothing yet";
    return `${when}: ${right} of ${all} words are right.`;
  }
  const read = looks.findIndex(({ written }) => hasRead(written, answers));
  const reading =
    read < 0
      ? `In ${step} steps it has read no word. `
      : `It read the first word at step ${read}. `;
  const first = answers.length > 1 && !areAlike(answers) ? reading : "";
  if (!areRight(look.written, answers)) return `${first}Not all is right.`;
  const wrong = looks.slice(0, step + 1).map(({ written }) => !areRight(written, answers));
  const names = ["It is", "Both sentences are"];
  const all = names[answers.length - 1] ?? "All sentences are";
  const from = wrong.lastIndexOf(true) + 1;
  const why = areAlike(answers) ? " Nothing had to be read." : "";
  const since = first && from === read ? "then" : `step ${from}`;
  return `${first}${all} right from ${since} on.${why}`;
};
