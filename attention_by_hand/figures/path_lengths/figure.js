// Path lengths: a message on its way from the first of n words to the last, in three kinds of
// layers.

import { atWidth } from "../kit/parts/charts.js";
import { choicesOf } from "../kit/parts/choices.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { listen, put } from "../kit/runtime/model.js";
import { guessMark, untilGuessed } from "../kit/shared/guess.js";
import { numbersTable } from "../kit/parts/tables.js";
import { showHand } from "../kit/shared/ghost.js";
import { countsOf } from "./counts.js";
import { laneOf } from "./lane.js";
import { counted, WAYS } from "./ways.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   n: number,
 *   k: number,
 *   step: number,
 *   last_step: number,
 *   prediction: string,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const WIDTHS = [2, 3, 4, 5, 6, 7];
const PACE = 800; // milliseconds a step

// How many places back a message is heard from after so many layers of width ASKED, by each answer
// for 1,000 words
const ASKED = 3;
const ANSWERS = {
  1: () => Infinity,
  7: (layers) => 3 ** layers - 1,
  500: (layers) => 2 * layers,
  999: (layers) => layers,
};

/**
 * The way that the message would take by the reader's guess, over the convolution's, and its key.
 *
 * @param {Model} model
 */
const guessOver = (base, model, lane) => {
  const dashes = svgNode("svg", { viewBox: "0 0 22 10", width: 22, height: 10 });
  dashes.append(svgNode("line", { x1: 0, x2: 18, y1: 6, y2: 6, class: "guess" }));
  const key = h("span", { className: "key" }, dashes, "your guess");
  lane.rule.after(key);
  const place = ({ guess }) =>
    ANSWERS[guess] && model.get("k") === ASKED ? [{ d: lane.route(ANSWERS[guess]) }] : null;
  const mark = guessMark(base, model, "path", place, key);
  lane.svg.append(mark.node);
  return mark;
};

/**
 * A button that sends the message, step by step, from the first word to the last.
 *
 * @param {Model} model
 */
const senderOf = (base, model) => {
  const button = h("button", { type: "button", className: "send ui" });
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "▶ Send the message";
  };
  const next = () => {
    put(model, { step: model.get("step") + 1 });
    if (model.get("step") >= model.get("last_step")) stop();
  };
  const send = () => {
    put(model, { step: 0 });
    timer = setInterval(next, PACE);
    button.textContent = "❚❚ Stop";
  };
  button.addEventListener("click", () => (timer === null ? send() : stop()));
  base.ended.addEventListener("abort", stop);
  stop();
  return { button, stop };
};

const COLUMNS = ["path length", "steps taken", "at word", "heard as"];

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    showHand(base, ".message");
    const { root, say } = base;
    const names = Object.keys(WAYS);
    const sender = senderOf(base, model);
    const byHand = (values) => {
      sender.stop();
      put(model, values);
    };
    const lanes = names.map((name) =>
      laneOf(name, WAYS[name], base.constants.heard, (step) => byHand({ step })),
    );
    const widths = choicesOf("width of the convolution", WIDTHS.map(String), (i) =>
      byHand({ k: WIDTHS[i] }),
    );
    const answer = untilGuessed(base, model, () => update());
    const counts = countsOf(
      (n) => byHand({ n, step: Math.min(model.get("step"), n - 1) }),
      answer.button,
    );
    const between = h("span", { className: "plain" });
    const [first, last] = base.constants.ends.map((word) => h("span", { lang: "de" }, word));
    lanes[0].title.after(h("div", { className: "widths ui" }, h("span", {}, "width"), widths.node));
    const way = h("div", { className: "lanes" }, sender.button, ...lanes.map(({ node }) => node));
    way.append(h("p", { className: "words" }, first, between, last));
    const body = h("div", { className: "ways" }, way, counts.node);
    base.body.append(body);
    body.classList.toggle("asks", model.get("prediction") !== "");
    const mark = guessOver(base, model, lanes[0]);
    const table = numbersTable("the ways of the message", names, COLUMNS);
    base.numbers.append(table.node);

    let width = 0;
    let before = {};
    const update = () => {
      const now = { n: model.get("n"), k: model.get("k"), step: model.get("step"), width };
      // It glides over one step, and jumps to where a hand puts it.
      const isNext = now.step === before.step + 1;
      body.classList.toggle("glides", now.n === before.n && now.k === before.k && isNext);
      before = now;
      const shown = lanes.map(({ show }) => show(now));
      shown.flat().forEach((value, i) => {
        table.texts[i].data = value;
      });
      widths.update(WIDTHS.indexOf(now.k));
      counts.update(now, answer.known());
      mark.draw();
      between.textContent = `${counted(now.n - 2, "word")} between`;
      Object.assign(root.dataset, { words: now.n, width: now.k, step: now.step });
      const parts = lanes.map(
        ({ count }, i) => `${names[i]} ${count.textContent}, heard as ${shown[i].at(-1)}`,
      );
      say(`step ${now.step}: ${parts.join(", ")}`);
    };
    const room = { least: 260, most: 1200 };
    atWidth(base, counts.node, room, (wide) => {
      counts.fit(wide);
      if (width) update();
    });
    atWidth(base, way, room, (wide) => {
      width = wide;
      update();
    });
    listen(model, ["n", "k", "step"], update);
    return () => base.dispose();
  },
};

export default figure;
