// The way as a table, the loss on top: numbers have come up on the left, slopes go down on the right.

import { h } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";

const two = (value) => signed(value, 2);

/** [name, its number, by what the slope above is multiplied], from the loss to the weight. */
const PARTS = [
  ["loss", ({ loss }) => signed(loss, 3), () => ""],
  ["mixture, the score of “beer”", ({ mixture }) => two(mixture), ({ p }) => `${two(p)} − 1`],
  ["share of “bier”", ({ share }) => two(share), ({ apart }) => `× ${apart}`],
  [
    "score of “bier”",
    ({ score }) => two(score),
    ({ share }) => `× ${two(share)} · ${two(1 - share)}`,
  ],
  ["weight", ({ weight }) => two(weight), (_, [, number]) => `× ${number}`],
];
const SLOPES = ["toMixture", "toShare", "toScore", "slope"];

/** A cell with a box, which gives way to a number once all boxes are done. */
const answered = (input) => {
  const node = h("td", { className: "slope" }, input);
  const update = (now) => {
    input.hidden = now !== undefined;
    node.dataset.now = now ?? "";
  };
  return { node, update };
};

/**
 * {node, update(step, way)}: `inputs` are the boxes of the five tasks, and `said`, what is said of
 * them, stands under the row of the open one.
 *
 * @param {any} given
 */
export const sheetOf = ({ numbers, rate }, inputs, said) => {
  const heads = ["", "up ↑", "back ↓", "slope"].map((name) => h("th", { scope: "col" }, name));
  const answers = inputs.map(([input]) => answered(input));
  const rows = PARTS.map(([name], i) => {
    const [up, back] = [h("td"), h("td", { className: "factor" })];
    const last = i ? answers[i - 1].node : h("td");
    return { up, back, node: h("tr", {}, h("th", { scope: "row" }, name), up, back, last) };
  });
  const after = h("th", { scope: "row", colSpan: 3 }, `the weight, a step of ${rate} later`);
  const last = h("tr", { className: "last" }, after, answers[4].node);
  const under = h("tr", { className: "under" }, h("td", { colSpan: 4 }, said));
  const node = h(
    "table",
    { className: "way", "aria-label": "from the loss back to the weight" },
    h("thead", {}, h("tr", {}, ...heads)),
    h("tbody", {}, ...rows.map((row) => row.node), last),
  );
  const rowOfStep = [...rows.slice(1).map((row) => row.node), last, last]; // the last when all are done
  const update = (step, way) => {
    const isDone = step === inputs.length;
    rows.forEach(({ up, back }, i) => {
      up.textContent = PARTS[i][1](way);
      back.textContent = i <= step + 1 ? PARTS[i][2](way, numbers) : "";
    });
    const found = [...SLOPES.map((name) => way[name]), way.weight - rate * way.slope];
    answers.forEach((answer, i) => answer.update(isDone ? two(found[i]) : undefined));
    const open = rowOfStep[step];
    if (under.previousElementSibling !== open) open.after(under);
  };
  return { node, update };
};
