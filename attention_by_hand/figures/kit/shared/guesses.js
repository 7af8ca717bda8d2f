// What the reader has predicted: kept in this browser, under one key a question, or nowhere if it
// keeps nothing.

const PREFIX = "attention-by-hand/prediction/";
export const CHANGED = "attention-by-hand:prediction";

// What a browser will not keep lasts as long as the page; one list for all figures on it.
globalThis.attentionByHandPredictions ??= new Map();
const unkept = globalThis.attentionByHandPredictions;

const storage = () => {
  try {
    return window.localStorage;
  } catch {
    return null; // a sandboxed frame, or a reader who has switched it off
  }
};

/**
 * The guess kept for a question, or null; also where something else has been written in its place.
 */
export const kept = (number) => {
  try {
    const guess = unkept.get(number) ?? JSON.parse(storage()?.getItem(PREFIX + number) ?? "null");
    const whole =
      Number.isInteger(guess?.place) &&
      [guess.question, guess.guess, guess.right].every((x) => x?.trim);
    return whole ? guess : null;
  } catch {
    return null;
  }
};

/** Keep a guess, and tell the page. */
export const keep = (number, guess) => {
  try {
    storage().setItem(PREFIX + number, JSON.stringify(guess));
  } catch {
    unkept.set(number, guess); // switched off, or full
  }
  document.dispatchEvent(new CustomEvent(CHANGED));
};

/** Erase what is kept for these questions, and tell the page. */
export const erase = (numbers) => {
  for (const number of numbers) {
    unkept.delete(number);
    storage()?.removeItem(PREFIX + number);
  }
  document.dispatchEvent(new CustomEvent(CHANGED));
};

/** The numbers of the questions of a chapter, or of all, that have a guess, in order. */
export const answered = (chapter) => {
  const stored = Object.keys(storage() ?? {}).filter((key) => key.startsWith(PREFIX));
  const numbers = new Set([...unkept.keys(), ...stored.map((key) => key.slice(PREFIX.length))]);
  const begins = chapter && `${chapter}.`;
  const own = [...numbers].filter((number) => number.startsWith(begins) && kept(number));
  return own.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
};
