// Positions: the table, one pair as waves and as the hand of a clock, and the dot product with
// every position.

import { atWidth } from "../kit/parts/charts.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { untilGuessed } from "../kit/shared/guess.js";
import { signed } from "../kit/parts/numbers.js";
import { heading, numbersTable } from "../kit/parts/tables.js";
import { productsOf, wavesOf } from "./curves.js";
import { dialsOf } from "./dials.js";
import { encodingOf } from "./encoding.js";
import { tableOf } from "./table.js";
import { clockOf, pairTitle, turnText } from "./turning.js";

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

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const width = model.get("d_model");
    const length = model.get("length");
    const last = width / 2 - 1;
    const encoding = encodingOf(width, length);
    const now = () => {
      const [position, pair, shift] = getAll(model, ["position", "pair", "shift"]);
      // The same two lines for every position: the matrix of the shift knows k and the pair, not
      // the place.
      const [s, c] = encoding.pairAt(position, pair);
      const [sin, cos] = encoding.pairAt(shift, pair);
      const rotated = [cos * s + sin * c, -sin * s + cos * c];
      const degrees = (180 * shift * encoding.rate(pair)) / Math.PI;
      return { position, pair, shift, rotated, degrees };
    };
    const choose = (values) => put(model, values);
    const ends = { position: [0, length - 1], shift: [-(length >> 1), length >> 1] };
    const turn = (which, value) =>
      choose({ [which]: Math.max(ends[which][0], Math.min(ends[which][1], value)) });

    const table = tableOf({ length, width, choose });
    const title = pairTitle();
    const dials = dialsOf(encoding, last, (pair) => choose({ pair }));
    const clock = clockOf(encoding, { now, turn });
    const text = h("p", { className: "terms" });
    const products = productsOf(base, model, encoding, { now, choose });
    const product = h("span", { className: "plain" });
    const answer = untilGuessed(base, model, () => update());
    const write = encodingTables(base, encoding);
    let waves = { node: h("div"), update() {} };
    const names = ["sine", "cosine"].map((name, i) =>
      h("b", { className: ["first", "second"][i] }, name),
    );
    const curves = h(
      "div",
      { className: "curves" },
      tableSection(base, encoding, table),
      h("section", {}, h("p", { className: "title plain" }, ...names), waves.node),
    );
    const turning = h(
      "section",
      { className: "turning" },
      dials.node,
      title.node,
      clock.node,
      text,
    );
    const below = h(
      "section",
      { className: "products" },
      h("p", { className: "title" }, "dot product ", product, " ", answer.button),
      products.node,
    );
    body.classList.add("positions");
    body.append(curves, turning, below);

    const update = () => {
      const state = now();
      const { position, pair, shift, rotated } = state;
      const known = answer.known();
      for (const part of [table, waves, dials, clock]) part.update(state);
      products.update(state, known);
      title.update({ pair, turn: (2 * Math.PI) / encoding.rate(pair) });
      text.textContent = turnText(state);
      product.textContent = `of position ${position} with all`;
      answer.button.hidden = known;
      const dots = encoding.products(position);
      write(state, known ? dots : dots.map(() => null));
      Object.assign(root.dataset, { position, pair, shift, known });
      const [s, c] = encoding.pairAt(position, pair).map((value) => signed(value, 3));
      const then = rotated.map((value) => signed(value, 3)).join(", ");
      say(
        `position ${position}, pair ${pair}: sine ${s}, cosine ${c}; shifted by ${shift}: ${then}`,
      );
    };
    atWidth(base, curves, ROOM, (wide) => {
      const next = wavesOf(encoding, { width: wide, choose });
      waves.node.replaceWith(next.node);
      waves = next;
      products.fit(wide);
      update();
    });
    listen(model, ["position", "pair", "shift"], update);
    return () => base.dispose();
  },
};

export default figure;
