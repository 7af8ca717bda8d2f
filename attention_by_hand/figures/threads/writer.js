// It writes itself once, word by word, and then rests. Who wants no motion sees it at rest.

const PACE = 620; // ms a word
const LAST = 1100; // ms before it rests on the whole

/** `word` is the one that is being written, {side, index}, and `written` how many stand there. */
export const writerOf = (ended, { length, update }) => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = null;
  let written = Infinity;

  const show = (words) => {
    written = words;
    timer = setTimeout(
      words < length() ? () => show(words + 1) : stop,
      words < length() ? PACE : LAST,
    );
    update();
  };
  const stop = () => {
    clearTimeout(timer);
    timer = null;
    written = Infinity;
    update();
  };
  ended.addEventListener("abort", () => clearTimeout(timer));

  return {
    start() {
      clearTimeout(timer);
      if (still.matches) stop();
      else show(0);
    },
    stop,
    get busy() {
      return timer !== null;
    },
    get written() {
      return written;
    },
    get word() {
      return timer !== null && written > 0 ? { side: "target", index: written - 1 } : null;
    },
  };
};
