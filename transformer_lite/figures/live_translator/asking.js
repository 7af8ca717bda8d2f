// Asking the translator: for what is typed, whole and with what the reader has changed. Older answers come too late.

import { put } from "../kit/frame.js";
import { looked } from "./shown.js";

const UNKNOWN = 3;
const PAUSE = 300; // ms without a key: the reader has finished, or wants to see
const PACE = 110; // ms a word, while the reader watches
const BUSY = ["typing", "working", "writing"];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The ids of words; −1 for one that is not known. */
export const idsOf = (words, { ids }) =>
  words.map((word) => ids.get(looked(word, (spelt) => ids.has(spelt))) ?? -1);

/**
 * `typed()` are the words to translate. `state(name, message)` is told what becomes of it, `write(n)` that the first n
 * words are to be seen, `answered()` that there is a new translation in `shown`.
 */
export const askingOf = (model, shown, translator, { typed, state, write, answered, still }) => {
  const at = (trait) => model.get(trait);
  let latest = 0;
  let work = Promise.resolve();
  let timer = null;
  let hold = 0; // ms that the next answer waits
  let kept = true; // whether the word that is picked out belongs to the sentence that is asked for
  let whole = { text: null };

  const different = () => at("off").length > 0 || at("beam") > 1 || at("temperature") > 0;
  const become = (name, message) => state(name, BUSY.includes(name), message);

  /** What the translator makes of these ids: whole, and changed. */
  const answersTo = async (ids) => {
    const text = ids.join(" ");
    if (whole.text !== text) whole = { text, ...(await translator.translate(ids, { off: [] })) };
    if (!different()) return [whole, whole];
    const { off, beam, temperature, seed } = Object.fromEntries(
      ["off", "beam", "temperature", "seed"].map((trait) => [trait, at(trait)]),
    );
    return [whole, await translator.translate(ids, { off, beam, temperature, seed })];
  };
  /** The new translation, and the word to begin with: the same one of the same sentence. */
  const take = (words, intact, answer) => {
    const text = words.join(" ");
    const other = text !== at("translated");
    Object.assign(shown, { source: words, target: answer.words, intact: intact.words, answer });
    const last = Math.max(0, answer.words.length - 1);
    const begin = other && !kept;
    const step = begin ? shown.longestLook() : Math.min(at("step"), last);
    if (begin) put(model, { source_word: -1 });
    kept = false;
    put(model, { source: text, translated: text, written: answer.words, last_step: last, step });
    answered();
    return other;
  };
  const watch = async (now) => {
    become("writing");
    for (let n = 1; n < shown.target.length && now === latest; n++) {
      write(n);
      await pause(PACE);
    }
  };
  const run = async (now) => {
    await pause(hold);
    if (now !== latest) return;
    hold = 0;
    const words = typed();
    try {
      const known = await translator.loaded;
      shown.vocabulary = known.target;
      const ids = idsOf(words, known);
      const most = known.config.max_length;
      const strange = !at("knows_unknown") && ids.includes(-1);
      if (!words.length || words.length > most || strange) return become("refused");
      const answers = await answersTo(ids.map((id) => (id < 0 ? UNKNOWN : id)));
      if (now !== latest) return;
      const other = take(words, ...answers);
      if (other && !still()) await watch(now);
    } catch (error) {
      if (now === latest) become("failed", error.message);
      return;
    }
    if (now !== latest) return;
    write(Infinity);
    become("done");
  };
  const stop = () => {
    clearTimeout(timer);
    return ++latest;
  };
  const ask = () => {
    const now = stop();
    become(translator.ready ? "working" : "waiting");
    work = run(now);
  };
  return {
    ask,
    different,
    /** Asks for a sentence that came with the word to be picked out. */
    askKept() {
      kept = true;
      ask();
    },
    /** Asks when the keys have rested. */
    askSoon() {
      stop();
      become("typing");
      timer = setTimeout(ask, PAUSE);
    },
    /** Sets traits; a promise that what they say is in sight, `wait` ms after they are set. */
    async set(traits, wait = 0) {
      hold = wait;
      put(model, traits);
      ask();
      let last = null;
      while (last !== work) {
        last = work;
        await last;
      }
    },
  };
};
