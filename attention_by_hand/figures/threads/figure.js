// Two lines of words and the threads between them. Any word can be pointed at, touched or reached
// by keys, and one sentence says what is seen.

import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { listen, put } from "../kit/runtime/model.js";
import { tellLook, told } from "../kit/shared/looks.js";
import { numbersTable } from "../kit/parts/tables.js";
import { barOf, TOUCH, wayOf } from "./bar.js";
import { pictureOf } from "./picture.js";
import { viewOf } from "./view.js";
import { writerOf } from "./writer.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   weights: DataView,
 *   sources: any[],
 *   targets: any[],
 *   gloss: any,
 *   heads: number,
 *   sentence: number,
 *   head: number,
 *   source_word: number,
 *   target_word: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const AT_REST = [["Nobody told it which word belongs to which."], TOUCH];
const NONE = { source_word: -1, target_word: -1 };

const most = (list) => list.indexOf(Math.max(...list));

/** The whole picture in words: where each written word looks most. */
const pairsOf = ({ source, target, percent }) => {
  const looks = target.map(
    (word, i) => `${word} at ${source[most(source.map((_, j) => percent(i, j)))]}`,
  );
  return `Each word looks most at one that was read: ${looks.join(", ")}.`;
};

const inSight = (node) => {
  const { top, height } = node.getBoundingClientRect();
  return height > 0 && top < innerHeight;
};

const percentTable = ({ source, target, percent }) => {
  const { node, texts } = numbersTable(
    "Where each English word looks, in per cent",
    target,
    source,
  );
  texts.forEach((text, n) => {
    text.data = percent(Math.floor(n / source.length), n % source.length);
  });
  return node;
};

/**
 * A word that is pressed is picked out; where it is already, or beside all words, none is.
 *
 * @param {Model} model
 */
const choose = (model, view, word) => {
  const again = view.chosen?.side === word?.side && view.chosen?.index === word?.index;
  put(model, word && !again ? { ...NONE, [`${word.side}_word`]: word.index } : NONE);
};

/**
 * The bar, whose buttons write the sentence again, show another way of looking, or write another
 * sentence.
 *
 * @param {Model} model
 */
const barFor = (model, view, writer) =>
  barOf(view, {
    write() {
      if (writer.busy) return writer.stop();
      put(model, NONE);
      writer.start();
    },
    head: (head) => put(model, { head }),
    sentence(sentence) {
      put(model, { ...NONE, sentence });
      writer.start();
    },
  });

/** Says what is shown: to the page, and aloud once all is written. */
const report = ({ root, body, say }, view, lit, { text, busy }) => {
  root.setAttribute("aria-label", `Threads: ${view.source.join(" ")}`);
  body.setAttribute("aria-busy", busy);
  say(busy ? "" : lit ? text : `${text} ${pairsOf(view)}`); // no older words beside those that are seen
  Object.assign(root.dataset, {
    sentence: view.sentence,
    head: view.head,
    word: lit ? `${lit.side} ${lit.index}` : "",
  });
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    el.dataset.figure = "Threads";
    const base = frame(el, model);
    const view = viewOf(model);
    let pointed = null; // the word under the pointer or the focus: {side, index}
    let rest = AT_REST; // what is said where no word is picked out

    const sentence = h("p", { className: "sentence" });
    const picture = pictureOf(base, view, {
      point(word) {
        pointed = word;
        update();
      },
      choose(word) {
        choose(model, view, word);
        update();
      },
    });
    const writer = writerOf(base.ended, {
      length: () => view.target.length,
      update: () => update(),
    });
    const bar = barFor(model, view, writer);
    base.body.append(picture.node, bar.node, sentence);

    const update = () => {
      if (writer.busy && (pointed ?? view.chosen)) return writer.stop();
      const lit = pointed ?? view.chosen ?? writer.word;
      picture.light(lit, writer.written);
      picture.node.classList.toggle("writing", writer.busy);
      bar.show(writer.busy);
      const { nodes, text } = told(lit ? tellLook(view, lit) : rest);
      sentence.replaceChildren(...nodes);
      report(base, view, lit, { text, busy: writer.busy });
    };
    const redraw = () => {
      pointed = null;
      picture.draw();
      base.numbers.replaceChildren(percentTable(view));
      update();
    };
    model.on("change:sentence", () => {
      rest = AT_REST;
      redraw();
    });
    model.on("change:head", () => {
      rest = wayOf(view);
      redraw();
    });
    listen(model, ["source_word", "target_word"], update);

    addEventListener("beforeprint", () => writer.stop(), { signal: base.ended });
    redraw();
    if (!view.chosen && inSight(base.root)) writer.start();
    return () => base.dispose();
  },
};

export default figure;
