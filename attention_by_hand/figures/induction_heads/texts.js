// Texts in which a stretch comes twice, drawn as `draw_texts` in exhibits/induction.py draws them:
// the same from the same seed.

/** @typedef {{ ids: number[], first: number, second: number, stretch: number }} Drawn */

/**
 * So many texts: their ids, where the stretch stands first and second, and how long it is.
 *
 * @returns {Drawn[]}
 */
export const drawTexts = (count, random, { letters, length, shortest, longest }) =>
  Array.from({ length: count }, () => {
    const draws = Array.from({ length: length + 3 }, () => random.uniform());
    const lot = (i, choices) => Math.floor(draws[i] * choices);
    const ids = draws.slice(0, length).map((_, i) => 1 + lot(i, letters.length));
    const stretch = shortest + lot(length, longest - shortest + 1);
    const between = lot(length + 1, length - 2 * stretch + 1);
    const first = lot(length + 2, length - 2 * stretch - between + 1);
    const second = first + stretch + between;
    for (let i = 0; i < stretch; i++) ids[second + i] = ids[first + i];
    return { ids, first, second, stretch };
  });

/** What the engine learns from: all letters but the last, and what is asked after each of them,
 * which is the second stretch from its second letter on; elsewhere nothing, as in padding. */
export const batchOf = (texts, pad) => ({
  texts: texts.map(({ ids }) => ids.slice(0, -1)),
  answers: texts.map(({ ids, second, stretch }) =>
    ids.slice(1).map((id, i) => (i >= second && i < second + stretch - 1 ? id : pad)),
  ),
});
