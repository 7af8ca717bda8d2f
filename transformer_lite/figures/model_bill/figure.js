// The bill of a model: its weights, and the cache that grows with the text.

import { atWidth } from "../kit/charts.js";
import { choicesOf } from "../kit/choices.js";
import { h } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { heading, table } from "../kit/tables.js";
import { barOf } from "./bar.js";
import { textOf } from "./text.js";

const WIDTH = { least: 260, most: 720 };

const counted = (tokens) => tokens.toLocaleString("en");

/** Gigabytes, to three digits. */
const inGigabytes = (bytes) => `${Number((bytes / 1e9).toPrecision(3))}`;

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

/** What the colours of the bar stand for, with the gigabytes of each. */
const keysOf = () => {
  const names = ["weights", "cache", "together"];
  const values = names.map(() => h("b"));
  const keys = names.map((name, i) => h("li", { className: name }, `${name} `, values[i], " GB"));
  const update = (sizes) => {
    names.forEach((name, i) => {
      values[i].textContent = inGigabytes(sizes[name]);
    });
  };
  return { node: h("ul", { className: "keys" }, ...keys), update };
};

/** The gigabytes of all models at the length that is shown, for the menu's table. */
const numbersOf = (models) => {
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
  render({ model, el }) {
    const base = frame(el, model);
    const { models, lengths, card } = base.constants;
    const names = models.map(({ name }) => name);
    const choices = choicesOf("model", names, (i) => put(model, { model: i }));
    const keys = keysOf();
    const numbers = numbersOf(models);
    const says = h("p", { className: "says" });
    const beyond = h("p", { className: "note" });
    let bar = { node: h("div") };
    let text = { node: h("div") };
    choices.node.classList.add("ui");
    base.body.classList.add("bill");
    base.body.append(choices.node, keys.node, bar.node, heading("the text, in tokens"), text.node);
    base.body.append(says, h("div", { className: "beyond" }, beyond));
    base.numbers.append(numbers.node);

    const update = () => {
      const chosen = model.get("model");
      const exponent = model.get("exponent");
      const its = models[chosen];
      const tokens = lengths[exponent];
      const sizes = sizesOf(its, tokens);
      choices.update(chosen);
      keys.update(sizes);
      numbers.update(tokens);
      bar.update(sizes.weights / 1e9, sizes.cache / 1e9);
      text.update(exponent, its.longest);
      says.textContent = sentenceOf(its.name, tokens, sizes);
      beyond.textContent = beyondOf(its, tokens);
      bar.node.setAttribute("aria-label", says.textContent);
      Object.assign(base.root.dataset, { model: chosen, exponent });
      base.say(`${says.textContent} ${beyond.textContent}`.trim());
    };
    atWidth(base, base.body, WIDTH, (width) => {
      const next = {
        bar: barOf(card, width),
        text: textOf(lengths, width, (exponent) => put(model, { exponent })),
      };
      bar.node.replaceWith(next.bar.node);
      text.node.replaceWith(next.text.node);
      bar = next.bar;
      text = next.text;
      update();
    });
    for (const trait of ["model", "exponent"]) model.on(`change:${trait}`, update);
    return () => base.dispose();
  },
};

export default figure;
