// A run: three shares after each step, with the recorded run behind them.

import { atWidth, chart } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";

const ROOM = { least: 260, most: 700 }; // pixels
const HEIGHT = 210;
const END = 40; // pixels behind the lines, for the last numbers
const LEAST_STEPS = 40;
const NEAR = 14; // pixels, between two numbers

const KINDS = [
  { kind: "right", name: "sentences of the language, %" },
  { kind: "different", name: "different ones of" },
  { kind: "questions", name: "questions, %" },
];

/** Moves numbers up that would lie over each other, or below the axis. */
const apart = (heights, bottom) => {
  const order = [...heights.keys()].sort((a, b) => heights[b] - heights[a]);
  let room = bottom;
  const placed = [...heights];
  for (const i of order) {
    placed[i] = Math.min(placed[i], room);
    room = placed[i] - NEAR;
  }
  return placed;
};

/** {node, fit(), update(course, recorded)} */
export const courseChart = (base, { measured }) => {
  const keys = KINDS.map(({ kind, name }) =>
    h(
      "span",
      { className: `key ${kind}` },
      h("i"),
      kind === "different" ? `${name} ${measured}` : name,
    ),
  );
  const room = h("div");
  const node = h("div", { className: "course" }, h("p", { className: "keys" }, ...keys), room);
  let shown = null;
  let width = 0;
  const draw = () => {
    if (!shown || !width) return;
    const [course, recorded] = shown;
    const most = Math.max(LEAST_STEPS, ...course.steps);
    const lines = chart({
      label: "what the model writes after each step",
      x: [0, most * (1 + END / (width - 44 - END))],
      y: [0, 100],
      xTicks: [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(most * part)),
      xText: (step) => (step === most ? `${step} steps` : `${step}`),
      yTicks: [0, 50, 100],
      yText: (share) => `${share}\u00a0%`,
      left: 44,
      width,
      height: HEIGHT,
    });
    const height = (kind, x) => lines.py(kind === "different" ? (100 * x) / measured : x);
    const path = (run, kind) =>
      run[kind]
        .map((x, i) => `${i ? "L" : "M"}${lines.px(run.steps[i])} ${height(kind, x)}`)
        .join("");
    const ends = apart(
      KINDS.map(({ kind }) => height(kind, course[kind].at(-1))),
      lines.py(0) - 8,
    );
    KINDS.forEach(({ kind }, i) => {
      if (recorded)
        lines.node.append(svgNode("path", { class: `ghost ${kind}`, d: path(recorded, kind) }));
      lines.node.append(svgNode("path", { class: `line ${kind}`, d: path(course, kind) }));
      const [x, last] = [lines.px(course.steps.at(-1)), course[kind].at(-1)];
      lines.node.append(
        svgNode("circle", { class: kind, cx: x, cy: height(kind, last), r: 3.5 }),
        svgNode("text", { class: `last ${kind}`, x: x + 8, y: ends[i] + 4 }, `${Math.round(last)}`),
      );
    });
    room.replaceChildren(lines.node);
  };
  return {
    node,
    update(course, recorded) {
      shown = [course, recorded];
      draw();
    },
    fit: () =>
      atWidth(base, room, ROOM, (now) => {
        width = now;
        draw();
      }),
  };
};
