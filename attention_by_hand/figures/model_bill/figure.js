// The bill of each model: its weights, and the cache that grows with the text, on a card.

import { atWidth } from "../kit/parts/charts.js";
import { choicesOf } from "../kit/parts/choices.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { listen, put } from "../kit/runtime/model.js";
import { heading, table } from "../kit/parts/tables.js";
import { showHand } from "../kit/shared/ghost.js";
import { barOf, footOf, headOf, partsOf, sizeOf } from "./bars.js";
import { textOf } from "./text.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   model: number,
 *   exponent: number,
 *   card_place: number,
 *   bits_place: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const WIDTH = { least: 260, most: 1200 };
const NARROW = 480; // pixels: up to there, the names stand over the bars
const NAMES = 156;
const MARK = 4; // at the chosen one

const counted = (tokens) => tokens.toLocaleString("en");

const sizesOf = (model, tokens, bits) => {
  const [weights, used] = [model.weights, model.used].map((number) => (number * bits) / 8);
  const cache = model.token * tokens + model.near * Math.min(tokens, model.window);
  return { weights, used, cache, together: weights + cache };
};

/** How many tokens fit into so many bytes of cache. */
const roomIn = ({ token, near, window }, bytes) => {
  const tokens = Math.floor(bytes / (token + near));
  return tokens <= window ? tokens : Math.floor((bytes - near * window) / token);
};

/** So many tokens, rounded down to two digits. */
const about = (tokens) => {
  const step = 10 ** Math.max(0, `${tokens}`.length - 2);
  return `about ${counted(Math.floor(tokens / step) * step)}`;
};

/** Whether a token uses some of the weights only. */
const isMixture = (model) => model.used < model.weights;

/** What fits on the card. */
const fittingOf = (model, card, bits) => {
  const { name, longest } = model;
  const { weights, used } = sizesOf(model, 0, bits);
  const share = `a token uses ${sizeOf(used)} of its ${sizeOf(weights)}`;
  const room = roomIn(model, card * 1e9 - weights);
  if (room < 1) {
    const small = `A card of ${card} GB is too small for the weights of ${name}`;
    return isMixture(model) ? `${small}: ${share}.` : `${small}, ${sizeOf(weights)}.`;
  }
  const held = `A card of ${card} GB holds ${name} and`;
  if (model.table && room > longest)
    return `${held} the longest text that it can read, ${counted(longest)} tokens.`;
  const text = `${held} a text of ${about(room)} tokens`;
  return isMixture(model) ? `${text}; ${share}.` : `${text}.`;
};

/** What is to be said where the text, or the one that the card has room for, is longer than the model
 * was made for.
 */
const beyondOf = (model, tokens, card, bits) => {
  const { name, longest, table } = model;
  const room = table ? 0 : roomIn(model, card * 1e9 - sizesOf(model, 0, bits).weights);
  if (Math.max(tokens, room) <= longest) return "";
  const most = counted(longest);
  return table
    ? `${name} has never read so far: its table of positions ends at ${most} tokens.`
    : `${name} was published for texts of up to ${most} tokens.`;
};

/** What colours and frames of the bars stand for. */
const keyOf = (models) => {
  const weights = { used: "weights that a token uses", held: "held for other tokens" };
  const named = models.some(isMixture) ? weights : { used: "weights" };
  const all = {
    ...named,
    cache: "cache, in 16 bits",
    room: "the card",
    over: "too much for it",
  };
  const keys = Object.entries(all);
  return h(
    "ul",
    { className: "keys" },
    ...keys.map(([className, name]) => h("li", { className }, name)),
  );
};

/** A row for each model, of which one is chosen: {node, fit(width), update(now)}. */
const rowsOf = ({ models, cards }, choose, chooseCard) => {
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
  let label = null;
  const fit = (width) => {
    const room = width > NARROW ? width - NAMES : width - MARK;
    bars = rows.map(() => barOf(room));
    rows.forEach(({ bar }, i) => bar.replaceChildren(bars[i].node));
    label = headOf(cards, room, chooseCard);
    head.replaceChildren(label.node);
    foot.replaceChildren(footOf(room));
  };
  const update = ({ chosen, tokens, card, bits }) => {
    choices.update(chosen);
    label.update(card);
    models.forEach((model, i) => {
      const sizes = sizesOf(model, tokens, bits);
      rows[i].parts.update(sizes);
      bars[i].update(sizes, card);
    });
  };
  const node = h("div", { className: "bars" }, head, choices.node, foot);
  return { node, fit, update };
};

/** The memory of all models at the length that is shown, for the menu's table. */
const memoryTable = (models) => {
  const names = models.map(({ name }) => name);
  const columns = ["weights", "used for a token", "cache", "together"];
  const { node, cells } = table(names, columns, { caption: "" });
  const update = (tokens, bits) => {
    node.caption.textContent = `Memory at ${counted(tokens)} tokens`;
    models.forEach((model, i) => {
      const { weights, used, cache, together } = sizesOf(model, tokens, bits);
      [weights, used, cache, together].forEach((bytes, j) => {
        cells[i][j].textContent = sizeOf(bytes);
      });
    });
  };
  return { node, update };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    showHand(base, "rect.hold");
    const { models, lengths, cards, bits: precisions } = base.constants;
    const rows = rowsOf(
      base.constants,
      (i) => put(model, { model: i }),
      (i) => put(model, { card_place: i }),
    );
    const names = precisions.map((bits) => `${bits} bits`);
    const precision = choicesOf("weights in", names, (i) => put(model, { bits_place: i }));
    const numbers = memoryTable(models);
    const fitting = h("p", { className: "fitting" });
    const beyond = h("p", { className: "note" });
    let text = { node: h("div") };
    base.body.classList.add("bill");
    base.body.classList.toggle("mixtures", models.some(isMixture));
    const inBits = h("div", { className: "bits" }, "weights in", precision.node);
    const top = h("div", { className: "top" }, keyOf(models), inBits);
    base.body.append(top, rows.node, heading("the text, in tokens"), text.node);
    base.body.append(fitting, h("div", { className: "beyond" }, beyond));
    base.numbers.append(numbers.node);

    const update = () => {
      const chosen = model.get("model");
      const exponent = model.get("exponent");
      const its = models[chosen];
      const tokens = lengths[exponent];
      const card = cards[model.get("card_place")];
      const bits = precisions[model.get("bits_place")];
      rows.update({ chosen, tokens, card, bits });
      precision.update(model.get("bits_place"));
      numbers.update(tokens, bits);
      text.update(exponent, its.longest);
      fitting.textContent = fittingOf(its, card, bits);
      beyond.textContent = beyondOf(its, tokens, card, bits);
      base.root.setAttribute("aria-label", `Bill of ${its.name} at ${counted(tokens)} tokens`);
      Object.assign(base.root.dataset, { model: chosen, exponent, card, bits });
      base.say(`${fitting.textContent} ${beyond.textContent}`.trim());
    };
    atWidth(base, base.body, WIDTH, (width) => {
      rows.fit(width);
      const next = textOf(lengths, width, (exponent) => put(model, { exponent }));
      text.node.replaceWith(next.node);
      text = next;
      update();
    });
    listen(model, ["model", "exponent", "card_place", "bits_place"], update);
    return () => base.dispose();
  },
};

export default figure;
