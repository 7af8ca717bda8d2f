// What is said of an answer: the rules of `transformer_lite/exercises/sheet.py`, once more.

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

/**
 * The number that a reader wrote, or NaN: a point or a comma before the decimals, thousands apart
 * or with commas, a fraction such as 2/3, either sign of minus.
 */
export const numberIn = (text) => {
  const bare = text
    .trim()
    .replace(/[\s_'’]/g, "")
    .replace("−", "-");
  const whole = /^-?\d{1,3}(,\d{3})+$/.test(bare)
    ? bare.replaceAll(",", "")
    : bare.replace(",", ".");
  const parts = whole.split("/");
  if (parts.length > 2 || parts.some((part) => !/^-?(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(part))) {
    return Number.NaN;
  }
  return parts.map(Number).reduce((above, below) => above / below);
};
