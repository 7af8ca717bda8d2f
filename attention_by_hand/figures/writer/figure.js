// The writer: a text, what may come next, a word drawn from it, and the cache that grows.

import { startedOf } from "../engine/started.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { actsOf } from "./acts.js";
import { barsOf } from "./bars.js";
import { cutsOf } from "./cuts.js";
import { lotStripOf } from "./lot.js";
import { fly } from "./flight.js";
import { choiceOf, newestWeights, lotOf, nextWordTable, readingOf, wholeOf } from "./reading.js";
import { stripOf } from "./strip.js";
import { saidOf, saysOf } from "./telling.js";
import { textOf } from "./text.js";
import { beginningsOf, buttonsOf, heatOf } from "./tools.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   weights: DataView,
 *   words: string[],
 *   beginnings: string[],
 *   text: string,
 *   written: string[],
 *   opening: any,
 *   sizes: any,
 *   temperature: number,
 *   top_p: number,
 *   top_k: number,
 *   seed: number,
 *   off: string[],
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const LANDING = 600; // milliseconds for which a lot is seen to lie where it fell
const PAUSE = 300; // and from there to the next one, where it writes on

/** Draws words: one, or one after another until the text has ended. */
const drawingOf = (text, { land, write, changed }) => {
  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  let [timer, running] = [null, false];
  const later = (act, wait) => {
    clearTimeout(timer);
    timer = setTimeout(act, still() ? 0 : wait);
  };
  const drawing = {
    get running() {
      return running;
    },
    draw() {
      const id = text.over ? null : land();
      if (id === null) return drawing.run(false);
      later(() => write(id), LANDING);
    },
    run(on) {
      clearTimeout(timer);
      running = on;
      changed();
      if (on) drawing.draw();
    },
    /** What comes next may be another word now. */
    next() {
      clearTimeout(timer);
      if (running) later(drawing.draw, PAUSE);
    },
    stop: () => clearTimeout(timer),
  };
  return drawing;
};

/**
 * Says in the page what is shown.
 *
 * @param {any} root
 * @param {Model} model
 */
const note = ({ dataset }, model, { tokens }, { shown }, choice) => {
  const at = getter(model);
  Object.assign(dataset, { text: tokens.join(" "), off: at("off").join(" ") });
  Object.assign(dataset, { topK: at("top_k"), topP: at("top_p"), temperature: at("temperature") });
  Object.assign(dataset, { read: shown?.read ?? 0, left: choice?.left ?? 0 });
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    el.dataset.figure = "Writer";
    const base = frame(el, model, { said: () => saidOf(model, text) });
    const { constants, root } = base;
    const [words, sizes] = [model.get("words"), model.get("sizes")];
    const text = textOf(model, constants);
    const says = saysOf(words);
    const acts = actsOf(model, text, says);
    let choice = null; // what may come next
    let landed = null; // where the lot fell
    let pointed = null; // the head whose look is shown

    /** Writes a word in one of two ways, and lets it be seen to come from the bars. */
    const written = (id, write) => {
      if (text.over) return;
      const from = bars.placeOf(id).getBoundingClientRect();
      write(words[id]);
      fly(base.body, words[id], from, strip.newest);
    };
    const drawing = drawingOf(text, {
      land() {
        if (!choice || !reading.isFresh) return null;
        landed = lotOf(model, choice);
        says.drew(landed.id, choice);
        base.body.setAttribute("aria-busy", true);
        showChoice();
        return landed.id;
      },
      write: (id) => written(id, acts.write),
      changed: () => showTools(),
    });
    const beginnings = beginningsOf(model, acts.begin);
    const strip = stripOf({ layers: sizes.layers, type: acts.type, back: acts.back });
    const buttons = buttonsOf({ ...drawing, back: acts.back, again: acts.again });
    const lot = lotStripOf(words, (top_p) => put(model, { top_p }));
    const bars = barsOf(words, constants.rows, {
      choose: (id) => written(id, acts.choose),
      moved: (top_k) => put(model, { top_k }),
    });
    const heat = heatOf(model, constants.hottest);
    const cuts = cutsOf(sizes, {
      turn: acts.turn,
      point(layer, head) {
        pointed = layer === undefined ? null : { layer, head };
        showText();
      },
    });
    const next = h("div", { className: "next" }, heat.node, lot.node, bars.node);
    const left = h(
      "div",
      { className: "left" },
      strip.node,
      buttons.node,
      says.node,
      cuts.node,
      says.looks,
    );
    base.body.append(beginnings.node, h("div", { className: "writer" }, left, next));

    const showText = () => {
      const { shown, isFresh } = reading;
      const look = isFresh && pointed ? newestWeights(shown, pointed) : null;
      const fresh = isFresh ? shown.read : 0;
      strip.show(text.tokens, { began: text.began, read: reading.known, fresh, look });
      says.look(text.tokens, pointed, look, model.get("off"));
      base.body.classList.toggle("waiting", !isFresh);
    };
    const showTools = () => {
      const { over, tokens } = text;
      const count = model.get("written").length;
      buttons.show({ over, written: count, empty: tokens.length < 2, isRunning: drawing.running });
      beginnings.show();
    };
    /** What depends on how the next word is drawn. */
    const showChoice = () => {
      if (!reading.shown) return;
      choice = choiceOf(model, reading.shown.logits);
      bars.show(choice, model.get("top_k"), {
        whole: wholeOf(model, reading.whole),
        hit: landed?.id,
        over: text.over,
      });
      lot.show(choice, model.get("top_p"), landed);
      heat.show();
      base.numbers.replaceChildren(nextWordTable(words, choice, constants.rows));
      note(root, model, text, reading, choice);
    };
    const show = () => {
      landed = null;
      cuts.show(model.get("off"));
      base.body.classList.toggle("over", text.over);
      says.tell(reading.isFresh ? reading.shown : null, text);
      showText();
      showTools();
      showChoice();
      note(root, model, text, reading, choice);
    };
    const reading = readingOf(model, text, started(model, base), {
      changed() {
        show();
        base.say(says.said);
        drawing.next();
      },
      failed: says.fail,
      busy: (on) => base.body.setAttribute("aria-busy", on),
    });
    /** Takes out of the traits what an address may have, and this model has not. */
    const tidy = () => {
      text.tidy();
      const off = [...new Set(model.get("off"))].filter(cuts.has);
      if (off.length < model.get("off").length) put(model, { off });
    };
    listen(model, ["text", "written", "off", "weights"], () => {
      tidy();
      drawing.stop();
      show();
      reading.read();
    });
    listen(model, ["temperature", "top_k", "top_p"], () => {
      landed = null;
      base.body.setAttribute("aria-busy", false);
      showChoice();
      drawing.next();
      base.say(choice ? `${choice.left} words may be drawn` : "");
    });
    tidy();
    reading.begin();
    show();
    reading.read(); // with its maps
    return () => {
      drawing.stop();
      base.dispose();
    };
  },
};

/** @param {Model} model */
const started = (model, base) => startedOf(model, base.ended);

export default figure;
