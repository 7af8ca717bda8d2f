// A number as a reader types it, by the rules of `number_in` in `attention_by_hand/exercises/sheet.py`.

// What may stand between the digits of a number, or be copied with it, and means nothing.
const APART = /[\s\u00ad\u200b-\u200f\u2060\ufeff_'’\u02bc]/g;
const SIGNS = [
  [/[\u2010-\u2015\u2212\ufe63\uff0d]/g, "-"],
  [/[\u00b7\u00d7\u2219\u22c5]/g, "*"],
  [/[\u2044\u2215\u00f7]/g, "/"],
  [/\[/g, "("],
  [/\]/g, ")"],
  [/\*\*/g, "^"],
];
const TOKEN = /[0-9.,]+(?:e[+-]?[0-9]+)?|[-+*/^()%]/gi;
const COMMAS = /^[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$/; // 18,944,000.5
const POINTS = /^[1-9][0-9]{0,2}(\.[0-9]{3})+(\.[0-9]{3}|,[0-9]+)$/; // 18.944.000 and 1.234,5
const DECIMAL = /^([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i;

const decimal = (text) => {
  const apart = COMMAS.test(text) ? "," : POINTS.test(text) ? "." : "";
  const whole = (apart ? text.replaceAll(apart, "") : text).replaceAll(",", ".");
  return DECIMAL.test(whole) ? Number(whole) : Number.NaN;
};

/** What stands in a text of numbers and signs, worked out; NaN where that cannot be done. */
const workedOut = (text) => {
  const tokens = text.match(TOKEN) ?? [];
  if (tokens.join("") !== text) return Number.NaN;
  let next = 0;
  const take = (signs) => signs.includes(tokens[next]) && tokens[next++];
  const finite = (value) => (Number.isFinite(value) ? value : Number.NaN);
  const part = () => {
    if (!take(["("])) return decimal(tokens[next++] ?? "");
    const value = sum();
    return take([")"]) ? value : Number.NaN;
  };
  const power = () => {
    let value = part();
    while (take(["%"])) value /= 100;
    return take(["^"]) ? finite(value ** signed()) : value;
  };
  const signed = () => {
    const sign = take(["-", "+"]);
    return sign === "-" ? -power() : power();
  };
  const product = () => {
    let value = signed();
    for (let sign = take(["*", "/"]); sign; sign = take(["*", "/"])) {
      value = sign === "*" ? value * signed() : finite(value / signed());
    }
    return value;
  };
  const sum = () => {
    let value = product();
    for (let sign = take(["+", "-"]); sign; sign = take(["+", "-"])) {
      value = sign === "+" ? value + product() : value - product();
    }
    return value;
  };
  const value = sum();
  return next === tokens.length ? finite(value) : Number.NaN;
};

/**
 * The number that a reader wrote, or NaN: a point or a comma before the decimals, thousands apart
 * or with the other of the two, any sign of minus, per cent, and what a pencil leaves to be worked
 * out, such as 2/3, 64*5+10 or 2^-3.
 */
export const numberIn = (text) => {
  let bare = text.replace(APART, "");
  for (const [others, sign] of SIGNS) bare = bare.replace(others, sign);
  const number = workedOut(bare);
  return Number.isNaN(number) ? workedOut(bare.replace(/^[()]+|[()]+$/g, "")) : number;
};

/** What is said of a text in which there is no number. */
export const unread = (text) => {
  const asked = "A number is asked for, such as 0.25 or −1/4";
  const given = text.trim();
  if (!given) return `${asked}.`;
  const short = given.length > 40 ? `${given.slice(0, 40)}…` : given;
  return `${asked}; “${short}” cannot be read as one.`;
};
