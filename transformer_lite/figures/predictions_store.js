// What the reader has predicted: kept in this browser, under one key a question, or nowhere if it keeps nothing.

const PREFIX = "attention-by-hand/prediction/";
export const CHANGED = "attention-by-hand:prediction";

const storage = () => {
  try {
    return window.localStorage;
  } catch {
    return null; // a sandboxed frame, or a reader who has switched it off
  }
};

/** The guess kept for a question, or null. */
export const kept = (number) => {
  try {
    return JSON.parse(storage()?.getItem(PREFIX + number) ?? "null");
  } catch {
    return null;
  }
};

/** Keep a guess, and tell the page. */
export const keep = (number, guess) => {
  try {
    storage()?.setItem(PREFIX + number, JSON.stringify(guess));
  } catch {
    // full: the guess lasts as long as the page
  }
  document.dispatchEvent(new CustomEvent(CHANGED));
};

/** Erase what is kept for these questions, and tell the page. */
export const erase = (numbers) => {
  for (const number of numbers) storage()?.removeItem(PREFIX + number);
  document.dispatchEvent(new CustomEvent(CHANGED));
};

/** The numbers of the questions of a chapter that have a guess, in order. */
export const answered = (chapter) => {
  const keys = Object.keys(storage() ?? {}).filter((key) => key.startsWith(`${PREFIX}${chapter}.`));
  return keys.map((key) => key.slice(PREFIX.length)).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
};
