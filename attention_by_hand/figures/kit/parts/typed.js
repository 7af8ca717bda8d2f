// A number as a reader types it, by the rules of `number_in` in `attention_by_hand/exercises/sheet.py`.

// What may stand between the digits of a number, or be copied with it, and means nothing.
const APART = /[\s\u00ad\u200b-\u200f\u2060\ufeff_'’\u02bc]/g;
const MINUS = /[\u2010-\u2015\u2212\ufe63\uff0d]/g;
const THOUSANDS = /^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$/;
const DECIMAL = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i;

const decimal = (text) => {
  const whole = THOUSANDS.test(text) ? text.replaceAll(",", "") : text.replaceAll(",", ".");
  return DECIMAL.test(whole) ? Number(whole) : Number.NaN;
};

/**
 * The number that a reader wrote, or NaN: a point or a comma before the decimals, thousands apart
 * or with commas, a fraction such as 2/3, any sign of minus.
 */
export const numberIn = (text) => {
  const bare = text
    .replace(APART, "")
    .replace(MINUS, "-")
    .replace(/[\u2044\u2215]/g, "/");
  const parts = bare.replace(/^[()[\]]+|[()[\]]+$/g, "").split("/");
  const [above, below] = [...parts.map(decimal), 1];
  const number = parts.length > 2 ? Number.NaN : above / below;
  return Number.isFinite(number) ? number : Number.NaN;
};

/** What is said of a text in which there is no number. */
export const unread = (text) => {
  const asked = "A number is asked for, such as 0.25 or −1/4";
  const given = text.trim();
  if (!given) return `${asked}.`;
  const short = given.length > 40 ? `${given.slice(0, 40)}…` : given;
  return `${asked}; “${short}” cannot be read as one.`;
};
