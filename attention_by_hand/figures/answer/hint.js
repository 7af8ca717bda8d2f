// What is said of an answer: the rules of `attention_by_hand/exercises/sheet.py`, once more.

const alike = (values, pattern, tolerance) =>
  values.every((value, i) => pattern[i] === null || Math.abs(value - pattern[i]) <= tolerance);

/** The hint for these numbers, or null if all are right. */
export const hintFor = (values, { right, mistakes, otherwise, within, nearly }) => {
  if (alike(values, right, within)) return null;
  const known = mistakes.find(([pattern]) => alike(values, pattern, 5 * within));
  if (known) return known[1];
  if (nearly && alike(values, right, nearly[0])) return nearly[1];
  return otherwise[values.findIndex((value, i) => !(Math.abs(value - right[i]) <= within))];
};
