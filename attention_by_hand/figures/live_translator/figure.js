// The live translator: a sentence is typed, the engine translates it with what the reader has cut
// out, and threads show where each word looked.

import { translatorOf } from "../engine/translator.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { split } from "../kit/shared/words.js";
import { Requests } from "./requests.js";
import { experimentsOf } from "./experiments.js";
import { weightTables } from "./numbers.js";
import { headOf, headNamed } from "./parts.js";
import { pictureOf } from "./picture.js";
import { looksOf } from "./settings.js";
import { isIndex, View } from "./view.js";
import { panelOf } from "./panel.js";
import { remarksOf } from "./remarks.js";
import { soFarOf } from "./so_far.js";
import { entryOf } from "./entry.js";

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

/** The word whose look is lit: {side, index}, or null. */
const litOf = (view, sentence, picture) => {
  if (!isTranslated(view, sentence.typed)) return null;
  const { written, target, pointed } = view;
  if (written < target.length) return { side: "target", index: written - 1 };
  if (sentence.at >= 0) return picture.edited();
  // The word that was pointed at may be gone from a new translation.
  return pointed && isIndex(pointed.index, view[pointed.side]) ? pointed : view.chosen;
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
 * The translation that the figure comes with, if it is of this sentence, is there before the engine.
 *
 * @param {Model} model
 */
const begin = (model, view) => {
  if (model.get("translated") !== model.get("source")) return;
  const source = split(model.get("source"));
  Object.assign(view, { source, target: model.get("written"), intact: model.get("written") });
};

/**
 * Acts on what the page, an address or a kernel sets. Returns what starts when there are weights.
 *
 * @param {Model} model
 */
const follow = (model, translator, { entry, panel, requests, draw, update, take }) => {
  const start = async () => {
    requests.ask();
    entry.learn(await translator.loaded.catch(() => null));
  };
  listen(model, TIDIED, panel.tidy);
  listen(model, CHANGES, () => requests.ask());
  model.on("change:last_step", () => {
    if (!requests.busy) put(model, { last_step: Math.max(0, model.get("written").length - 1) });
  });
  listen(model, ["kind", "layer", "head"], draw);
  model.on("change:step", () => put(model, { source_word: -1 }));
  listen(model, ["step", "source_word"], update);
  model.on("change:source", () => {
    const words = split(model.get("source"));
    if (words.join(" ") === entry.sentence.typed.join(" ")) return;
    take(words);
    requests.askKept();
  });
  model.on("change:weights", start);
  return start;
};

/**
 * The parts of the figure: what is typed, what is written of it, whose look is drawn, the machine
 * beside them, and what is said. `hand` is told what the reader does to them.
 *
 * @param {Model} model
 */
const partsOf = (base, model, view, hand) => {
  const { constants } = base;
  const entry = entryOf(model, view, hand);
  const language = model.get("german") ? "en" : "";
  return {
    entry,
    picture: pictureOf(base, view, entry.sentence, { language, ...hand }),
    looks: looksOf(model),
    panel: panelOf(model, view, constants, { touched: hand.touched, point: hand.glance }),
    remarks: remarksOf(model, view, constants),
    soFar: soFarOf(model, view),
  };
};

/** The machine stands beside all others; what an experiment asks stands where things are said. */
const lay = (body, { entry, picture, looks, panel, remarks, soFar }, experiments) => {
  remarks.node.append(experiments.card);
  const parts = [entry.node, picture.node, looks.node, remarks.node, experiments.node];
  const main = h("div", { className: "main" }, ...parts);
  body.append(h("div", { className: "live" }, main, panel.node), soFar.node);
};

/**
 * What is shown: `update()` of the word that is looked at, `draw()` of the translation and of whose
 * look it is, and `write` and `state` of a translation that is on its way, as `Requests` tells it.
 *
 * @param {Model} model
 */
const shownOf = (base, model, view, { entry, picture, looks, panel, remarks, soFar }) => {
  const { root } = base;
  const update = () => {
    const lit = litOf(view, entry.sentence, picture);
    picture.light(lit, view.written);
    const text = remarks.tellWord(lit);
    soFar.tell(lit);
    Object.assign(root.dataset, { step: model.get("step"), sourceWord: model.get("source_word") });
    if (root.dataset.state === "done") base.say(text);
  };
  const draw = () => {
    picture.draw();
    looks.show();
    panel.show();
    entry.show();
    if (view.answer) {
      remarks.tellChange();
      base.numbers.replaceChildren(...weightTables(view));
    }
    note(root, model, view);
    update();
  };
  const write = (n) => {
    view.written = n;
    update();
  };
  const state = (name, busy, message) => {
    root.dataset.state = name;
    root.setAttribute("aria-busy", busy);
    if (name !== "writing") view.written = Infinity;
    panel.show();
    remarks.tellState(name, message);
    if (name === "refused") base.say(entry.problem);
    if (name !== "done") return;
    update();
    base.say(remarks.whole);
  };
  return { update, draw, write, state };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    el.dataset.figure = "LiveTranslator";
    const base = frame(el, model, { line: false });
    const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
    const view = new View(model);
    const translator = translatorOf(model, base.ended);
    const hand = {
      changed() {
        experiments.close();
        picture.follow();
        requests.askSoon();
      },
      moved() {
        picture.follow();
        update();
      },
      point(word) {
        view.pointed = word;
        update();
      },
      choose(word, event) {
        if (word) choose(model, view, entry.sentence, word, event);
        update();
      },
      touched: () => experiments.close(),
      glance(part) {
        if (!glance(view, headNamed(part))) return;
        picture.spin();
        update();
      },
    };
    const parts = partsOf(base, model, view, hand);
    const { entry, picture, panel, remarks } = parts;
    const { update, draw, write, state } = shownOf(base, model, view, parts);
    const told = { still, answered: draw, write, state };
    const requests = new Requests(model, view, translator, entry.sentence, told);
    const take = (words) => {
      entry.set(words);
      picture.follow();
    };
    const experiments = experimentsOf(model, {
      set({ source, ...traits }, wait) {
        if (source) take(split(source));
        return requests.set(traits, wait);
      },
      still,
      asked(question) {
        remarks.hide(experiments.asks);
        if (question) base.say(question);
      },
    });
    lay(base.body, parts, experiments);

    const start = follow(model, translator, { entry, panel, requests, draw, update, take });
    panel.tidy();
    entry.set(split(model.get("source")));
    if (!requests.different()) begin(model, view);
    draw();
    start();
    return () => base.dispose();
  },
};

export default figure;
