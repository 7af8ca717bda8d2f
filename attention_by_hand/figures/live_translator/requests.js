// Requests to the translator: for what is typed, whole and with what the reader has changed. Older
// answers come too late.

import { getter, put } from "../kit/runtime/model.js";
import { looked } from "./view.js";

/** @import { Model } from "./figure.js" */

const PAUSE = 300; // ms without a key: the reader has finished, or wants to see
const PACE = 110; // ms a word, while the reader watches
const BUSY = ["typing", "working", "writing"];
/** @type {(keyof import("./figure.js").Traits)[]} */
const CHANGES = ["off", "beam", "temperature", "seed"];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The ids of words; −1 for one that is not known. */
export const idsOf = (words, { ids }) =>
  words.map((word) => ids.get(looked(word, (spelt) => ids.has(spelt))) ?? -1);

/**
 * What the translator makes of a sentence: whole, and as the reader has changed it.
 *
 * @param {Model} model
 */
const answeringOf = (model, translator) => {
  const at = getter(model);
  let whole = { text: null };
  const different = () => at("off").length > 0 || at("beam") > 1 || at("temperature") > 0;
  const answersTo = async (ids) => {
    const text = ids.join(" ");
    if (whole.text !== text) whole = { text, ...(await translator.translate(ids, { off: [] })) };
    if (!different()) return [whole, whole];
    const changes = Object.fromEntries(CHANGES.map((trait) => [trait, at(trait)]));
    return [whole, await translator.translate(ids, changes)];
  };
  return { different, answersTo };
};

/**
 * It asks for the words of `sentence`. `state(name, message)` is told what becomes of it,
 * `write(n)` that the first n words are to be seen, `answered()` that there is a new translation in
 * `view`.
 */
export class Requests {
  #latest = 0;
  #work = Promise.resolve();
  #timer = null;
  /** How many ms the next answer waits. */
  #hold = 0;
  /** Whether a translation is on its way. */
  busy = false;
  /** Whether the word that is picked out belongs to the sentence that is asked for. */
  #kept = true;

  /** @param {Model} model */
  constructor(model, view, translator, sentence, { state, write, answered, still }) {
    this.model = model;
    this.view = view;
    this.translator = translator;
    this.sentence = sentence;
    this.state = state;
    this.write = write;
    this.answered = answered;
    this.still = still;
    const { different, answersTo } = answeringOf(model, translator);
    this.different = different;
    this.answersTo = answersTo;
  }

  ask() {
    const now = this.#stop();
    this.#become(this.translator.ready ? "working" : "waiting");
    this.#work = this.#run(now);
  }

  /** Asks for a sentence that came with the word to be picked out. */
  askKept() {
    this.#kept = true;
    this.ask();
  }

  /** Debounced: asks when no key has been pressed for a while. */
  askSoon() {
    this.#stop();
    this.#become("typing");
    this.#timer = setTimeout(() => this.ask(), PAUSE);
  }

  /** Sets traits; a promise that what they say is in sight, `wait` ms after they are set. */
  async set(traits, wait = 0) {
    this.#hold = wait;
    put(this.model, traits);
    this.ask();
    let last = null;
    while (last !== this.#work) {
      last = this.#work;
      await last;
    }
  }

  #stop() {
    clearTimeout(this.#timer);
    return ++this.#latest;
  }

  #become(name, message) {
    this.busy = BUSY.includes(name) || name === "waiting";
    this.state(name, BUSY.includes(name), message);
  }

  async #run(now) {
    await pause(this.#hold);
    if (now !== this.#latest) return;
    this.#hold = 0;
    const words = this.sentence.typed;
    try {
      const ids = await this.#idsToTranslate(words);
      if (!ids) return this.#become("refused");
      const answers = await this.answersTo(ids);
      if (now !== this.#latest) return;
      const other = this.#take(words, ...answers);
      if (other && !this.still()) await this.#watch(now);
    } catch (error) {
      const fault = `${this.translator.fault}: ${error.message}`;
      if (now === this.#latest) this.#become("failed", fault);
      return;
    }
    if (now !== this.#latest) return;
    this.write(Infinity);
    this.#become("done");
  }

  /** The ids of a sentence that can be translated, or null. */
  async #idsToTranslate(words) {
    const known = await this.translator.loaded;
    this.view.vocabulary = known.target;
    const ids = idsOf(words, known);
    const most = known.config.max_length;
    const strange = !this.model.get("knows_unknown") && ids.includes(-1);
    if (!words.length || words.length > most || strange) return null;
    return ids.map((id) => (id < 0 ? known.config.unk_id : id));
  }

  /** The new translation, and the word to begin with: the same one of the same sentence. */
  #take(words, intact, answer) {
    const { model, view } = this;
    const text = words.join(" ");
    const other = text !== model.get("translated");
    Object.assign(view, { source: words, target: answer.words, intact: intact.words });
    Object.assign(view, { answer, whole: intact });
    const last = Math.max(0, answer.words.length - 1);
    const begin = other && !this.#kept;
    const step = begin ? view.longestLook() : Math.min(model.get("step"), last);
    if (begin) put(model, { source_word: -1 });
    this.#kept = false;
    put(model, { source: text, translated: text, written: answer.words, last_step: last, step });
    this.answered();
    return other;
  }

  /** Shows the new words one after another. */
  async #watch(now) {
    this.#become("writing");
    for (let n = 1; n < this.view.target.length && now === this.#latest; n++) {
      this.write(n);
      await pause(PACE);
    }
  }
}
