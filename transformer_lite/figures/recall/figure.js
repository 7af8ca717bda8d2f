// Recall: the share of letters written again in their place, length by length, and one example for the chosen length.

import { guessMark } from "../kit/guess.js";
import { chart } from "../kit/charts.js";
import { h, svgNode } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { numbersTable } from "../kit/tables.js";

const KINDS = ["raw", "scaled"];
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const { guess, models, trained, asked } = base.constants;
    const [lengths, shares, examples] = ["lengths", "shares", "examples"].map((trait) =>
      model.get(trait),
    );
    const means = shares.map((ofModel) => ofModel.map(mean));

    const title = h("p", { className: "title" });
    const values = models.map(() => h("b"));
    const legend = h(
      "ul",
      { className: "legend" },
      ...models.map((name, i) =>
        h("li", {}, h("i", { className: KINDS[i] }), name, " ", values[i]),
      ),
    );
    const lines = chart({
      label: "share of letters written right, by how many letters there are",
      x: [lengths[0] - 0.5, lengths.at(-1) + 0.5],
      y: [0, 1.04],
      yTicks: [0, 0.25, 0.5, 0.75, 1],
      xTicks: lengths.filter((length) => length % 4 === 0),
      name: "letters",
      height: 190,
      width: 400,
    });
    lines.node.classList.add("wide");
    const [left, right] = [lines.px(lengths[0] - 0.5), lines.px(lengths.at(-1) + 0.5)];
    const level = lines.py(guess);
    const edge = lines.px(trained + 0.5);
    lines.node.append(
      svgNode("line", { x1: edge, x2: edge, y1: lines.py(1.04), y2: lines.py(0), class: "axis" }),
      svgNode(
        "text",
        { x: edge - 4, y: lines.py(1.04) - 2, "text-anchor": "end" },
        `trained on up to ${trained}`,
      ),
      svgNode("line", { x1: left, x2: right, y1: level, y2: level, class: "cursor" }),
      svgNode(
        "text",
        { x: right, y: level - 4, "text-anchor": "end" },
        `guessing: ${percent(guess)}`,
      ),
    );
    const drawn = means.map((ofModel, i) => {
      const path = svgNode("path", { class: `line ${KINDS[i]}` });
      const groups = ofModel.map((value, j) => {
        const place = { class: `mark ${KINDS[i]}`, cx: lines.px(lengths[j]) };
        const seeds = shares[i][j].map((share) =>
          svgNode("circle", { ...place, r: 2.5, cy: lines.py(share) }),
        );
        return svgNode(
          "g",
          {},
          ...seeds,
          svgNode("circle", {
            ...place,
            class: `mark solid ${KINDS[i]}`,
            r: 3,
            cy: lines.py(value),
          }),
        );
      });
      lines.node.append(path, ...groups);
      return { path, groups };
    });

    // What the reader predicted of the first model
    const mine = guessMark(base, model, "circle", ({ share }) => {
      const [x, y] = [lines.px(asked), lines.py(share)];
      // The words stand where no line is: not the falling one, nor those of attention and of guessing
      const above = share > means[0][lengths.indexOf(asked)];
      const words = above
        ? { x: x + 9, y: share > 0.85 ? y + 18 : y - 6, "text-anchor": "start" }
        : { x: x - 9, y: Math.min(y + 4, level - 4), "text-anchor": "end" };
      return [{ cx: x, cy: y, r: 6 }, words];
    });
    lines.node.append(mine.node);

    const written = h("dl", { className: "written" });
    body.append(title, legend, lines.node, written);
    const seedNames = shares[0][0].map((_, i) => `seed ${i}`);
    const table = numbersTable("share of letters written right", models, ["mean", ...seedNames]);
    base.numbers.append(table.node);

    const update = () => {
      const length = model.get("length");
      const last = lengths.indexOf(length);
      const letters = `${length} ${length === 1 ? "letter" : "letters"}`;
      title.textContent = `${letters} to remember`;
      drawn.forEach(({ path, groups }, i) => {
        const points = means[i]
          .slice(0, last + 1)
          .map((value, j) => `${lines.px(lengths[j])} ${lines.py(value)}`);
        path.setAttribute("d", `M${points.join("L")}`);
        groups.forEach((group, j) =>
          group.setAttribute("visibility", j <= last ? "visible" : "hidden"),
        );
        values[i].textContent = percent(means[i][last]);
        [means[i][last], ...shares[i][last]].forEach((share, j) => {
          table.texts[i * (1 + seedNames.length) + j].data = share.toFixed(4);
        });
      });
      const [read, ...others] = examples[last];
      const row = (name, text) => {
        const letters = [...text].map((letter, i) =>
          h(letter === read[i] ? "span" : "s", {}, letter),
        );
        return [h("dt", {}, name), h("dd", {}, ...letters)];
      };
      written.replaceChildren(
        ...row("read", read),
        ...others.flatMap((text, i) => row(models[i], text)),
      );
      mine.draw();
      root.dataset.length = length;
      say(
        `${letters}: ${models.map((name, i) => `${name} ${percent(means[i][last])}`).join(", ")}`,
      );
    };
    model.on("change:length", update);
    update();
    return () => base.dispose();
  },
};

export default figure;
