// Recall: the share of letters written again in their place, length by length, and one example for
// the chosen length.

import { atWidth } from "../kit/parts/charts.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { guessMark } from "../kit/shared/guess.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, put } from "../kit/runtime/model.js";
import { numbersTable } from "../kit/parts/tables.js";
import { percent, plotOf } from "./plot.js";
import { withheld } from "./withheld.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   lengths: any[],
 *   shares: any[],
 *   examples: any[],
 *   length: number,
 *   prediction: string,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const ROOM = { least: 280, most: 640 }; // pixels: of the plot
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/**
 * One row of letters, and what each model has written; `show` is pressed where that is still
 * withheld.
 */
const writtenOf = (models, show) => {
  const node = h("dl", { className: "written" });
  const button = h("button", { type: "button" }, "Show it without a guess");
  button.addEventListener("click", show);
  const update = ([read, ...others], isKnown) => {
    const letters = (text) =>
      [...text].map((letter, i) => h(letter === read[i] ? "span" : "s", {}, letter));
    const rows = others.map((text, i) => [models[i], isKnown(i) ? letters(text) : [button]]);
    node.replaceChildren(
      ...[["read", letters(read)], ...rows].flatMap(([name, parts]) => [
        h("dt", {}, name),
        h("dd", {}, ...parts),
      ]),
    );
  };
  return { node, update };
};

/** The shares of one length as a table: each model's mean, and each of its seeds. */
const sharesIn = (base, models, { shares, means }) => {
  const seeds = shares[0][0].map((_, i) => `seed ${i}`);
  const table = numbersTable("share of letters written right", models, ["mean", ...seeds]);
  base.numbers.append(table.node);
  return (length, isKnown) =>
    means.forEach((ofModel, i) => {
      [ofModel[length], ...shares[i][length]].forEach((share, j) => {
        table.texts[i * (1 + seeds.length) + j].data = isKnown(i) ? share.toFixed(4) : "?";
      });
    });
};

/**
 * The reader's guess at the first model, beside its line; the words stand where no line is.
 *
 * @param {Model} model
 */
const guessIn = (base, model, { asked, lengths, means }, plot) =>
  guessMark(base, model, "circle", ({ share }) => {
    const { px, py } = plot();
    const x = px(asked);
    const y = py(share);
    const above = share > means[0][lengths.indexOf(asked)];
    const words = above
      ? { x: x + 10, y: share > 0.8 ? y + 20 : y - 7, "text-anchor": "start" }
      : { x: x - 10, y: Math.min(y + 4, py(0.12)), "text-anchor": "end" };
    return [{ cx: x, cy: y, r: 7 }, words];
  });

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { said: () => said });
    const { root, body, say } = base;
    const { models } = base.constants;
    const [lengths, shares, examples] = getAll(model, ["lengths", "shares", "examples"]);
    const measured = { ...base.constants, lengths, shares };
    measured.means = shares.map((ofModel) => ofModel.map(mean));
    const { means } = measured;
    const write = sharesIn(base, models, measured);

    const title = h("p", { className: "title" });
    const answer = withheld(base, model, {
      free: base.constants.free - 1,
      last: lengths.length - 1,
      changed: () => update(),
    });
    const written = writtenOf(models, answer.show);
    let plot = { node: h("div") };
    let said = ""; // what is shown, as text
    const mark = guessIn(base, model, measured, () => plot);
    body.append(title, plot.node, written.node);

    const update = () => {
      const length = model.get("length");
      const last = lengths.indexOf(length);
      const ends = [Math.min(last, answer.upTo()), last];
      const isKnown = (i) => ends[i] === last;
      const letters = `${length} ${length === 1 ? "letter" : "letters"}`;
      title.textContent = `${letters} to remember`;
      plot.update(length, ends);
      written.update(examples[last], isKnown);
      write(last, isKnown);
      mark.draw();
      Object.assign(root.dataset, { length, known: isKnown(0) });
      const parts = models.map(
        (name, i) => `${name} ${isKnown(i) ? percent(means[i][last]) : "not before your guess"}`,
      );
      say(`${letters}: ${parts.join(", ")}`);
      const [read, ...texts] = examples[last];
      const lines = parts.map((part, i) => (isKnown(i) ? `${part} right, here ${texts[i]}` : part));
      said = [`${letters} to remember, here ${read}`, ...lines].join("\n");
    };
    /** Draws the plot as wide as there is room, so that its letters are as large as all others. */
    const draw = (width) => {
      const next = plotOf(measured, models, width);
      plot.node.replaceWith(next.node);
      next.node.append(mark.node);
      plot = next;
      drag(plot.node, {
        move: (event) => {
          const length = plot.lengthAt(pointIn(plot.node, event).x);
          put(model, { length: Math.max(lengths[0], Math.min(lengths.at(-1), length)) });
        },
      });
      update();
    };
    model.on("change:length", update);
    atWidth(base, body, ROOM, draw);
    return () => base.dispose();
  },
};

export default figure;
