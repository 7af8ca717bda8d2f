// What is said of an answer: the rules of `attention_by_hand/exercises/sheet.py`, once more.

const alike = (values, pattern, tolerance) =>
  values.every((value, i) => pattern[i] === null || Math.abs(value - pattern[i]) <= tolerance);

const PER_CENT = "that is per cent: divide it by 100, or write the sign %.";

/** The hint for these numbers, or null if all are right. */
export const hintFor = (values, { right, mistakes, otherwise, within, nearly, options }) => {
  if (alike(values, right, within)) return null;
  const isKnown = (value, wrong, i) => {
    const far = 5 * within;
    const nearest = wrong === right[i] ? far : Math.min(far, Math.abs(wrong - right[i]) / 2);
    return wrong === null || Math.abs(value - wrong) <= nearest;
  };
  const known = mistakes.find(([pattern]) =>
    pattern.every((wrong, i) => isKnown(values[i], wrong, i)),
  );
  if (known) return known[1];
  if (nearly && alike(values, right, nearly[0])) return nearly[1];
  const isPerCent = (value, i) => {
    const asShare = Math.abs(value / 100 - right[i]);
    const isShare = Math.abs(right[i]) <= 1 && asShare <= Math.max(within, 0.005);
    return isShare || Math.abs(value - right[i]) <= within;
  };
  if (!options.length && values.every(isPerCent)) return PER_CENT;
  return otherwise[values.findIndex((value, i) => !(Math.abs(value - right[i]) <= within))];
};
