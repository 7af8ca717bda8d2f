// A run on one axis of steps: above, the loss on the second stretch, below, where the heads look.

import { atWidth, chart } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { lossText } from "../kit/shared/zones.js";

const ROOM = { least: 280, most: 760 }; // pixels
const END = 42; // pixels behind the curves, for the last numbers
const LOSSES = 200; // pixels, of the upper picture's height
const LOOKS = 190;
const MOST = 3.7; // of the loss

const share = (x) => x.toFixed(2);

/** The axes of one of the two pictures, whose steps end a little before it. */
const axes = (width, steps, options) => {
  const room = (steps * END) / (width - 44 - END);
  const lines = chart({ x: [0, steps + room], width, ...options });
  const path = (xs, ys) =>
    xs
      .map((x, i) => `${i ? "L" : "M"}${lines.px(x).toFixed(1)} ${lines.py(ys[i]).toFixed(1)}`)
      .join("");
  return { ...lines, path };
};

/** What the loss is compared with: a dotted line and its name, which stands under it. */
const level = (lines, steps, loss, name) => [
  svgNode("line", {
    ...{ x1: lines.px(0), x2: lines.px(steps), y1: lines.py(loss), y2: lines.py(loss) },
    class: "level",
  }),
  svgNode("text", { x: lines.px(steps), y: lines.py(loss) - 4, "text-anchor": "end" }, name),
];

const lossLines = (width, { steps, letters }, oneLayer) => {
  const label = "loss on the second stretch after each step";
  const lines = axes(width, steps, { label, height: LOSSES, y: [0, MOST], yTicks: [0, 1, 2, 3] });
  const { node, px, py, path } = lines;
  const guessing = Math.log(letters.length);
  const [ghost, line] = ["ghost", "line loss"].map((kind) => svgNode("path", { class: kind }));
  const last = svgNode("text", { class: "last loss" });
  node.append(
    ...level(lines, steps, guessing, `guessing among ${letters.length}: ${guessing.toFixed(2)}`),
    ...level(lines, steps, oneLayer.loss, `one layer at its best: ${share(oneLayer.loss)}`),
    ...[ghost, line, last],
  );
  const update = (course, recorded) => {
    const [x, y] = [course.steps.at(-1), course.loss.at(-1)];
    ghost.setAttribute("d", recorded ? path(recorded.steps, recorded.loss) : "");
    line.setAttribute("d", path(course.steps, course.loss));
    place(last, px(x) + 6, py(y) + 4, lossText(y));
  };
  return { node, update };
};

const lookLines = (width, { steps }, heads) => {
  const label = "how much weight each head puts on the letter that it has come to look at";
  const xTicks = [0, 1, 2, 3, 4].map((quarter) => (quarter * steps) / 4);
  const lines = axes(width, steps, {
    ...{ label, height: LOOKS, y: [0, 1], yTicks: [0, 0.5, 1], xTicks },
    xText: (step) => (step === steps ? `${step} steps` : `${step}`),
    yText: String,
  });
  const { node, px, py, path } = lines;
  const kinds = ["back", "behind"].map((kind) => ({
    kind,
    paths: Array.from({ length: heads }, () => svgNode("path", { class: `line ${kind}` })),
    last: svgNode("text", { class: `last ${kind}` }),
  }));
  node.append(...kinds.flatMap(({ paths, last }) => [...paths, last]));
  const update = (course) => {
    const x = px(course.steps.at(-1));
    const tops = kinds.map(({ kind }) => Math.max(...course[kind].at(-1)));
    // Numbers that would meet are moved apart
    const apart = Math.abs(py(tops[0]) - py(tops[1])) < 14 ? 8 : 0;
    kinds.forEach(({ kind, paths, last }, i) => {
      paths.forEach((line, head) =>
        line.setAttribute(
          "d",
          path(
            course.steps,
            course[kind].map((all) => all[head]),
          ),
        ),
      );
      const down = tops[i] < tops[1 - i] ? apart : -apart;
      place(last, x + 6, py(tops[i]) + 4 + down, share(tops[i]));
    });
  };
  return { node, update };
};

const place = (text, x, y, words) => {
  text.setAttribute("x", x);
  text.setAttribute("y", y);
  text.textContent = words;
};

/** {node, update(course, recorded)}: the course of a run, with the recorded one behind it. */
export const courseChart = (base, constants, oneLayer) => {
  const key = (kind, text) => h("span", { className: `key ${kind}` }, h("i"), text);
  const first = h("div");
  const second = h("div");
  const node = h(
    "div",
    { className: "course" },
    h("p", { className: "title" }, "Loss on the second stretch"),
    first,
    h(
      "p",
      { className: "title" },
      "Weight ",
      key("back", "of the lower heads on the letter one place back"),
      key("behind", "of the upper heads on the letter after the earlier twin"),
    ),
    second,
  );
  let shown = null;
  let drawn = [];
  const update = (course, recorded) => {
    shown = [course, recorded];
    if (course.steps.length) for (const lines of drawn) lines.update(course, recorded);
  };
  const draw = (width) => {
    drawn = [
      lossLines(width, constants, oneLayer),
      lookLines(width, constants, constants.config.n_heads),
    ];
    first.replaceChildren(drawn[0].node);
    second.replaceChildren(drawn[1].node);
    if (shown) update(...shown);
  };
  return { node, update, fit: () => atWidth(base, node, ROOM, draw) };
};
