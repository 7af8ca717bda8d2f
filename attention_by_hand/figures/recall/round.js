// A round of the reader's own: how many letters were written again in their place.

// Blue, orange and white; they are pasted elsewhere, and the book has no letters for them.
const SQUARES = { right: "\u{1f7e6}", wrong: "\u{1f7e7}", blank: "\u2b1c" };

/** What was typed, as a row of so many letters; what is no letter keeps a place free. */
export const lettersOf = (typed, length) =>
  [...typed.toLowerCase()]
    .filter((sign) => /[a-z\s.?_-]/.test(sign))
    .map((sign) => (/[a-z]/.test(sign) ? sign : " "))
    .slice(0, length);

/** Of each letter to remember, whether what stands in its place is right, wrong, or nothing. */
export const marksOf = (read, typed) =>
  [...read].map((letter, i) => {
    if ((typed[i] ?? " ") === " ") return "blank";
    return typed[i] === letter ? "right" : "wrong";
  });

/**
 * The result in words: of so many letters, the reader's, and how many each model keeps on average;
 * null where that is not to be said yet.
 */
export const resultOf = (marks, models, means) => {
  const right = marks.filter((mark) => mark === "right").length;
  const name = (text) => text[0].toUpperCase() + text.slice(1);
  const others = models.map((model, i) => {
    const kept = means[i] === null ? "not before your guess" : (means[i] * marks.length).toFixed(1);
    return ` ${name(model)}: ${kept}.`;
  });
  return `${right} of ${marks.length}.${others.join("")}`;
};

/** The same to be pasted, with a square for each letter. */
export const squaresOf = (marks) => marks.map((mark) => SQUARES[mark]).join("");
