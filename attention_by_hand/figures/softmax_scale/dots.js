// Scores as dots on an axis that never changes, piled where they are close; each can be dragged, or
// moved with keys.

import { chart } from "../kit/parts/charts.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { svgNode } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";

const HEIGHT = 140; // pixels
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
const groundOf = ({ name, kind, keys, reach, width }) => {
  const narrow = width < NARROW;
  const aside = (2 * reach * 24) / (width - 44); // the axis begins where that of the bars does
  const lines = chart({
    label: `scores ${name}`,
    x: [-reach - aside, reach],
    y: [0, 1],
    xTicks: narrow ? [-reach, 0, reach] : [-reach, -reach / 2, 0, reach / 2, reach],
    height: HEIGHT,
    width,
  });
  const { px } = lines;
  const foot = lines.py(0);
  const radius = narrow ? 3.5 : 4.5;
  const ground = { x1: px(-reach), x2: px(reach), y1: foot, y2: foot, class: "ground" };
  const spread = svgNode("path", { class: "spread" });
  const size = svgNode("text", { y: 14, class: "spread", "text-anchor": "middle" });
  const dots = Array.from({ length: keys }, (_, key) => {
    const dot = { r: radius, class: `mark dot ${kind}`, role: "slider", tabindex: key ? -1 : 0 };
    return svgNode("circle", { ...dot, "aria-label": `score of key ${key}, ${name}` });
  });
  lines.node.setAttribute("role", "group"); // its dots are to be found in it
  lines.node.classList.add("dots");
  lines.node.append(svgNode("line", ground), spread, size, ...dots);
  return { node: lines.node, px, foot, radius, spread, size, dots };
};

/**
 * The dots of one side: {node, dots, update(scores, weights, spread)}. `moved(key, score)` is
 * called as a dot is dragged.
 */
export const dotsOf = (side, moved) => {
  const { node, px, foot, radius, spread, size, dots } = groundOf(side);
  const { reach } = side;
  const inReach = (score) => Math.max(-reach, Math.min(reach, score));
  const scoreAt = (x) => ((x - px(0)) * reach) / (px(reach) - px(0));

  let scores = [];
  const stop = (key) => {
    for (const dot of dots) dot.setAttribute("tabindex", dot === dots[key] ? 0 : -1);
  };
  const nearest = ({ x, y }) => {
    const far = (key) => {
      const [cx, cy] = ["cx", "cy"].map((place) => Number(dots[key].getAttribute(place)));
      return Math.hypot(cx - x, cy - y);
    };
    const key = scores.map((_, i) => i).reduce((a, b) => (far(b) < far(a) ? b : a));
    return far(key) < NEAR ? { key, from: px(scores[key]) - x } : null;
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

  const update = (drawn, weights, deviation, best) => {
    scores = drawn;
    const xs = scores.map((score) => px(inReach(score)));
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
    const left = px(-deviation);
    const right = px(deviation);
    spread.setAttribute("d", `M${left} 20v8m0 -4H${right}m0 -4v8`);
    size.setAttribute("x", px(0));
    size.textContent = `expected ±${Number(deviation.toFixed(1))}`;
  };
  const hold = (key) => {
    dots.forEach((dot, i) => dot.classList.toggle("held", i === key));
  };
  return { node, dots, update, hold };
};
