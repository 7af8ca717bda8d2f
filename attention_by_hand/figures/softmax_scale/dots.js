// Scores as dots on an axis that follows their spread, piled where they are close; each can be
// dragged, or moved with keys.

import { chart } from "../kit/parts/charts.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { svgNode } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";

const HEIGHT = 140; // pixels
const TOP = 18; // over it stands how far chance takes a score
const NEAR = 40; // a press farther from every dot takes none
const NARROW = 240; // pixels; here dots are small, and few numbers stand at the axis
const KEY_STEP = 1; // an arrow key moves a score so far
const set = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
};

/**
 * How high each dot is piled: close ones stand on each other, and a high pile is pressed together.
 */
const pilesOf = (xs, radius, room) => {
  const piles = new Map();
  const levels = [];
  const order = xs.map((_, i) => i).sort((a, b) => xs[a] - xs[b]);
  for (const i of order) {
    const pile = Math.round(xs[i] / (2 * radius));
    levels[i] = piles.get(pile) ?? 0;
    piles.set(pile, levels[i] + 1);
  }
  const step = Math.min(2 * radius, room / Math.max(1, ...piles.values()));
  return levels.map((level) => level * step);
};

/** The dot that is dragged: the one that was nearest to where the pointer began. */
const dragNearest = (node, { nearest, taken, dragged }) => {
  let held = null;
  drag(node, {
    move: (event) => {
      const at = pointIn(node, event);
      if (held === null) {
        held = nearest(at) ?? false;
        if (held) taken(held.key);
        return;
      }
      if (held) dragged(held.key, at.x + held.from);
    },
    done: () => {
      held = null;
    },
  });
};

/** The axis with what stands on it, before anything is known of the scores. */
const groundOf = ({ name, kind, keys, width }) => {
  const narrow = width < NARROW;
  const aside = 48 / (width - 44); // the axis begins where that of the bars does
  const xTicks = narrow ? [-1, 0, 1] : [-1, -0.5, 0, 0.5, 1]; // of as far as scores are drawn
  const lines = chart({
    label: `scores ${name}`,
    x: [-1 - aside, 1],
    y: [0, 1],
    xTicks,
    height: HEIGHT,
    width,
  });
  const { px } = lines;
  const foot = lines.py(0);
  const radius = narrow ? 3.5 : 4.5;
  const ground = { x1: px(-1), x2: px(1), y1: foot, y2: foot, class: "ground" };
  const spread = svgNode("rect", { y: TOP, height: foot - TOP, class: "spread" });
  const middle = { x: px(0), y: TOP - 5, "text-anchor": "middle" };
  const size = svgNode("text", middle);
  const write = (reach) => {
    xTicks.forEach((tick, i) => {
      lines.ticks[i].textContent = signed(tick * reach, 0);
    });
  };
  const dots = Array.from({ length: keys }, (_, key) => {
    const dot = { r: radius, class: `mark dot ${kind}`, role: "slider", tabindex: key ? -1 : 0 };
    return svgNode("circle", { ...dot, "aria-label": `score of key ${key}, ${name}` });
  });
  lines.node.setAttribute("role", "group"); // its dots are to be found in it
  lines.node.classList.add("dots");
  lines.node.append(spread, svgNode("line", ground), size, ...dots);
  return { node: lines.node, px, foot, radius, spread, size, dots, write };
};

/**
 * The dots of one side: {node, dots, update(scores, weights, {best, deviation, reach})}, where the
 * axis reaches so far to either side. `moved(key, score)` is called as a dot is dragged.
 */
export const dotsOf = (side, moved) => {
  const { node, px, foot, radius, spread, size, dots, write } = groundOf(side);
  let reach = 1;
  let scores = [];
  const inReach = (score) => Math.max(-reach, Math.min(reach, score));
  const xOf = (score) => px(inReach(score) / reach);
  const scoreAt = (x) => ((x - px(0)) * reach) / (px(1) - px(0));

  const stop = (key) => {
    for (const dot of dots) dot.setAttribute("tabindex", dot === dots[key] ? 0 : -1);
  };
  const nearest = ({ x, y }) => {
    const far = (key) => {
      const [cx, cy] = ["cx", "cy"].map((place) => Number(dots[key].getAttribute(place)));
      return Math.hypot(cx - x, cy - y);
    };
    const key = scores.map((_, i) => i).reduce((a, b) => (far(b) < far(a) ? b : a));
    return far(key) < NEAR ? { key, from: xOf(scores[key]) - x } : null;
  };
  dragNearest(node, {
    nearest,
    taken: stop,
    dragged: (key, x) => moved(key, inReach(scoreAt(x))),
  });
  node.addEventListener("keydown", (event) => {
    const key = dots.indexOf(event.target);
    const along = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    const other = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (key < 0 || (!along && !other)) return;
    event.preventDefault();
    if (along) return moved(key, inReach(scores[key] + along));
    const next = (key + other + scores.length) % scores.length;
    stop(next);
    dots[next].focus();
  });

  const update = (drawn, weights, { best, deviation, reach: far }) => {
    scores = drawn;
    reach = far;
    write(reach);
    const xs = scores.map(xOf);
    const up = pilesOf(xs, radius, foot - 48);
    dots.forEach((dot, key) => {
      dot.classList.toggle("won", key === best);
      dot.setAttribute("r", key === best ? radius + 1.5 : radius); // seen in a pile
      dot.style.display = key < scores.length ? "" : "none";
      if (key >= scores.length) return;
      const weight = `${signed(scores[key], 1)}, weight ${weights[key].toFixed(2)}`;
      set(dot, { cx: xs[key], cy: foot - radius - up[key] });
      set(dot, { "aria-valuenow": scores[key].toFixed(1), "aria-valuetext": weight });
      set(dot, { "aria-valuemin": -reach, "aria-valuemax": reach });
    });
    set(spread, { x: xOf(-deviation), width: xOf(deviation) - xOf(-deviation) });
    size.textContent = `expected ±${Number(deviation.toFixed(1))}`;
  };
  const hold = (key) => {
    dots.forEach((dot, i) => dot.classList.toggle("held", i === key));
  };
  return { node, dots, update, hold };
};
