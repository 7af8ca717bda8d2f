// What the model says of a text: the logits of the next token, where the newest one looked, and
// which were read anew.

import { draw, probabilities } from "../engine/decoding.js";
import { Random } from "../engine/random.js";
import { numbersTable } from "../kit/parts/tables.js";
import { getter } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

/** Padding is no word. */
const padOf = (model) => model.get("frame").constants.pad_id;

/** The n-th number of a seed, from 0 up to 1. */
const chanceOf = (seed, n) => {
  const random = new Random(seed);
  for (let i = 0; i < n; i++) random.uniform();
  return random.uniform();
};

/**
 * Words by what they have before anything is cut, as {id, before, drawn}; `left` of them may be
 * drawn, and `kept` is what these have together.
 *
 * @param {Model} model
 */
export const choiceOf = (model, logits) => {
  const at = getter(model);
  const pad = padOf(model);
  const cold = at("temperature") === 0;
  const temperature = at("temperature") || 0.0001;
  const before = probabilities(logits, { temperature });
  const cuts = { top_k: cold ? 1 : at("top_k"), top_p: at("top_p") };
  const drawn = probabilities(logits, { temperature, ...cuts });
  const order = [...before.keys()].filter((id) => id !== pad).sort((a, b) => before[b] - before[a]);
  const words = order.map((id) => ({ id, before: before[id], drawn: drawn[id] }));
  const left = words.filter((word) => word.drawn > 0);
  return { words, left: left.length, kept: left.reduce((sum, word) => sum + word.before, 0) };
};

/**
 * A word by lot: {id, at}, where `at` is the place in the strip that the lot fell on.
 *
 * @param {Model} model
 */
export const lotOf = (model, { words, kept }) => {
  const chance = chanceOf(model.get("seed"), model.get("written").length);
  // In the order of the strip, so that the lot can be seen to fall on the word
  const place = draw(
    words.map((word) => word.drawn),
    chance,
  );
  return { id: words[place].id, at: chance * kept };
};

/**
 * What each word has where nothing is cut out, or null.
 *
 * @param {Model} model
 */
export const wholeOf = (model, logits) =>
  logits && probabilities(logits, { temperature: model.get("temperature") || 0.0001 });

/** The weights of the newest token in a head, or null where they are not known yet. */
export const newestWeights = ({ maps }, { layer, head }) => {
  if (!maps) return null;
  const [, , rows, keys] = maps[layer].shape;
  const from = (head * rows + rows - 1) * keys;
  return maps[layer].data.slice(from, from + keys);
};

/** The likeliest words as a table. */
export const nextWordTable = (words, choice, count) => {
  const shown = choice.words.slice(0, count);
  const names = shown.map(({ id }) => words[id]);
  const { node, texts } = numbersTable("the next word", names, ["probability", "as it is drawn"]);
  shown.forEach(({ before, drawn }, i) => {
    texts[2 * i].data = before.toFixed(4);
    texts[2 * i + 1].data = drawn.toFixed(4);
  });
  return node;
};

/**
 * Follows the text. `changed()` is called when there is an answer, `failed(fault, error)` when there is
 * none. `shown` is {logits, maps, read, tokens}; `whole` are the logits of the same text with
 * nothing cut out, where they are known.
 *
 * @param {Model} model
 */
export const readingOf = (model, text, started, { changed, failed, busy }) => {
  let latest = 0; // older answers come too late
  let whole = { tokens: [], logits: null };
  const reading = {
    shown: null,
    get whole() {
      const same = String(whole.tokens) === String(reading.shown?.tokens);
      return model.get("off").length && same ? whole.logits : null;
    },
    /** Whether it is about the text that stands there. */
    get isFresh() {
      return String(reading.shown?.tokens) === String(text.tokens);
    },
    /** How many tokens of the text that stands there have been read. */
    get known() {
      const read = reading.shown?.tokens ?? [];
      const differs = text.tokens.findIndex((token, i) => token !== read[i]);
      return differs < 0 ? text.tokens.length : differs;
    },
    async read() {
      const question = ++latest;
      if (text.over) {
        busy(false);
        return changed();
      }
      const [tokens, off] = [text.tokens, model.get("off")];
      busy(started.ready);
      try {
        await started.loaded;
        if (question !== latest) return; // or its answer would be in the cache of the next one
        const answer = await started.ask("read", { text: text.ids, off });
        if (question !== latest) return;
        take({ ...answer, tokens }, off);
        busy(false);
        changed();
      } catch (error) {
        if (question !== latest) return;
        busy(false);
        failed(started.fault, error);
      }
    },
    /** The first answer comes with the figure. */
    begin() {
      const { logits, off, ...first } = model.get("opening");
      const now = [model.get("text"), model.get("written"), model.get("off")];
      if (String(now) !== String([first.text, first.written, off])) return;
      const tokens = text.tokens;
      take({ logits: Float32Array.from(logits), maps: null, read: tokens.length, tokens }, off);
    },
  };
  const take = (answer, off) => {
    answer.logits[padOf(model)] = -1e4;
    reading.shown = answer;
    if (!off.length) whole = answer;
  };
  return reading;
};
