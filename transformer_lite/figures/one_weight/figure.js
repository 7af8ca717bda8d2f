// One weight: the loss as a curve, the slope where training stands, and the steps that led there.

import { guessMark } from "../kit/guess.js";
import { chart } from "../kit/charts.js";
import { h, svgNode } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { signed } from "../kit/numbers.js";
import { heading, numbersTable } from "../kit/tables.js";

const MOST_STEPS = 12;
const [ARRIVED, LONG] = [0.01, 50]; // a loss that is as good as none, and more steps than are drawn

// What each answer looks like: a path in [rate, steps], and where its words end.
const SKETCHES = {
  "arrive sooner and sooner": ["M0.01 42Q0.05 7 0.3 3", 0.3, 9],
  "arrive sooner at first, later not at all": ["M0.01 42Q0.03 3 0.125 3Q0.22 3 0.24 50", 0.22, 40],
  "arrive later and later": ["M0.01 3Q0.2 6 0.3 44", 0.19, 20],
};

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const { input, wanted, from, to } = base.constants;
    const loss = (w) => (w * input - wanted) ** 2;
    const counted = (n) => `${n} step${n === 1 ? "" : "s"}`;
    const slope = (w) => 2 * input * (w * input - wanted);
    const most = loss(from);

    const work = h("p", { className: "work small" });
    const lines = chart({
      label: "the loss for each weight",
      x: [from, to],
      y: [-1, most],
      yTicks: [0, 5, 10, 15, 20, 25],
      xTicks: Array.from({ length: to - from + 1 }, (_, i) => from + i),
      name: "weight",
      height: 200,
      width: 400,
    });
    lines.node.classList.add("wide");
    const many = Array.from({ length: 101 }, (_, i) => from + (i * (to - from)) / 100);
    const at = (w, height = loss(w)) => `${lines.px(w).toFixed(1)} ${lines.py(height).toFixed(1)}`;
    const within = (w) => w >= from && w <= to && loss(w) <= most;
    const tangent = svgNode("line", { class: "line key tangent" });
    const way = svgNode("path", { class: "line raw way" });
    const points = Array.from({ length: MOST_STEPS + 1 }, () =>
      svgNode("circle", { r: 4, class: "mark raw" }),
    );
    const text = svgNode("text", { x: lines.px(to), y: lines.py(most) + 10, "text-anchor": "end" });
    const curve = svgNode("path", {
      d: `M${many.map((w) => at(w)).join("L")}`,
      class: "line scaled",
    });
    lines.node.append(curve, tangent, way, ...points, text);

    // What the reader said of the rates, beside what is so: only once it is said
    const rates = chart({
      label: "",
      x: [0, 0.3],
      y: [0, LONG],
      xTicks: [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3],
      yTicks: [0, 25, 50],
      name: "learning rate",
      height: 150,
      width: 400,
    });
    rates.node.classList.add("wide");
    const needed = svgNode("path", { class: "line raw" });
    const here = svgNode("circle", { r: 4, class: "mark solid raw" });
    const never = svgNode(
      "text",
      { x: rates.px(0.275), y: rates.py(20), "text-anchor": "middle" },
      "never",
    );
    const compared = h(
      "section",
      {},
      heading("steps until the loss is below 0.01", "at each rate"),
      rates.node,
    );
    const mine = guessMark(
      base,
      model,
      "path",
      ({ guess }) => {
        if (!SKETCHES[guess]) return null;
        const [path, x, y] = SKETCHES[guess];
        const d = path.replace(
          /([\d.]+) ([\d.]+)/g,
          (_, rate, steps) => `${rates.px(rate)} ${rates.py(steps)}`,
        );
        return [{ d }, { x: rates.px(x), y: rates.py(y), "text-anchor": "end" }];
      },
      compared,
    );
    rates.node.append(needed, never, mine.node, here);
    body.append(work, lines.node, compared);

    /** How many steps training takes from a weight at a rate: Infinity where they are too many to be drawn. */
    const stepsTo = (weight, rate) => {
      let steps = 0;
      for (let w = weight; loss(w) >= ARRIVED; w -= rate * slope(w))
        if (++steps > LONG) return Infinity;
      return steps;
    };
    const stages = Array.from({ length: MOST_STEPS + 1 }, (_, i) => `${i}`);
    const table = numbersTable("weight, loss and slope after each step", stages, [
      "weight",
      "loss",
      "slope",
    ]);
    base.numbers.append(table.node);

    const update = () => {
      const [first, rate, steps] = ["weight", "rate", "steps"].map((trait) => model.get(trait));
      const path = [first];
      while (path.length <= MOST_STEPS) path.push(path.at(-1) - rate * slope(path.at(-1)));
      const taken = path.slice(0, steps + 1);
      const now = taken.at(-1);
      const [height, rise] = [loss(now), slope(now)];

      const given = now * input;
      work.replaceChildren(
        h("span", {}, `after ${steps} ${steps === 1 ? "step" : "steps"}: weight ${signed(now, 2)}`),
        h(
          "span",
          {},
          `answer ${input} · ${signed(now, 2)} = ${signed(given, 2)}, wanted ${wanted}`,
        ),
        h("span", {}, `loss ${height.toFixed(2)}, slope ${signed(rise, 2)}`),
        h(
          "b",
          {},
          `next weight ${signed(now, 2)} − ${rate.toFixed(2)} · (${signed(rise, 2)}) = ${signed(now - rate * rise, 2)}`,
        ),
      );
      const seen = taken.filter(within);
      way.setAttribute("d", seen.length ? `M${seen.map((w) => at(w)).join("L")}` : "");
      points.forEach((point, i) => {
        const shown = i < taken.length && within(taken[i]);
        point.setAttribute("visibility", shown ? "visible" : "hidden");
        point.classList.toggle("solid", i === steps);
        if (shown) {
          point.setAttribute("cx", lines.px(taken[i]));
          point.setAttribute("cy", lines.py(loss(taken[i])));
        }
      });
      const counts = Array.from({ length: 30 }, (_, i) => [
        (i + 1) / 100,
        stepsTo(first, (i + 1) / 100),
      ]);
      const arriving = counts.filter(([, count]) => count < Infinity);
      const corners = arriving.map(
        ([rate, count]) => `${rates.px(rate).toFixed(1)} ${rates.py(count).toFixed(1)}`,
      );
      needed.setAttribute("d", `M${corners.join("L")}`);
      const count = stepsTo(first, rate);
      here.setAttribute("visibility", count < Infinity ? "visible" : "hidden");
      here.setAttribute("cx", rates.px(rate));
      here.setAttribute("cy", rates.py(Math.min(count, LONG)));
      never.setAttribute("visibility", arriving.length < counts.length ? "visible" : "hidden");
      const arrives =
        count < Infinity ? `after ${counted(count)}` : "never, or after more steps than are drawn";
      rates.node.setAttribute(
        "aria-label",
        `the loss is below 0.01 at a rate of ${rate.toFixed(2)} ${arrives}`,
      );
      mine.draw();
      // The tangent, as long as the chart has room for it
      const reach = Math.min(0.6, Math.abs(rise) > 0 ? 5 / Math.abs(rise) : 0.6);
      const place = {
        x1: now - reach,
        x2: now + reach,
        y1: height - reach * rise,
        y2: height + reach * rise,
      };
      tangent.setAttribute("visibility", within(now) ? "visible" : "hidden");
      for (const [key, value] of Object.entries(place)) {
        tangent.setAttribute(key, key[0] === "x" ? lines.px(value) : lines.py(value));
      }
      text.textContent = within(now) ? "" : "the weight has left the picture";
      path.forEach((w, i) => {
        [w, loss(w), slope(w)].forEach((value, j) => {
          table.texts[3 * i + j].data = signed(value);
        });
      });
      Object.assign(root.dataset, { weight: first.toFixed(2), rate: rate.toFixed(2), steps });
      say(
        `after ${counted(steps)}: weight ${now.toFixed(2)}, loss ${height.toFixed(2)}, slope ${rise.toFixed(2)}`,
      );
    };
    for (const trait of ["weight", "rate", "steps"]) model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
