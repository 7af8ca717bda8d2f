// One slope: what a loss tells one weight, multiplied along the way back in the reader's hand.

import { byPencil } from "../kit/shared/boxes.js";
import { h, svgNode, token } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { whenSized } from "../kit/parts/sized.js";
import { numbersTable } from "../kit/parts/tables.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { inText } from "../kit/runtime/pulled.js";
import { sheetOf } from "./sheet.js";
import { tasksOf, wayOf, weightAfter } from "./tasks.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   step: number,
 *   taken: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const THICKEST = 13; // pixels, as on the front page
const AT_ONCE = 10; // steps

const two = (value) => signed(value, 2);
const percent = (share) => `${Math.round(100 * share)}\u00a0%`;

/** The two words, the one that is written, and a thread to each, as thick as its share. */
const threadsOf = ({ words, writes }) => {
  const svg = svgNode("svg", { "aria-hidden": "true" });
  const above = words.map((word) => h("span", { className: "word" }, token(word)));
  const below = h("span", { className: "word" }, token(writes[1]));
  const paths = words.map(() => svgNode("path"));
  svg.append(...paths);
  const line = h("div", { className: "line" }, ...above);
  const node = h(
    "div",
    { className: "threads" },
    svg,
    line,
    h("div", { className: "line" }, below),
  );
  const middle = ({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth / 2;
  const place = () => {
    const [to, bottom] = [middle(below), below.offsetTop - 2];
    paths.forEach((path, i) => {
      const [from, top] = [middle(above[i]), above[i].offsetTop + above[i].offsetHeight + 2];
      const turn = (top + bottom) / 2;
      path.setAttribute("d", `M${from} ${top}C${from} ${turn} ${to} ${turn} ${to} ${bottom}`);
    });
  };
  const update = (shares) =>
    paths.forEach((path, i) => path.setAttribute("stroke-width", `${THICKEST * shares[i]}`));
  return { node, place, update };
};

/** What has come of the steps. */
const told = (taken, given) => {
  const [first, before, now] = [0, 1, taken + 1].map((n) => wayOf(weightAfter(n, given), given));
  if (taken)
    return `After ${taken + 1} steps the weight is ${two(now.weight)}: ${percent(now.share)} of the look goes to “bier”, and “beer” has a probability of ${two(now.p)}.`;
  const promised = given.rate * first.slope ** 2;
  return `The loss is lower by ${(first.loss - before.loss).toFixed(3)}. For a step of ${two(before.weight)} the slope promised ${promised.toFixed(3)}, a little more, since it grows flatter on the way.`;
};

const figure = {
  inText,
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, numbers, say } = base;
    const given = base.constants;
    const tasks = tasksOf(given);
    const prompt = () => tasks[model.get("step")]?.text ?? told(model.get("taken"), given);

    const boxes = byPencil(model, say, tasks, prompt);
    const more = h(
      "button",
      { type: "button", className: "more ui" },
      `Take ${AT_ONCE} more steps`,
    );
    more.addEventListener("click", () =>
      put(model, { taken: Math.min(given.most, model.get("taken") + AT_ONCE) }),
    );
    boxes.node.append(more);
    const sheet = sheetOf(given, boxes.inputs, boxes.node);
    const threads = threadsOf(given);
    const parts = ["loss", "mixture", "share", "score", "weight"];
    const written = numbersTable("number and slope", parts, ["number", "slope"]);
    numbers.append(written.node);
    const update = () => {
      const [step, taken] = getAll(model, ["step", "taken"]);
      const isDone = step === tasks.length;
      const after = wayOf(weightAfter(taken + 1, given), given);
      const way = isDone ? after : wayOf(0, given);
      sheet.update(step, way);
      threads.update([1 - way.share, way.share]);
      const slopes = [1, way.toMixture, way.toShare, way.toScore, way.slope];
      parts.forEach((part, i) => {
        written.texts[2 * i].data = signed(way[part], 4);
        written.texts[2 * i + 1].data = isDone ? signed(slopes[i], 4) : "?";
      });
      more.hidden = !isDone;
      more.disabled = taken === given.most;
      boxes.update();
      root.dataset.step = step;
      root.dataset.taken = taken;
      model.answers = { p: percent(after.p) };
    };
    body.classList.add("by-pencil");
    body.append(threads.node, sheet.node);
    listen(model, ["step", "taken"], update);
    whenSized(base, threads.node, threads.place);
    update();
    threads.place();
    return () => base.dispose();
  },
};

export default figure;
