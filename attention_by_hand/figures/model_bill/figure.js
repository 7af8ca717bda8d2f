// The bill of each model: its weights, and the cache that grows with the text.

import { atWidth } from "../kit/parts/charts.js";
import { choicesOf } from "../kit/parts/choices.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { listen, put } from "../kit/runtime/model.js";
import { heading, table } from "../kit/parts/tables.js";
import { barOf, footOf, headOf, inGigabytes, partsOf } from "./bars.js";
import { textOf } from "./text.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   model: number,
 *   exponent: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const WIDTH = { least: 260, most: 720 };
const NARROW = 480; // pixels: up to there, the names stand over the bars
const NAMES = 134;
const MARK = 4; // at the chosen one

const counted = (tokens) => tokens.toLocaleString("en");

const sizesOf = ({ weights, token }, tokens) => {
  const cache = token * tokens;
  return { weights, cache, together: weights + cache };
};

const sentenceOf = (name, tokens, { weights, cache }) =>
  `At ${counted(tokens)} tokens the cache of ${name} takes ${inGigabytes(cache)} GB, ` +
  `${cache > weights ? "more" : "less"} than its weights.`;

/** What is to be said of a text that is longer than the model was made for. */
const beyondOf = ({ name, longest, table }, tokens) => {
  if (tokens <= longest) return "";
  const most = counted(longest);
  return table
    ? `${name} has never read so far: its table of positions ends at ${most} tokens.`
    : `${name} was published for texts of up to ${most} tokens.`;
};

/** What the colours of the bars stand for. */
const keyOf = () => {
  const keys = ["weights", "cache"].map((name) => h("li", { className: name }, name));
  return h("ul", { className: "keys" }, ...keys);
};

/** A row for each model, of which one is chosen: {node, fit(width), update(chosen, tokens)}. */
const rowsOf = (models, card, choose) => {
  const names = models.map(({ name }) => name);
  const choices = choicesOf("model", names, choose);
  const rows = [...choices.node.children].map((button) => {
    const parts = partsOf();
    const bar = h("span", { className: "bar" });
    button.append(parts.node, bar);
    return { parts, bar };
  });
  const [head, foot] = ["head", "foot"].map((name) => h("div", { className: name }));
  let bars = [];
  const fit = (width) => {
    const room = width > NARROW ? width - NAMES : width - MARK;
    bars = rows.map(() => barOf(card, room));
    rows.forEach(({ bar }, i) => bar.replaceChildren(bars[i].node));
    head.replaceChildren(headOf(card, room));
    foot.replaceChildren(footOf(room));
  };
  const update = (chosen, tokens) => {
    choices.update(chosen);
    models.forEach((model, i) => {
      const sizes = sizesOf(model, tokens);
      rows[i].parts.update(sizes);
      bars[i].update(sizes);
    });
  };
  const node = h("div", { className: "bars" }, keyOf(), head, choices.node, foot);
  return { node, fit, update };
};

/** The gigabytes of all models at the length that is shown, for the menu's table. */
const gigabyteTable = (models) => {
  const names = models.map(({ name }) => name);
  const { node, cells } = table(names, ["weights", "cache", "together"], { caption: "" });
  const update = (tokens) => {
    node.caption.textContent = `Gigabytes at ${counted(tokens)} tokens`;
    models.forEach((model, i) => {
      const { weights, cache, together } = sizesOf(model, tokens);
      [weights, cache, together].forEach((bytes, j) => {
        cells[i][j].textContent = inGigabytes(bytes);
      });
    });
  };
  return { node, update };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { models, lengths, card } = base.constants;
    const rows = rowsOf(models, card, (i) => put(model, { model: i }));
    const numbers = gigabyteTable(models);
    const says = h("p", { className: "says" });
    const beyond = h("p", { className: "note" });
    let text = { node: h("div") };
    base.body.classList.add("bill");
    base.body.append(rows.node, heading("the text, in tokens"), text.node);
    base.body.append(says, h("div", { className: "beyond" }, beyond));
    base.numbers.append(numbers.node);

    const update = () => {
      const chosen = model.get("model");
      const exponent = model.get("exponent");
      const its = models[chosen];
      const tokens = lengths[exponent];
      const sizes = sizesOf(its, tokens);
      rows.update(chosen, tokens);
      numbers.update(tokens);
      text.update(exponent, its.longest);
      says.textContent = sentenceOf(its.name, tokens, sizes);
      beyond.textContent = beyondOf(its, tokens);
      base.root.setAttribute("aria-label", `Bill of ${its.name} at ${counted(tokens)} tokens`);
      Object.assign(base.root.dataset, { model: chosen, exponent });
      base.say(`${says.textContent} ${beyond.textContent}`.trim());
    };
    atWidth(base, base.body, WIDTH, (width) => {
      rows.fit(width);
      const next = textOf(lengths, width, (exponent) => put(model, { exponent }));
      text.node.replaceWith(next.node);
      text = next;
      update();
    });
    listen(model, ["model", "exponent"], update);
    return () => base.dispose();
  },
};

export default figure;
