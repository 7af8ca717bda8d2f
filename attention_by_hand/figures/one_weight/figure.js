// One weight: the loss as a curve, the slope where training stands, and the steps that led there.

import { atWidth } from "../kit/parts/charts.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { inText } from "../kit/runtime/pulled.js";
import { h } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { numbersTable } from "../kit/parts/tables.js";
import { showHand } from "../kit/shared/ghost.js";
import { curveOf } from "./curve.js";
import { descentOf, MOST_STEPS } from "./descent.js";
import { counted, farOf, panelOf } from "./panel.js";
import { ratesOf } from "./rates.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   weight: number,
 *   rate: number,
 *   steps: number,
 *   prediction: string,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const ROOM = { least: 280, most: 400 }; // pixels: of a chart
const FAR = 4; // pixels: from where on a press is a drag
const clamped = (value, least, most) => Math.min(most, Math.max(least, value));
const rounded = (value, steps) => Math.round(value * steps) / steps;

/** Dragging the ball starts anew where it is let go; a press that does not move is a step. */
const dragBall = (curve, moved, step) => {
  let from = null;
  let far = false;
  drag(curve.grip, {
    move: (event) => {
      from ??= event.clientX;
      far ||= Math.abs(event.clientX - from) >= FAR;
      if (far) moved(curve.weightAt(pointIn(curve.node, event).x));
    },
    done: () => {
      if (from !== null && !far) step();
      from = null;
      far = false;
    },
  });
  curve.node.addEventListener("click", ({ target }) => {
    if (target !== curve.grip) step();
  });
};

const figure = {
  inText,
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { line: false });
    showHand(base, ".ball");
    const { root, body, say, constants } = base;
    const descent = descentOf(constants);
    const { from, to } = constants;
    const traits = () => getAll(model, ["weight", "rate", "steps"]);
    const step = () => put(model, { steps: Math.min(MOST_STEPS, model.get("steps") + 1) });
    const panel = panelOf(constants, { step, restart: () => put(model, { steps: 0 }) });
    const rates = ratesOf(base, model, descent);
    let curve = { node: h("div") };
    const top = h("div", { className: "descent" }, curve.node, panel.node);
    body.append(top, rates.section);
    const stages = Array.from({ length: MOST_STEPS + 1 }, (_, i) => `${i}`);
    const columns = ["weight", "loss", "slope"];
    const table = numbersTable("weight, loss and slope after each step", stages, columns);
    base.numbers.append(table.node);

    let before = null;
    const update = () => {
      const [first, rate, steps] = traits();
      const path = descent.path(first, rate, MOST_STEPS);
      const now = path[steps];
      const height = descent.loss(now);
      const rise = descent.slope(now);
      const next = descent.next(now, rate);
      const within = now >= from && now <= to;
      const times = within ? null : descent.far(now) / descent.far(first);
      curve.update(path.slice(0, steps + 1), before !== null && steps !== before);
      before = steps;
      panel.update({ steps, now, height, rise, rate, next, times, last: steps === MOST_STEPS });
      const count = rates.update(first, rate);
      path.forEach((w, i) => {
        [w, descent.loss(w), descent.slope(w)].forEach((value, j) => {
          table.texts[3 * i + j].data = signed(value);
        });
      });
      Object.assign(root.dataset, { weight: first.toFixed(2), rate: rate.toFixed(2), steps });
      model.answers = { arrives: count < Infinity ? `after ${counted(count)}` : "never" };
      const [w, l, s] = [now, height, rise].map((value) => signed(value, 2));
      const far = times === null ? "" : `. ${farOf(now, times)}`;
      say(`after ${counted(steps)}: weight ${w}, loss ${l}, slope ${s}${far}`);
    };
    /**
     * Draws both charts as wide as there is room, so that their letters are as large as all others.
     */
    const draw = (width) => {
      const drawn = curveOf(descent, constants, width, base.ended);
      curve.node.replaceWith(drawn.node);
      curve = drawn;
      const start = (weight) =>
        put(model, { weight: clamped(rounded(weight, 10), from, to), steps: 0 });
      dragBall(curve, start, step);
      const chart = rates.fit(width);
      drag(chart.node, {
        move: (event) => {
          const rate = rounded(chart.rateAt(pointIn(chart.node, event).x), 100);
          put(model, { rate: clamped(rate, 0.01, 0.3) });
        },
      });
      update();
    };
    listen(model, ["weight", "rate", "steps"], update);
    atWidth(base, body, ROOM, draw);
    return () => base.dispose();
  },
};

export default figure;
