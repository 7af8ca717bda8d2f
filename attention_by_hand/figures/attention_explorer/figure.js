// The attention explorer: the sentence with the threads of one head, and under it the maps of all
// heads. What is picked out in the one is marked in the others.

import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { numbersTable } from "../kit/parts/tables.js";
import { listen, put } from "../kit/runtime/model.js";
import { headsOf } from "./heads.js";
import { goldOf, kindsOf } from "./kinds.js";
import { pictureOf } from "./picture.js";
import { lineOf, spoken } from "./readout.js";
import { stateOf } from "./state.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   sentences: any[],
 *   weights: DataView,
 *   kinds: string[],
 *   kind: number,
 *   layer: number,
 *   head: number,
 *   row: number,
 *   sentence: number,
 *   last_layer: number,
 *   last_head: number,
 *   last_row: number,
 *   gold: boolean,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const SOURCE = "source words";
const TARGET = "decoder input words";
const ROWS = { encoder: SOURCE, decoder: TARGET, cross: TARGET };
const COLUMNS = { encoder: SOURCE, decoder: TARGET, cross: SOURCE };

const scaleOf = (base) => {
  const bar = h("canvas", { className: "pixels" });
  const ticks = ["0", "0.25", "0.5", "0.75", "1"].map((tick) => h("span", {}, tick));
  const node = h("div", { className: "scale" }, bar, ...ticks, h("em", {}, "weight"));
  return { node, paint: () => base.paint(bar, [...Array(256).keys()], 1, 256, { most: 255 }) };
};

/**
 * What the words and the maps are made of, and why no cell is outlined; as nodes.
 *
 * @param {Model} model
 */
const axesOf = (model, { kind, emitted, gold }) => {
  const then = emitted ? ", each with the word it emits" : "";
  const axes = [
    h("b", { className: "asks" }, "Queries"),
    `, the rows: ${ROWS[kind]}${then}. `,
    h("b", { className: "key" }, "Keys"),
    `, the columns: ${COLUMNS[kind]}.`,
  ];
  const asked =
    model.get("gold") && model.get("sentences").some(({ alignment }) => alignment.length);
  if (!asked || gold.length) return axes;
  const why = kind === "cross" ? "is not known here" : "joins source and target";
  return [...axes, ` The true alignment ${why}.`];
};

/** The numbers of the head that is seen: `lay(view)` makes the table, `write(bytes)` fills it. */
const weightsIn = (base) => {
  let table;
  return {
    lay({ names, cols }) {
      const caption = "weights (rows: queries, columns: keys), stored to 1/255";
      table = numbersTable(caption, names, cols);
      base.numbers.replaceChildren(table.node);
    },
    write(bytes) {
      bytes.forEach((byte, i) => {
        const weight = (byte / 255).toFixed(2);
        if (table.texts[i].data !== weight) table.texts[i].data = weight;
      });
    },
  };
};

/**
 * What a hand does to the state: it rests on a word or on a cell of a head, or keeps one. `draw()`
 * is called where another head is then seen, and otherwise `point()`.
 *
 * @param {Model} model
 */
const handOf = (model, state, { point, draw }) => ({
  words: {
    point(word) {
      state.hover = word && { side: word.side, index: word.index };
      point();
    },
    choose(word) {
      if (word) state.take(word);
      else Object.assign(state, { hover: null, key: null });
      point();
    },
  },
  heads: {
    point(cell) {
      const { layer, head } = state;
      state.peek = cell;
      state.hover = cell && { side: "target", index: cell.row, key: cell.col };
      if (state.layer === layer && state.head === head) point();
      else draw();
    },
    take({ layer, head, row }) {
      state.peek = null;
      state.take({ side: "target", index: row });
      put(model, { layer, head });
      draw();
    },
    word(word) {
      state.take(word);
      point();
    },
  },
});

/**
 * The parts of the figure, laid into its body.
 *
 * @param {Model} model
 */
const partsOf = (base, model, state, hand) => {
  const parts = {
    kinds: kindsOf(model),
    title: h("p", { className: "title" }),
    picture: pictureOf(base, model, state, hand.words),
    line: lineOf(state),
    heads: headsOf(base, model, state, hand.heads),
    scale: scaleOf(base),
    gold: goldOf(model),
    axes: h("p", { className: "note" }),
  };
  const { kinds, title, picture, line, heads, scale, gold, axes } = parts;
  const foot = h("div", { className: "foot" }, scale.node, gold.node);
  base.body.className = "body explorer";
  const head = h("div", { className: "head" }, kinds.node, title);
  base.body.append(head, picture.node, line.node, heads.node, foot, axes);
  return parts;
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => fit() });
    const state = stateOf(model);
    const hand = handOf(model, state, { point: () => point(), draw: () => draw() });
    const { kinds, title, picture, line, heads, scale, gold, axes } = partsOf(
      base,
      model,
      state,
      hand,
    );
    const numbers = weightsIn(base);

    /** A new sentence or kind: other words, other maps. */
    const fit = () => {
      state.read();
      numbers.lay(state.view);
      for (const part of [picture, heads]) part.fill();
      scale.paint();
      kinds.update();
      draw();
    };
    /** Another head: its threads and its numbers. */
    const draw = () => {
      picture.draw();
      numbers.write(state.bytes());
      title.textContent = `${state.view.name}, layer ${state.layer}, head ${state.head}`;
      const { kind } = state.view;
      const sentence = model.get("sentence");
      Object.assign(base.root.dataset, { kind, layer: state.layer, head: state.head, sentence });
      point();
    };
    /** Another query or key: marks on the maps, lit threads, and the readout. */
    const point = () => {
      const { side, index } = state.lit;
      base.root.dataset.row = side === "target" ? index : model.get("row");
      axes.replaceChildren(...axesOf(model, state.view));
      for (const part of [gold, line, picture, heads]) part.update();
      if (!state.peek) base.say(`layer ${state.layer}, head ${state.head}: ${spoken(state)}`);
    };
    const anew = (update) => () => {
      Object.assign(state, { peek: null, hover: null, key: null });
      update();
    };
    listen(model, ["sentence", "kind", "sentences", "weights"], fit);
    listen(model, ["layer", "head"], anew(draw));
    model.on("change:gold", point);
    model.on("change:row", anew(point));
    fit();
    return () => base.dispose();
  },
};

export default figure;
