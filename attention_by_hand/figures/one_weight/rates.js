// How many steps each learning rate takes, and what the reader has said of that: shown only once it
// is said.

import { guessMark } from "../kit/shared/guess.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { heading } from "../kit/parts/tables.js";
import { namedChart } from "./axes.js";
import { LONG } from "./descent.js";

/** @import { Model } from "./figure.js" */

const MOST = 0.3;
const RATES = Array.from({ length: 30 }, (_, i) => (i + 1) / 100);

// What each answer looks like: a path in [rate, steps], and where its words end.
const SKETCHES = {
  "arrive sooner and sooner": ["M0.01 42Q0.05 7 0.3 3", 0.3, 9],
  "arrive sooner at first, later not at all": ["M0.01 42Q0.03 3 0.125 3Q0.22 3 0.24 50", 0.22, 40],
  "arrive later and later": ["M0.01 3Q0.2 6 0.3 44", 0.19, 20],
};

const chartOf = (width) => {
  const rates = namedChart({
    label: "",
    x: [0, MOST],
    y: [0, LONG],
    xTicks: [0, 0.05, 0.1, 0.15, 0.2, 0.25, MOST],
    yTicks: [0, 25, LONG],
    name: "learning rate",
    height: 150,
    width,
  });
  const needed = svgNode("path", { class: "line needed" });
  const here = svgNode("circle", { r: 8, class: "ball" });
  const middle = { x: rates.px(0.275), y: rates.py(41), "text-anchor": "middle" };
  const never = svgNode("text", middle, "never");
  rates.node.classList.add("rates");
  rates.node.append(needed, never);
  const rateAt = (x) => ((x - rates.px(0)) * MOST) / (rates.px(MOST) - rates.px(0));
  return { ...rates, needed, here, never, rateAt };
};

const spoken = (rate, count) => {
  const steps = count === 1 ? "step" : "steps";
  const when =
    count < Infinity ? `after ${count} ${steps}` : "never, or after more steps than are drawn";
  return `the loss is below 0.01 at a rate of ${rate.toFixed(2)} ${when}`;
};

/**
 * The section with the chart of the rates: `fit(width)` makes it, and returns its `node` and
 * `rateAt(x)`.
 *
 * @param {Model} model
 */
export const ratesOf = (base, model, { stepsTo }) => {
  let rates = { node: h("div") };
  const title = heading("steps until the loss is below 0.01", "at each rate");
  const section = h("section", {}, title, rates.node);
  const place = ({ guess }) => {
    if (!SKETCHES[guess]) return null;
    const [path, x, y] = SKETCHES[guess];
    const d = path.replace(
      /([\d.]+) ([\d.]+)/g,
      (_, rate, steps) => `${rates.px(rate)} ${rates.py(steps)}`,
    );
    return [{ d }, { x: rates.px(x), y: rates.py(y), "text-anchor": "end" }];
  };
  const mark = guessMark(base, model, "path", place, section);
  const fit = (width) => {
    const next = chartOf(width);
    next.node.append(mark.node, next.here);
    rates.node.replaceWith(next.node);
    rates = next;
    return next;
  };
  const update = (weight, rate) => {
    const counts = RATES.map((each) => [each, stepsTo(weight, each)]);
    const arriving = counts.filter(([, count]) => count < Infinity);
    const corners = arriving.map(
      ([each, count]) => `${rates.px(each).toFixed(1)} ${rates.py(count).toFixed(1)}`,
    );
    rates.needed.setAttribute("d", `M${corners.join("L")}`);
    const count = stepsTo(weight, rate);
    rates.here.setAttribute("cx", rates.px(rate));
    rates.here.setAttribute("cy", rates.py(Math.min(count, LONG)));
    const missing = arriving.length < counts.length;
    rates.never.setAttribute("visibility", missing ? "visible" : "hidden");
    rates.node.setAttribute("aria-label", spoken(rate, count));
    mark.draw();
    return count;
  };
  return { section, fit, update };
};
