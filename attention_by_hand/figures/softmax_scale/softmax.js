// One side: the scores of one query, the weights that softmax makes of them, and its gradient.

import { chart } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { heading } from "../kit/parts/tables.js";
import { jacobian } from "./decided.js";
import { dotsOf } from "./dots.js";

const MOST = 0.25; // the largest entry of a gradient that there can be: ½ · (1 − ½)
const DEAD = 0.05; // the size of a gradient that is as good as none

const short = (value) => (value >= 0.001 || value === 0 ? value.toFixed(3) : "under 0.001");

/** A share in whole per cent; what is not quite all is not called all. */
const percent = (share) => (share > 0.995 && share < 1 ? "> 99" : `${Math.round(100 * share)}`);

/** The bars of the weights: {node, px, py, update}. */
const barsOf = (name, kind, keys, width) => {
  const bars = chart({
    label: `softmax of ${name}`,
    x: [0, 1],
    y: [0, 1],
    yTicks: [0, 0.5, 1],
    height: 112,
    name: "weight of each key",
    width,
  });
  const columns = Array.from({ length: keys }, () => svgNode("rect", { class: `mark ${kind}` }));
  bars.node.append(...columns);
  const left = bars.px(0);
  const wide = bars.px(1) - left;
  const foot = bars.py(0);
  const update = (weights, best) => {
    const n = weights.length;
    const gap = Math.min(2, (0.3 * wide) / n);
    columns.forEach((column, key) => {
      column.classList.toggle("won", key === best);
      column.style.display = key < n ? "" : "none";
      if (key >= n) return;
      const height = foot - bars.py(weights[key]);
      column.setAttribute("x", left + (key * wide) / n + gap / 2);
      column.setAttribute("y", foot - height);
      column.setAttribute("width", wide / n - gap);
      column.setAttribute("height", height);
    });
  };
  const hold = (key) => {
    columns.forEach((column, i) => column.classList.toggle("held", i === key));
  };
  return { ...bars, update, hold };
};

/**
 * {node, gradient, bars(), wins(), fit(width), update(scores, result, spread), hold(key)}: the
 * key with the largest weight stands out among dots and bars, and its share is written large.
 * `spread` is {deviation, reach}.
 */
export const softmaxOf = ({ name, kind, keys }, paint, moved) => {
  const length = h("p", { className: "size" });
  const about = `the gradient of softmax(${name}): a row for each weight, a column for each score`;
  const map = h("canvas", { className: "pixels", role: "img", "aria-label": about });
  const dead = h("b", { className: "dead" }, "almost zero: nothing to learn from");
  let dots = { node: h("div") };
  let bars = { node: h("div") };
  let winsLeft = false; // whether the winner's bar is in the left half
  const share = h("b", { className: kind });
  const won = h("p", { className: "share" }, share, h("span", {}, "to the strongest key"));
  const node = h("section", {}, heading(`softmax(${name})`), won, dots.node, bars.node);
  const gradient = h(
    "section",
    { className: kind },
    h("div", { className: "gradient" }, map, dead),
    length,
  );
  const fit = (width) => {
    const next = { dots: dotsOf({ name, kind, keys, width }, moved) };
    next.bars = barsOf(name, kind, keys, width);
    dots.node.replaceWith(next.dots.node);
    bars.node.replaceWith(next.bars.node);
    dots = next.dots;
    bars = next.bars;
  };
  const update = (scores, { weights, top, size }, spread) => {
    const best = weights.indexOf(top);
    winsLeft = best < weights.length / 2;
    share.textContent = `${percent(top)}\u00a0%`;
    dots.update(scores, weights, { best, ...spread });
    bars.update(weights, best);
    paint(map, jacobian(weights), scores.length, scores.length, { most: MOST });
    dead.classList.toggle("on", size < DEAD);
    length.textContent = `size ${short(size)}`;
  };
  const hold = (key) => {
    dots.hold(key);
    bars.hold(key);
  };
  const wins = () => ({ left: winsLeft, share: share.textContent });
  return { node, gradient, kind, bars: () => bars, wins, fit, update, hold };
};
