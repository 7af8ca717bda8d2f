// Positions: the table, one pair as waves and as the hand of a clock, and the dot product with
// every position.

import { atWidth } from "../kit/parts/charts.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { untilGuessed } from "../kit/shared/guess.js";
import { signed } from "../kit/parts/numbers.js";
import { heading, numbersTable } from "../kit/parts/tables.js";
import { showHand } from "../kit/shared/ghost.js";
import { productsOf, wavesOf } from "./curves.js";
import { dialsOf } from "./dials.js";
import { encodingOf } from "./encoding.js";
import { tableOf } from "./table.js";
import { clockOf, pairTitle, turnText } from "./clock.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   d_model: number,
 *   length: number,
 *   position: number,
 *   pair: number,
 *   shift: number,
 *   last_position: number,
 *   last_pair: number,
 *   prediction: string,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const ROOM = { least: 250, most: 560 }; // pixels: of a chart

/** The numbers behind the picture, as tables. */
const encodingTables = (base, { rows, pairAt }) => {
  const stages = ["at the position", "turned by the shift", "at position + shift"];
  const pairs = numbersTable("the chosen pair", stages, ["sine", "cosine"]);
  const dots = numbersTable(
    "dot product of the position with every position",
    rows.map((_, i) => `${i}`),
    ["product"],
  );
  const row = numbersTable(
    "the encoding of the position",
    ["value"],
    rows[0].map((_, j) => `${j}`),
  );
  base.numbers.append(pairs.node, dots.node, row.node);
  const write = ({ texts }, values, digits) =>
    values.forEach((value, i) => {
      texts[i].data = value === null ? "?" : signed(value, digits);
    });
  return ({ position, pair, shift, rotated }, products) => {
    const at = pairAt(position, pair);
    const there = pairAt(position + shift, pair);
    write(pairs, [...at, ...rotated, ...there], 8);
    write(dots, products, 6);
    write(row, rows[position], 8);
  };
};

const ramp = Array.from({ length: 101 }, (_, i) => i / 50 - 1);

/** The table under its title, over the bar of its colours. */
const tableSection = (base, { rows }, table) => {
  const key = h("canvas", { className: "pixels key", "aria-hidden": "true" });
  const ticks = ["−1", "0", "1"].map((tick) => h("span", {}, tick));
  const length = rows.length;
  const width = rows[0].length;
  const lines = rows[0].flatMap((_, j) => rows.map((row) => row[j]));
  base.paint(table.map, lines, width, length, { signed: true });
  base.paint(key, ramp, 1, ramp.length, { signed: true });
  const title = heading("the table", "position across, number down");
  return h("section", {}, title, table.node, h("div", { className: "scale" }, key, ...ticks));
};

/**
 * The table and, on its axis, the waves of the chosen pair: `fit(width)` draws these anew.
 */
const curvesOf = (base, encoding, choose) => {
  const { rows } = encoding;
  const table = tableOf({ length: rows.length, width: rows[0].length, choose });
  let waves = { node: h("div"), update: (_) => {} };
  const names = ["sine", "cosine"].map((name, i) =>
    h("b", { className: ["first", "second"][i] }, name),
  );
  const title = h("p", { className: "title plain" }, ...names);
  const node = h(
    "div",
    { className: "curves" },
    tableSection(base, encoding, table),
    h("section", {}, title, waves.node),
  );
  return {
    node,
    fit(width) {
      const next = wavesOf(encoding, { width, choose });
      waves.node.replaceWith(next.node);
      waves = next;
    },
    update(state) {
      table.update(state);
      waves.update(state);
    },
  };
};

/** The chosen pair as the hand of a clock, under the hands of all pairs. */
const turningOf = (encoding, { now, turn, choose }) => {
  const last = encoding.rows[0].length / 2 - 1;
  const dials = dialsOf(encoding, last, (pair) => choose({ pair }));
  const title = pairTitle();
  const clock = clockOf(encoding, { now, turn });
  const text = h("p", { className: "terms" });
  const parts = [dials.node, title.node, clock.node, text];
  return {
    node: h("section", { className: "turning" }, ...parts),
    update(state) {
      dials.update(state);
      clock.update(state);
      title.update({ pair: state.pair, turn: (2 * Math.PI) / encoding.rate(state.pair) });
      text.textContent = turnText(state);
    },
  };
};

/**
 * The dot products with every position, `known()` once they are predicted; `changed()` is called as
 * they may have become so.
 *
 * @param {Model} model
 */
const productsBelow = (base, model, encoding, { now, choose, changed }) => {
  const products = productsOf(base, model, encoding, { now, choose });
  const answer = untilGuessed(base, model, changed);
  const of = h("span", { className: "plain" });
  const title = h("p", { className: "title" }, "dot product ", of, " ", answer.button);
  return {
    node: h("section", { className: "products" }, title, products.node),
    known: answer.known,
    fit: products.fit,
    update(state) {
      products.update(state, answer.known());
      of.textContent = `of position ${state.position} with all`;
      answer.button.hidden = answer.known();
    },
  };
};

/**
 * What is chosen: a position, a pair and a shift, and the pair as the shift turns it.
 *
 * @param {Model} model
 */
const chosenIn = (model, { pairAt, rate }) => {
  const [position, pair, shift] = getAll(model, ["position", "pair", "shift"]);
  // The same two lines for every position: the matrix of the shift knows k and the pair, not the
  // place.
  const [s, c] = pairAt(position, pair);
  const [sin, cos] = pairAt(shift, pair);
  const rotated = [cos * s + sin * c, -sin * s + cos * c];
  return { position, pair, shift, rotated, degrees: (180 * shift * rate(pair)) / Math.PI };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    showHand(base, ".column i");
    const { root, body, say } = base;
    const length = model.get("length");
    const encoding = encodingOf(model.get("d_model"), length);
    const ends = { position: [0, length - 1], shift: [-(length >> 1), length >> 1] };
    const choose = (values) => put(model, values);
    const hand = {
      now: () => chosenIn(model, encoding),
      choose,
      turn: (which, value) =>
        choose({ [which]: Math.max(ends[which][0], Math.min(ends[which][1], value)) }),
      changed: () => update(),
    };
    const curves = curvesOf(base, encoding, choose);
    const turning = turningOf(encoding, hand);
    const products = productsBelow(base, model, encoding, hand);
    const write = encodingTables(base, encoding);
    body.classList.add("positions");
    body.append(curves.node, turning.node, products.node);

    const update = () => {
      const state = hand.now();
      const { position, pair, shift, rotated } = state;
      const known = products.known();
      for (const part of [curves, turning, products]) part.update(state);
      const dots = encoding.products(position);
      write(state, known ? dots : dots.map(() => null));
      Object.assign(root.dataset, { position, pair, shift, known });
      const [s, c] = encoding.pairAt(position, pair).map((value) => signed(value, 3));
      const then = rotated.map((value) => signed(value, 3)).join(", ");
      say(
        `position ${position}, pair ${pair}: sine ${s}, cosine ${c}; shifted by ${shift}: ${then}`,
      );
    };
    atWidth(base, curves.node, ROOM, (width) => {
      curves.fit(width);
      products.fit(width);
      update();
    });
    listen(model, ["position", "pair", "shift"], update);
    return () => base.dispose();
  },
};

export default figure;
