// Pointer, finger and keys on the words.

const MOVES = {
  ArrowLeft: { along: -1, flat: true },
  ArrowRight: { along: 1, flat: true },
  ArrowUp: { along: -1, flat: false },
  ArrowDown: { along: 1, flat: false },
};

const wordAt = (event) => event.target.closest?.(".word") ?? null;

/** The word of the other line that this one is joined to by its thickest thread. */
const partner = (view, { side, index }) => {
  const other = side === "source" ? "target" : "source";
  const weight = (n) => (side === "source" ? view.percent(n, index) : view.percent(index, n));
  const best = view[other].reduce((best, _, n) => (weight(n) > weight(best) ? n : best), 0);
  return { side: other, index: best };
};

/**
 * Where a key leads from a word: along its line, or across to the other along the thickest thread;
 * or null.
 */
const led = (event, word, words, view, beside) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const { side, index } = word;
  const last = words[side].length - 1;
  if (event.key === "Home") return { side, index: 0 };
  if (event.key === "End") return { side, index: last };
  const move = MOVES[event.key];
  if (!move) return null;
  if (move.flat === beside) return partner(view, word);
  return { side, index: Math.min(last, Math.max(0, index + move.along)) };
};

/**
 * `words` are the buttons of both lines. One of each line is in the order of the tabs: the one that
 * was last reached.
 */
export const listen = (node, words, { view, point, choose }) => {
  node.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") point(wordAt(event));
  });
  node.addEventListener("pointerleave", () => point(null));
  node.addEventListener("click", (event) => {
    const word = wordAt(event);
    if (event.pointerType !== "mouse") point(null); // what a finger leaves lit is what it has chosen
    choose(word, event);
  });
  node.addEventListener("focusin", (event) => {
    const reached = wordAt(event);
    if (!reached) return;
    for (const word of words[reached.side]) word.tabIndex = word === reached ? 0 : -1;
    if (reached.matches(":focus-visible")) point(reached);
  });
  node.addEventListener("focusout", () => point(null));
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      point(null);
      choose(null);
      return;
    }
    const word = wordAt(event);
    const to = word && led(event, word, words, view, node.classList.contains("beside"));
    if (!to || !words[to.side][to.index]) return;
    event.preventDefault();
    words[to.side][to.index].focus();
  });
};
