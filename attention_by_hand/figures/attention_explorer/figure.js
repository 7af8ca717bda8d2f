// The attention explorer: all heads small, one of them large, one query's weights in words and
// bars.

import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { numbersTable } from "../kit/parts/tables.js";
import { listen } from "../kit/runtime/model.js";
import { headsOf } from "./heads.js";
import { goldOf, kindsOf } from "./kinds.js";
import { mapOf } from "./map.js";
import { barsOf, lineOf, spoken } from "./readout.js";
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

const ROWS = {
  encoder: "a source word",
  decoder: "a decoder input word",
  cross: "a decoder input word",
};
const COLUMNS = {
  encoder: "a source word",
  decoder: "a decoder input word",
  cross: "a source word",
};
const WIDE = 20; // of more words the map takes the whole width

const scaleOf = (base) => {
  const bar = h("canvas", { className: "pixels" });
  const ticks = ["0", "0.25", "0.5", "0.75", "1"].map((tick) => h("span", {}, tick));
  const node = h("div", { className: "scale" }, bar, ...ticks, h("em", {}, "weight"));
  return { node, paint: () => base.paint(bar, [...Array(256).keys()], 1, 256, { most: 255 }) };
};

/**
 * What rows and columns are, and why no cell is outlined.
 *
 * @param {Model} model
 */
const axesOf = (model, { kind, emitted, gold }) => {
  const row = `${ROWS[kind]}${emitted ? " → the word it emits" : ""}`;
  const axes = `Row: a query, ${row}. Column: a key, ${COLUMNS[kind]}.`;
  const asked =
    model.get("gold") && model.get("sentences").some(({ alignment }) => alignment.length);
  if (!asked || gold.length) return axes;
  const why = kind === "cross" ? "is not known here" : "joins source and target";
  return `${axes} The true alignment ${why}.`;
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
 * What a hand does to the state: it rests on a cell, keeps one, or rests on a small map. Then
 * `point()` or `draw()` is called.
 */
const handOf = (state, { point, draw }) => ({
  point(cell) {
    if (state.hover?.join() === cell?.join()) return;
    state.hover = cell;
    point();
  },
  lock(row, column) {
    state.lock(row, column);
    point();
  },
  peek(thumb) {
    if (state.peek === thumb) return;
    state.peek = thumb;
    draw();
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
    heads: headsOf(base, model, state, hand),
    title: h("p", { className: "title" }),
    line: lineOf(state),
    map: mapOf(base, model, state, hand),
    scale: scaleOf(base),
    gold: goldOf(model),
    axes: h("p", { className: "note" }),
    bars: barsOf(state, hand),
  };
  const { kinds, heads, title, line, map, scale, gold, axes, bars } = parts;
  const large = [title, line.node, map.node, scale.node, gold.node, axes];
  const main = h("div", { className: "main" }, ...large);
  base.body.className = "body explorer";
  base.body.append(kinds.node, heads.node, main, bars.node);
  return parts;
};

/** Calls `place()` as often as the room for the map is another, on paper too. */
const whenPlaced = (base, map, place) => {
  // Later, because it changes the height that is observed
  const sizes = new ResizeObserver(() => requestAnimationFrame(place));
  sizes.observe(map.node);
  base.ended.addEventListener("abort", () => sizes.disconnect());
  addEventListener("beforeprint", place, { signal: base.ended });
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => fit() });
    const state = stateOf(model);
    const hand = handOf(state, { point: () => point(), draw: () => draw() });
    const parts = partsOf(base, model, state, hand);
    const { kinds, heads, title, line, map, scale, gold, axes, bars } = parts;
    const numbers = weightsIn(base);

    /** A new sentence or kind: other words, other small maps. */
    const fit = () => {
      state.read();
      const { shape } = state.view;
      numbers.lay(state.view);
      base.body.classList.toggle("wide", Math.max(shape.rows, shape.cols) > WIDE);
      for (const part of [map, heads]) part.fill();
      scale.paint();
      kinds.update();
      map.place();
      draw();
    };
    /** Another head: its picture, its numbers, its mark among the small ones. */
    const draw = () => {
      map.paint();
      numbers.write(state.bytes());
      heads.update();
      title.textContent = `${state.view.name}, layer ${state.layer}, head ${state.head}`;
      const { kind } = state.view;
      const sentence = model.get("sentence");
      Object.assign(base.root.dataset, { kind, layer: state.layer, head: state.head, sentence });
      point();
    };
    /** Another query or key: marks on the map, and the readout. */
    const point = () => {
      base.root.dataset.row = state.row;
      axes.textContent = axesOf(model, state.view);
      for (const part of [gold, line, bars]) part.update();
      const text = spoken(state);
      map.update(`${title.textContent}: ${text}`);
      if (!state.hover && !state.peek)
        base.say(`layer ${state.layer}, head ${state.head}: ${text}`);
    };
    const anew = (update) => () => {
      Object.assign(state, { hover: null, column: null });
      update();
    };
    listen(model, ["sentence", "kind", "sentences", "weights"], fit);
    listen(model, ["layer", "head"], anew(draw));
    model.on("change:gold", point);
    model.on("change:row", anew(point));
    whenPlaced(base, map, () => {
      map.place();
      point();
    });
    fit();
    return () => base.dispose();
  },
};

export default figure;
