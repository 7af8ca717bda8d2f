// The live translator: a sentence is typed, the engine translates it with what the reader has cut
// out, and threads show where each word looked.

import { translatorOf } from "../engine/translator.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { split } from "../kit/shared/words.js";
import { Asking } from "./asking.js";
import { experimentsOf } from "./experiments.js";
import { weightTables } from "./numbers.js";
import { headOf, headNamed } from "./parts.js";
import { pictureOf } from "./picture.js";
import { looksOf } from "./settings.js";
import { isIndex, View } from "./view.js";
import { sideOf } from "./side.js";
import { saysOf } from "./telling.js";
import { topOf } from "./top.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   weights: DataView,
 *   source: string,
 *   translated: string,
 *   german: boolean,
 *   written: string[],
 *   opening: any,
 *   sentences: any[],
 *   experiments: any[],
 *   off: any[],
 *   gloss: any,
 *   kin: any[],
 *   sizes: any,
 *   knows_unknown: boolean,
 *   beam: number,
 *   temperature: number,
 *   seed: number,
 *   kinds: string[],
 *   kind: number,
 *   layer: number,
 *   head: number,
 *   step: number,
 *   source_word: number,
 *   last_step: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/** @type {(keyof Traits)[]} */
const CHANGES = ["off", "beam", "temperature", "seed"];
/** @type {(keyof Traits)[]} */
const TIDIED = [...CHANGES, "source_word"];

/**
 * A press on a word: one that was written is picked out, one that is read is edited. A finger picks
 * it out first.
 *
 * @param {Model} model
 */
const choose = (model, view, sentence, word, event) => {
  const again = view.chosen?.side === word.side && view.chosen.index === word.index;
  if (word.side === "target") put(model, { step: word.index, source_word: -1 });
  else if (event.pointerType === "touch" && !again) put(model, { source_word: word.index });
  else sentence.edit(sentence.chips.indexOf(word));
};

/** Looks at another head for as long as it is pointed at; whether that changes anything. */
const glance = (view, look) => {
  if (headOf(look ?? view.look) === headOf(view.look) && !view.glance) return false;
  view.glance = look;
  return true;
};

/**
 * Says in the page what is shown.
 *
 * @param {any} root
 * @param {Model} model
 */
const note = ({ dataset }, model, view) => {
  const at = getter(model);
  Object.assign(dataset, { kind: view.look.kind, layer: at("layer"), head: at("head") });
  Object.assign(dataset, { off: at("off").join(" "), written: view.target.join(" ") });
};

/** Whether the words on the page are those that were translated. */
const isTranslated = (view, words) => view.source.join(" ") === words.join(" ");

/**
 * The translation that the figure comes with is there before the engine.
 *
 * @param {Model} model
 */
const begin = (model, view) => {
  const source = split(model.get("source"));
  Object.assign(view, { source, target: model.get("written"), intact: model.get("written") });
};

/**
 * Acts on what the page, an address or a kernel sets. Returns what starts when there are weights.
 *
 * @param {Model} model
 */
const follow = (model, translator, typed, { top, side, asking, draw, update, take }) => {
  const start = async () => {
    asking.ask();
    top.learn(await translator.loaded.catch(() => null));
  };
  listen(model, TIDIED, side.tidy);
  listen(model, CHANGES, () => asking.ask());
  model.on("change:last_step", () => {
    if (!asking.busy) put(model, { last_step: Math.max(0, model.get("written").length - 1) });
  });
  listen(model, ["kind", "layer", "head"], draw);
  model.on("change:step", () => put(model, { source_word: -1 }));
  listen(model, ["step", "source_word"], update);
  model.on("change:source", () => {
    const words = split(model.get("source"));
    if (words.join(" ") === typed().join(" ")) return;
    take(words);
    asking.askKept();
  });
  model.on("change:weights", start);
  return start;
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    el.dataset.figure = "LiveTranslator";
    const base = frame(el, model);
    const { root, constants } = base;
    const at = getter(model);
    const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
    const view = new View(model);
    const translator = translatorOf(model, base.ended);
    let pointed = null; // the word under the pointer or the focus
    let written = Infinity; // how many words are to be seen, while the reader watches
    const top = topOf(model, view, {
      changed() {
        experiments.close();
        picture.follow();
        asking.askSoon();
      },
      moved() {
        picture.follow();
        update();
      },
    });
    const { sentence } = top;
    const typed = () => sentence.words.filter(Boolean);
    const picture = pictureOf(base, view, sentence, {
      language: at("german") ? "en" : "",
      point(word) {
        pointed = word;
        update();
      },
      choose(word, event) {
        if (word) choose(model, view, sentence, word, event);
        update();
      },
    });
    const looks = looksOf(model);
    const side = sideOf(model, view, constants, {
      touched: () => experiments.close(),
      point(part) {
        if (!glance(view, headNamed(part))) return;
        picture.spin();
        update();
      },
    });
    const says = saysOf(model, view, constants);

    const lit = () => {
      if (!isTranslated(view, typed())) return null;
      if (written < view.target.length) return { side: "target", index: written - 1 };
      if (sentence.at >= 0) return picture.edited();
      // The word that was pointed at may be gone from a new translation.
      const isThere = pointed && isIndex(pointed.index, view[pointed.side]);
      return isThere ? pointed : view.chosen;
    };
    /** What depends on the word that is looked at. */
    const update = () => {
      picture.light(lit(), written);
      const text = says.tellWord(lit());
      Object.assign(root.dataset, { step: at("step"), sourceWord: at("source_word") });
      if (root.dataset.state === "done") base.say(text);
    };
    /** What depends on the translation, or on whose look it is. */
    const draw = () => {
      picture.draw();
      looks.show();
      side.show();
      top.show();
      if (view.answer) {
        says.tellChange();
        base.numbers.replaceChildren(...weightTables(view));
      }
      note(root, model, view);
      update();
    };

    const asking = new Asking(model, view, translator, {
      typed,
      still,
      answered: draw,
      write(n) {
        written = n;
        update();
      },
      state(name, busy, message) {
        root.dataset.state = name;
        root.setAttribute("aria-busy", busy);
        if (name !== "writing") written = Infinity;
        side.show();
        says.tellState(name, message);
        if (name === "refused") base.say(top.problem);
        if (name !== "done") return;
        update();
        base.say(says.whole);
      },
    });
    const experiments = experimentsOf(model, {
      set({ source, ...traits }, wait) {
        if (source) take(split(source));
        return asking.set(traits, wait);
      },
      still,
      asked(question) {
        says.hide(experiments.asks);
        if (question) base.say(question);
      },
    });
    const take = (words) => {
      top.set(words);
      picture.follow();
    };
    says.node.append(experiments.card);
    const parts = [top.node, picture.node, looks.node, says.node, experiments.node];
    const main = h("div", { className: "main" }, ...parts);
    base.body.append(h("div", { className: "live" }, main, side.node));

    const acts = { top, side, asking, draw, update, take };
    const start = follow(model, translator, typed, acts);
    side.tidy();
    top.set(split(at("source")));
    if (at("translated") === at("source") && !asking.different()) begin(model, view);
    draw();
    start();
    return () => base.dispose();
  },
};

export default figure;
