// Softmax and scale: one query's scores, weights and gradient, on the left as they are, on the right divided by √d_k.

import { guessMark } from "../kit/guess.js";
import { chart } from "../kit/charts.js";
import { h, svgNode } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { signed, softmax } from "../kit/numbers.js";
import { heading, numbersTable } from "../kit/tables.js";

/** The softmax of scores, with how decided it is: the largest weight, the entropy and the size of its Jacobian. */
const decided = (scores) => {
  const weights = softmax(scores);
  const sum = (f) => weights.reduce((a, p) => a + f(p), 0);
  // Where one weight is nearly 1, 1 − p would be all rounding: the other weights say how much is missing.
  const best = weights.indexOf(Math.max(...weights));
  const others = weights.filter((_, i) => i !== best);
  const [rest, restSquares] = [
    others.reduce((a, p) => a + p, 0),
    others.reduce((a, p) => a + p * p, 0),
  ];
  const squares = sum((p) => p * p);
  const rowSize = (p, i) =>
    p * p * (i === best ? rest * rest + restSquares : (1 - p) ** 2 + squares - p * p);
  return {
    weights,
    top: Math.max(...weights),
    entropy: -sum((p) => (p > 0 ? p * Math.log(p) : 0)) / Math.log(weights.length),
    size: Math.sqrt(weights.reduce((a, p, i) => a + rowSize(p, i), 0)),
  };
};
/** diag(p) − p pᵀ, row by row: how each weight answers to each score. */
const jacobian = (p) => p.flatMap((pi, i) => p.map((pj, j) => pi * ((i === j) - pj)));
const MOST = 0.25; // the largest entry that there can be: ½ · (1 − ½)
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const short = (value) =>
  value >= 0.001 || value === 0 ? value.toFixed(3) : value.toExponential(0).replace("-", "−");

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => update() });
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const { queries, most_keys, step } = base.constants;
    const stored = at("scores");
    const scaledScore = (exponent, query, key) =>
      step * stored.getInt16(2 * ((exponent * queries + query) * most_keys + key), true);

    const title = h("p", { className: "title" });
    const pair = h("div", { className: "pair" });
    body.append(title, pair);

    const looks = [
      "the largest weight",
      "entropy / ln n",
      "gradient ‖J‖",
      "‖J‖, median of all queries",
    ];
    const sides = [
      ["q·k", "raw"],
      ["q·k / √dₖ", "scaled"],
    ].map(([name, kind]) => {
      const strip = chart({
        label: `scores ${name}`,
        x: [-1, 1],
        y: [0, 1],
        height: 58,
        name: `scores ${name}`,
      });
      const bars = chart({
        label: `softmax of ${name}`,
        x: [0, 1],
        y: [0, 1],
        yTicks: [0, 0.5, 1],
        height: 120,
        name: "weight of each key",
      });
      const dots = [],
        columns = [];
      for (let i = 0; i < most_keys; i++) {
        dots.push(svgNode("circle", { r: 4, cy: 14, class: `mark ${kind}` }));
        columns.push(svgNode("rect", { class: `mark ${kind}` }));
      }
      const zero = svgNode("line", {
        y1: 4,
        y2: 24,
        x1: strip.px(0),
        x2: strip.px(0),
        class: "axis",
      });
      const ends = [strip.px(-1), strip.px(0), strip.px(1)].map((x) =>
        svgNode("text", { x, y: 38, "text-anchor": "middle" }),
      );
      strip.node.append(zero, ...dots, ...ends);
      bars.node.append(...columns);
      const values = looks.map(() => h("b"));
      const list = h(
        "ul",
        { className: "looks" },
        ...looks.map((look, i) => h("li", {}, h("span", {}, look), values[i])),
      );
      const about = `the gradient of softmax(${name}): a row for each weight, a column for each score`;
      const map = h("canvas", { className: "pixels", role: "img", "aria-label": about });
      const gradient = h(
        "div",
        { className: "gradient" },
        map,
        h("span", {}, "gradient J: how each weight (row) answers to each score (column)"),
      );
      pair.append(
        h("section", {}, heading(`softmax(${name})`), strip.node, bars.node, gradient, list),
      );
      return { kind, strip, bars, dots, columns, ends, values, map };
    });

    // What the reader predicted of the raw scores; its words are under the line where there is no room above.
    const { bars } = sides[0];
    const mine = guessMark(base, model, "line", ({ share }) => {
      const [x1, x2, y] = [bars.px(0), bars.px(1), bars.py(share)];
      return [
        { x1, x2, y1: y, y2: y },
        { x: x1 + 4, y: y < 20 ? y + 12 : y - 4 },
      ];
    });
    bars.node.append(mine.node);

    let numbers, summary;
    const lay = () => {
      const n = at("n_keys");
      const keys = Array.from({ length: n }, (_, i) => `key ${i}`);
      numbers = numbersTable("scores and weights of the query", keys, [
        "q·k",
        "weight",
        "q·k/√dₖ",
        "weight, scaled",
      ]);
      summary = numbersTable("how decided the softmax is", ["q·k", "q·k/√dₖ"], looks);
      base.numbers.replaceChildren(summary.node, numbers.node);
      update();
    };

    const update = () => {
      const [exponent, n, query] = [at("exponent"), at("n_keys"), at("query")];
      const root_d = 2 ** (exponent / 2);
      const scores = (kind, row) =>
        Array.from(
          { length: n },
          (_, k) => scaledScore(exponent, row, k) * (kind === "raw" ? root_d : 1),
        );
      const raw = scores("raw", query);
      const end = Math.max(4, Math.ceil(Math.max(...raw.map(Math.abs))));
      title.textContent = `dₖ = ${2 ** exponent}, √dₖ = ${Number(root_d.toFixed(2))}: query ${query} and ${n} keys`;
      const found = sides.map((side, i) => {
        const shown = scores(side.kind, query);
        const result = decided(shown);
        const sizes = Array.from(
          { length: queries },
          (_, row) => decided(scores(side.kind, row)).size,
        );
        side.ends.forEach((text, j) => {
          text.textContent = [`−${end}`, "0", `${end}`][j];
        });
        const [wide, low] = [side.bars.px(1) - side.bars.px(0), side.bars.py(0)];
        for (let k = 0; k < most_keys; k++) {
          const seen = k < n;
          side.dots[k].style.display = side.columns[k].style.display = seen ? "" : "none";
          if (!seen) continue;
          side.dots[k].setAttribute("cx", side.strip.px(shown[k] / end));
          const height = low - side.bars.py(result.weights[k]);
          const place = {
            x: side.bars.px(0) + (k * wide) / n + 1,
            y: low - height,
            width: Math.max(1, wide / n - 2),
            height,
          };
          for (const [key, value] of Object.entries(place))
            side.columns[k].setAttribute(key, value);
        }
        base.paint(side.map, jacobian(result.weights), n, n, { most: MOST });
        const numbersOf = [result.top, result.entropy, result.size, median(sizes)];
        side.values.forEach((node, j) => {
          node.textContent = short(numbersOf[j]);
        });
        numbersOf.forEach((value, j) => {
          summary.texts[4 * i + j].data = value.toFixed(6);
        });
        shown.forEach((score, k) => {
          numbers.texts[4 * k + 2 * i].data = signed(score);
          numbers.texts[4 * k + 2 * i + 1].data = result.weights[k].toFixed(6);
        });
        return result;
      });
      mine.draw();
      Object.assign(root.dataset, { exponent, keys: n, query });
      const [a, b] = found.map((result) => result.top.toFixed(2));
      say(
        `d_k ${2 ** exponent}, ${n} keys: the largest weight is ${a} without the scale, ${b} with it`,
      );
    };
    model.on("change:n_keys", lay);
    for (const trait of ["exponent", "query"]) model.on(`change:${trait}`, update);
    lay();
    return () => base.dispose();
  },
};

export default figure;
