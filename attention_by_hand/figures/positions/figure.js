// Positions: one pair as the hand of a clock and, beside it, its waves, all hands, the table, or the
// dot product with every position.

import { atWidth } from "../kit/parts/charts.js";
import { choicesOf } from "../kit/parts/choices.js";
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
 *   shows: number,
 *   pictures: string[],
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const TWO = 3; // the picture of two positions
/** @type {["position", "pair", "shift", "shows"]} */
const CHOSEN = ["position", "pair", "shift", "shows"];
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

/** The waves of the chosen pair: `fit(width)` draws them anew. */
const wavesIn = (encoding, choose) => {
  let waves = { node: h("div"), update: (_) => {} };
  const names = ["sine", "cosine"].map((name, i) =>
    h("b", { className: ["first", "second"][i] }, name),
  );
  const title = h("p", { className: "title waves" }, ...names, "of its tip, position by position");
  return {
    node: h("section", {}, title, waves.node),
    fit(width) {
      const next = wavesOf(encoding, { width, choose });
      waves.node.replaceWith(next.node);
      waves = next;
    },
    update: (state) => waves.update(state),
  };
};

/** The chosen pair as the hand of a clock. */
const turningOf = (encoding, { now, turn }) => {
  const title = pairTitle();
  const clock = clockOf(encoding, { now, turn });
  const text = h("p", { className: "terms" });
  return {
    node: h("section", { className: "turning" }, clock.node, title.node, text),
    update(state) {
      clock.update(state);
      title.update(state, encoding.pairAt(state.position, state.pair));
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
  const value = h("b", { className: "value" });
  const title = h("p", { className: "title" }, "dot product ", of, " ", value, answer.button);
  return {
    node: h("section", { className: "products" }, title, products.node),
    known: answer.known,
    fit: products.fit,
    update(state) {
      const { position, shift } = state;
      const product = encoding.products(position)[position + shift];
      const isSeen = answer.known() && product !== undefined;
      products.update(state, answer.known());
      of.textContent = `of position ${position} with ${isSeen ? position + shift : "all"}`;
      value.textContent = isSeen ? product.toFixed(1) : "";
      answer.button.hidden = answer.known();
    },
  };
};

/** What is pressed for each of the pictures. */
const namesOf = (pictures, hands) =>
  pictures.map((name) => (name === "all hands" ? `all ${hands} hands` : name));

/**
 * What is chosen: a position, a pair and a shift, and the pair as the shift turns it.
 *
 * @param {Model} model
 */
const chosenIn = (model, { pairAt, rate }) => {
  const [position, pair, shift, shows] = getAll(model, CHOSEN);
  // The same two lines for every position: the matrix of the shift knows k and the pair, not the
  // place.
  const [s, c] = pairAt(position, pair);
  const [sin, cos] = pairAt(shift, pair);
  const rotated = [cos * s + sin * c, -sin * s + cos * c];
  const perPosition = (180 * rate(pair)) / Math.PI;
  const degrees = shift * perPosition;
  return { position, pair, shift, rotated, perPosition, degrees, hasTwo: shows === TWO };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    showHand(base, ".tip.now");
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
    const waves = wavesIn(encoding, choose);
    const last = model.get("last_pair");
    const dials = dialsOf(encoding, last, (pair) => choose({ pair }));
    const table = tableOf({ length, width: model.get("d_model"), choose });
    const products = productsBelow(base, model, encoding, hand);
    const turning = turningOf(encoding, hand);
    const write = encodingTables(base, encoding);
    const names = namesOf(model.get("pictures"), last + 1);
    const choices = choicesOf("seen beside the clock", names, (shows) => choose({ shows }));
    const sections = [waves.node, dials.node, tableSection(base, encoding, table), products.node];
    const stage = h("div", { className: "stage" }, ...sections);
    body.classList.add("positions");
    body.append(turning.node, choices.node, stage);

    const update = () => {
      const state = hand.now();
      const { position, pair, shift, rotated } = state;
      const known = products.known();
      const shown = names[model.get("shows")] ? model.get("shows") : 0; // an address may have any
      choices.update(shown);
      sections.forEach((section, i) => {
        section.hidden = i !== shown;
      });
      for (const part of [waves, dials, table, turning, products]) part.update(state);
      const dots = encoding.products(position);
      write(state, known ? dots : dots.map(() => null));
      Object.assign(root.dataset, { position, pair, shift, known });
      const [s, c] = encoding.pairAt(position, pair).map((value) => signed(value, 3));
      const then = rotated.map((value) => signed(value, 3)).join(", ");
      say(
        `position ${position}, pair ${pair}: sine ${s}, cosine ${c}; shifted by ${shift}: ${then}`,
      );
    };
    atWidth(base, stage, ROOM, (width) => {
      waves.fit(width);
      products.fit(width);
      update();
    });
    model.on("change:shift", () => choose({ shows: TWO })); // where it is seen
    listen(model, CHOSEN, update);
    return () => base.dispose();
  },
};

export default figure;
