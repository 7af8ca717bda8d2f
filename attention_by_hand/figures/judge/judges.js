// Who can judge a sentence, a row of ids without its marks.

/** @param {DataView} bytes the graph as Python packed it */
const unpacked = (bytes) => {
  const number = (i) => bytes.getUint16(2 * i, true);
  const count = number(0);
  let at = 1 + count;
  return Array.from({ length: count }, (_, state) => {
    const ways = new Map();
    const ends = number(at) === 1;
    for (let i = 1; i < number(1 + state); i += 2) ways.set(number(at + i), number(at + i + 1));
    at += number(1 + state);
    return { ends, ways };
  });
};

/** Whether the grammar has a sentence. */
export const grammarOf = (bytes) => {
  const states = unpacked(bytes);
  return (ids) => {
    let state = states[0];
    for (const id of ids) {
      if (!state.ways.has(id)) return false;
      state = states[state.ways.get(id)];
    }
    return state.ends;
  };
};

/** The judges that need no reader, in the order of their names from the second on. */
export const judgesOf = (isSentence, liked) => [
  (ids) => Number(isSentence(ids)),
  (ids) => ids.length,
  (ids) => Number(ids.includes(liked)),
];

/** How far each judgement lies from their mean, in units of their spread; null is no judgement, and
 * pulls at nothing. */
export const pullsOf = (judgements) => {
  const given = judgements.filter((one) => one !== null);
  const mean = given.reduce((a, b) => a + b, 0) / given.length;
  const squares = given.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const spread = Math.sqrt(squares / Math.max(1, given.length - 1)) + 1e-6;
  return judgements.map((one) => (one === null ? 0 : (one - mean) / spread));
};

/** What is read off many sentences: per cent of the language, different ones, per cent of questions. */
export const measuresOf = (all, isSentence, asks) => {
  const percent = (count) => (100 * count) / all.length;
  return {
    right: percent(all.filter(isSentence).length),
    different: new Set(all.map(String)).size,
    questions: percent(all.filter((ids) => ids.at(-1) === asks).length),
  };
};
