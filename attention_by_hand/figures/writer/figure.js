// The writer: a text, what may come next, a word drawn from it, and the cache that grows.

import { startedOf } from "../engine/started.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { actionsOf } from "./actions.js";
import { barsOf } from "./bars.js";
import { cutsOf } from "./cuts.js";
import { distributionOf } from "./distribution.js";
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
 *   pieces: boolean,
 *   merges: number[][],
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
  let lying = null; // the word of a lot that has fallen and is not written yet
  let owed = false; // a hand has asked for one more in the meantime
  const later = (act, wait) => {
    clearTimeout(timer);
    timer = setTimeout(act, still() ? 0 : wait);
  };
  const drawing = {
    get running() {
      return running;
    },
    draw() {
      if (lying !== null) return drawing.hurry();
      owed = false;
      lying = text.over ? null : land();
      if (lying === null) return drawing.run(false);
      later(drawing.write, LANDING);
    },
    write() {
      const id = lying;
      lying = null;
      write(id);
    },
    /** Whoever presses again while a lot still lies there has it written at once, and one more drawn. */
    hurry() {
      clearTimeout(timer);
      drawing.write();
      owed = true;
    },
    run(on) {
      drawing.stop();
      running = on;
      changed();
      if (on) drawing.draw();
    },
    /** What comes next may be another word now. */
    next() {
      const isOwed = owed;
      drawing.stop();
      if (isOwed) drawing.draw();
      else if (running) later(drawing.draw, PAUSE);
    },
    stop() {
      clearTimeout(timer);
      [lying, owed] = [null, false];
    },
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

/** @param {Model} model */
const started = (model, base) => startedOf(model, base.ended);

/**
 * The parts of the figure, laid into its body. A hand calls the `actions` on the text, `choose(id)`
 * with a word among the bars, and `point(layer, head)` with a head.
 *
 * @param {Model} model
 */
const partsOf = (base, model, { drawing, says }, { actions, choose, point }) => {
  const [words, sizes] = [model.get("words"), model.get("sizes")];
  const { rows, hottest } = base.constants;
  const { type, back, again, turn } = actions;
  const parts = {
    beginnings: beginningsOf(model, actions.begin),
    strip: stripOf({ layers: sizes.layers, type, back }),
    buttons: buttonsOf({ ...drawing, drawn: model.get("pieces") ? "piece" : "word", back, again }),
    cuts: cutsOf(sizes, { turn, point }),
    heat: heatOf(model, hottest),
    lot: distributionOf(words, (top_p) => put(model, { top_p })),
    bars: barsOf(words, rows, { choose, moved: (top_k) => put(model, { top_k }) }),
  };
  const { beginnings, strip, buttons, cuts, heat, lot, bars } = parts;
  const texts = [strip.node, buttons.node, says.node, cuts.node, says.looks];
  const left = h("div", { className: "left" }, ...texts);
  const next = h("div", { className: "next" }, heat.node, lot.node, bars.node);
  base.body.append(beginnings.node, h("div", { className: "writer" }, left, next));
  return parts;
};

/**
 * Shows the state in the parts: all of it, or what depends on the text, on whether words are drawn,
 * and on how the next one is.
 *
 * @param {Model} model
 */
const shownOf = (base, model, state, parts) => {
  const { text, reading, drawing, says } = state;
  const { beginnings, strip, buttons, cuts, heat, lot, bars } = parts;
  const { rows } = base.constants;
  const showText = () => {
    const { shown, isFresh } = reading;
    const look = isFresh && state.pointed ? newestWeights(shown, state.pointed) : null;
    const fresh = isFresh ? shown.read : 0;
    strip.show(text.tokens, { began: text.began, read: reading.known, fresh, look });
    says.look(text.tokens, state.pointed, look, model.get("off"));
    base.body.classList.toggle("waiting", !isFresh);
  };
  const showTools = () => {
    const { over, tokens } = text;
    const count = model.get("written").length;
    buttons.show({ over, written: count, empty: tokens.length < 2, isRunning: drawing.running });
    beginnings.show();
  };
  const showChoice = () => {
    if (!reading.shown) return;
    const choice = choiceOf(model, reading.shown.logits);
    state.choice = choice;
    bars.show(choice, model.get("top_k"), {
      whole: wholeOf(model, reading.whole),
      hit: state.landed?.id,
      over: text.over,
    });
    lot.show(choice, model.get("top_p"), state.landed);
    heat.show();
    base.numbers.replaceChildren(nextWordTable(model.get("words"), choice, rows));
    note(base.root, model, text, reading, choice);
  };
  const showAll = () => {
    state.landed = null;
    cuts.show(model.get("off"));
    base.body.classList.toggle("over", text.over);
    says.tell(reading.isFresh ? reading.shown : null, text);
    showText();
    showTools();
    showChoice();
    note(base.root, model, text, reading, state.choice);
  };
  return { showText, showTools, showChoice, showAll };
};

/**
 * Takes out of the traits what an address may have, and this model has not.
 *
 * @param {Model} model
 */
const tidy = (model, text, cuts) => {
  text.tidy();
  const off = [...new Set(model.get("off"))].filter(cuts.has);
  if (off.length < model.get("off").length) put(model, { off });
};

/**
 * Acts on what the page, an address or a kernel sets.
 *
 * @param {Model} model
 */
const follow = (base, model, state, { showAll, showChoice }, cuts) => {
  const { text, reading, drawing } = state;
  listen(model, ["text", "written", "off", "weights"], () => {
    tidy(model, text, cuts);
    drawing.stop();
    showAll();
    reading.read();
  });
  listen(model, ["temperature", "top_k", "top_p"], () => {
    state.landed = null;
    base.body.setAttribute("aria-busy", false);
    showChoice();
    drawing.next();
    base.say(state.choice ? `${state.choice.left} words may be drawn` : "");
  });
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    el.dataset.figure = "Writer";
    const base = frame(el, model, { said: () => saidOf(model, text) });
    const words = model.get("words");
    const text = textOf(model, base.constants);
    const says = saysOf(words);
    const actions = actionsOf(model, text, says);

    /** Writes a word in one of two ways, and lets it be seen to come from the bars. */
    const written = (id, write) => {
      if (text.over) return;
      const from = parts.bars.placeOf(id).getBoundingClientRect();
      write(words[id]);
      fly(base.body, words[id], from, parts.strip.newest);
    };
    const reading = readingOf(model, text, started(model, base), {
      changed() {
        shown.showAll();
        base.say(says.said);
        drawing.next();
      },
      failed: says.fail,
      busy: (on) => base.body.setAttribute("aria-busy", on),
    });
    const drawing = drawingOf(text, {
      land() {
        if (!state.choice || !reading.isFresh) return null;
        state.landed = lotOf(model, state.choice);
        says.drew(state.landed.id, state.choice);
        base.body.setAttribute("aria-busy", true);
        shown.showChoice();
        return state.landed.id;
      },
      write: (id) => written(id, actions.write),
      changed: () => shown.showTools(),
    });
    const state = {
      ...{ text, reading, drawing, says },
      choice: null, // what may come next
      landed: null, // where the lot fell
      pointed: null, // the head whose look is shown
    };
    const parts = partsOf(base, model, state, {
      actions,
      choose: (id) => written(id, actions.choose),
      point(layer, head) {
        state.pointed = layer === undefined ? null : { layer, head };
        shown.showText();
      },
    });
    const shown = shownOf(base, model, state, parts);
    follow(base, model, state, shown, parts.cuts);
    tidy(model, text, parts.cuts);
    reading.begin();
    shown.showAll();
    reading.read(); // with its maps
    return () => {
      drawing.stop();
      base.dispose();
    };
  },
};

export default figure;
