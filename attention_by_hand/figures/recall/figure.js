// Recall: the share of letters written again in their place, length by length, and one example for
// the chosen length.

import { atWidth } from "../kit/parts/charts.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { guessMark } from "../kit/shared/guess.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, put } from "../kit/runtime/model.js";
import { inText } from "../kit/runtime/pulled.js";
import { numbersTable } from "../kit/parts/tables.js";
import { copyText } from "../kit/runtime/menu.js";
import { showHand } from "../kit/shared/ghost.js";
import { Play } from "./play.js";
import { percent, plotOf } from "./plot.js";
import { resultOf, squaresOf } from "./round.js";
import { withheld } from "./withheld.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   lengths: any[],
 *   shares: any[],
 *   examples: any[],
 *   rounds: any[],
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

/**
 * The measurement, and the means of its seeds.
 *
 * @param {Model} model
 */
const measuredOf = (model, constants) => {
  const [lengths, shares, examples] = getAll(model, ["lengths", "shares", "examples"]);
  const means = shares.map((ofModel) => ofModel.map(mean));
  return { ...constants, lengths, shares, examples, means };
};

/**
 * Draws the plot as wide as there is room, in the place of the old one, so that its letters are as
 * large as all others.
 */
const drawnAt = (width, old, { model, measured, models, mark }) => {
  const plot = plotOf(measured, models, width);
  const { lengths } = measured;
  old.node.replaceWith(plot.node);
  plot.node.append(mark.node);
  drag(plot.node, {
    move: (event) => {
      const length = plot.lengthAt(pointIn(plot.node, event).x);
      put(model, { length: Math.max(lengths[0], Math.min(lengths.at(-1), length)) });
    },
  });
  return plot;
};

/** What is shown of a length: {letters, row, means, parts}, with null for a mean not to be told yet. */
const factsOf = ({ models, lengths, means, examples }, length, isKnown, rounds) => {
  const at = lengths.indexOf(length);
  const own = rounds.at(-1)?.row;
  const known = models.map((_, i) => (isKnown(i, at) ? means[i][at] : null));
  const share = (mean) => (mean === null ? "not before your guess" : percent(mean));
  return {
    letters: `${length} ${length === 1 ? "letter" : "letters"}`,
    row: own?.[0].length === length ? own : examples[at],
    means: known,
    parts: models.map((name, i) => `${name} ${share(known[i])}`),
  };
};

/** The same as text, one line for each model. */
const textOf = ({ letters, row: [read, ...written], means, parts }) => {
  const lines = parts.map((part, i) =>
    means[i] === null ? part : `${part} right, here ${written[i]}`,
  );
  return [`${letters} to remember, here ${read}`, ...lines];
};

/** The button that copies what the menu copies, once there is a result. */
const copyButton = (base, text) => {
  const button = h("button", { type: "button", className: "copy", hidden: true }, "Copy");
  button.addEventListener("click", () => copyText(text(), base.root, base.say));
  return button;
};

const figure = {
  inText,
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const text = () => [...told(), ...textOf(facts())].join("\n");
    const base = frame(el, model, { said: text });
    showHand(base, "rect.hold");
    const { root, body, say } = base;
    const { models } = base.constants;
    const measured = measuredOf(model, base.constants);
    const { lengths } = measured;
    const write = sharesIn(base, models, measured);

    const title = h("p", { className: "title" });
    const answer = withheld(base, model, {
      free: base.constants.free - 1,
      last: lengths.length - 1,
      changed: () => update(),
    });
    /** Whether the mean of model i is to be seen at the length of this index: see `withheld`. */
    const isKnown = (i, at) => i > 0 || at <= answer.upTo();
    const facts = (length = model.get("length")) => factsOf(measured, length, isKnown, play.rounds);
    const play = new Play(base, model.get("rounds"), base.constants, {
      begun: (length) => put(model, { length }),
      spoken: say,
      done: () => {
        const [{ marks }] = play.rounds.slice(-1);
        put(model, { length: marks.length });
        update();
        say(told()[0]);
      },
    });
    /** What came of the reader's last round: in words, and in squares. */
    const told = () =>
      play.rounds
        .slice(-1)
        .flatMap(({ marks }) => [
          resultOf(marks, models, facts(marks.length).means),
          squaresOf(marks),
        ]);
    const written = writtenOf(models, answer.show);
    const copy = copyButton(base, text);
    play.acts.append(copy);
    let plot = { node: h("div") };
    const mark = guessIn(base, model, measured, () => plot);
    body.append(play.node, title, plot.node, written.node);

    const update = () => {
      const length = model.get("length");
      const { letters, row, parts, means } = facts();
      const at = lengths.indexOf(length);
      title.textContent = `${letters} to remember`;
      plot.update(length, [Math.min(at, answer.upTo()), at], play.rounds);
      written.update(row, (i) => means[i] !== null);
      write(at, (i) => means[i] !== null);
      mark.draw();
      copy.hidden = !play.rounds.length;
      if (play.rounds.length) play.tell(told()[0]);
      const [one, attention] = measured.means.map((ofModel) => percent(ofModel[at]));
      Object.assign(root.dataset, { length, known: means[0] !== null, rounds: play.rounds.length });
      model.answers = { one, attention };
      say(`${letters}: ${parts.join(", ")}`);
    };
    model.on("change:length", update);
    atWidth(base, body, ROOM, (width) => {
      plot = drawnAt(width, plot, { model, measured, models, mark });
      update();
    });
    return () => base.dispose();
  },
};

export default figure;
