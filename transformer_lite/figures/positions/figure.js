// Positions: the table, one pair of waves, the pair as the hand of a clock, and the dot product with every position.

import { guessMark } from "../kit/guess.js";
import { chart } from "../kit/charts.js";
import { h, svgNode } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { dot, signed } from "../kit/numbers.js";
import { numbersTable } from "../kit/tables.js";

// How much larger each answer makes the product with the position FAR later than with the one FAR before
const FAR = 3;
const TILTS = { "10 and 13": 1, "10 and 7": -1, "they are equal": 0 };

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const [D, T] = [at("d_model"), at("length")];
    const rate = (pair) => 10000 ** ((-2 * pair) / D);
    const encode = (position) =>
      Array.from({ length: D }, (_, j) => (j % 2 ? Math.cos : Math.sin)(position * rate(j >> 1)));
    const rows = Array.from({ length: T }, (_, position) => encode(position));

    const map = h("canvas", { className: "pixels", "aria-hidden": "true" });
    const rowMark = h("div", { className: "slice across" });
    const pairMark = h("div", { className: "slice down" });
    const key = h("canvas", { className: "pixels key", "aria-hidden": "true" });
    const keyTicks = ["−1", "0", "1"].map((tick) => h("span", {}, tick));
    const steps = [0, T >> 2, T >> 1, (3 * T) >> 2, T - 1];
    const waves = chart({
      label: "the chosen pair over all positions",
      x: [0, T - 1],
      y: [-1, 1],
      xTicks: steps,
      yTicks: [-1, 0, 1],
      height: 120,
    });
    const [sine, cosine] = ["first", "second"].map((kind) =>
      svgNode("path", { class: `line ${kind}` }),
    );
    const cursor = svgNode("line", { y1: waves.py(1), y2: waves.py(-1), class: "cursor" });
    const [onSine, onCosine] = ["first", "second"].map((kind) =>
      svgNode("circle", { r: 4, class: `mark solid ${kind}` }),
    );
    waves.node.append(sine, cosine, cursor, onSine, onCosine);

    const clock = svgNode("svg", {
      viewBox: "-1.25 -1.25 2.5 2.5",
      class: "clock",
      role: "img",
      "aria-label": "the pair as the hand of a clock",
    });
    const hand = svgNode("line", { x1: 0, y1: 0, class: "hand second" });
    const turned = svgNode("line", { x1: 0, y1: 0, class: "hand first" });
    const arc = svgNode("path", { class: "arc" });
    clock.append(svgNode("circle", { r: 1, class: "rim" }), arc, hand, turned);

    const products = chart({
      label: "dot product with every position",
      x: [0, T - 1],
      y: [-D / 4, D / 2],
      xTicks: steps,
      yTicks: [0, D / 4, D / 2],
      height: 120,
    });
    const curve = svgNode("path", { class: "line second" });
    const here = svgNode("line", {
      y1: products.py(-D / 4),
      y2: products.py(D / 2),
      class: "cursor",
    });
    // What the reader said of the two positions beside the chosen one: a line that is level where both are equal
    const beside = [-FAR, FAR].map((step) => {
      const [point, name] = [
        svgNode("circle", { r: 3.5, class: "mark solid second" }),
        svgNode("text", { "text-anchor": step < 0 ? "end" : "start" }),
      ];
      return { step, point, name };
    });
    const compared = svgNode("g", {}, ...beside.flatMap(({ point, name }) => [point, name]));
    const mine = guessMark(
      base,
      model,
      "line",
      ({ guess }) => {
        const position = at("position");
        if (!(guess in TILTS) || position < FAR || position + FAR >= T) return null;
        const [x, y] = [
          products.px(position),
          products.py(dot(rows[position], rows[position + FAR])),
        ];
        const tilt = 8 * TILTS[guess];
        const end = position > 0.7 * T ? -1 : 1; // where there is room for words
        return [
          { x1: x - 20, x2: x + 20, y1: y + tilt, y2: y - tilt },
          { x: x + 27 * end, y: y + 3, "text-anchor": end < 0 ? "end" : "start" },
        ];
      },
      compared,
    );
    compared.append(mine.node);
    products.node.append(curve, here, compared);

    const waveName = h("p", { className: "title" });
    const clockName = h("p", { className: "title" });
    const productName = h("p", { className: "title" });
    const turn = h("p", { className: "terms" });
    body.className = "body positions";
    body.append(
      h(
        "section",
        {},
        h(
          "p",
          { className: "title" },
          "the table ",
          h("span", { className: "plain" }, "rows are positions"),
        ),
        h("div", { className: "strip table" }, map, rowMark, pairMark),
        h("div", { className: "scale" }, key, ...keyTicks),
      ),
      h(
        "div",
        { className: "pair" },
        h("section", {}, waveName, waves.node, productName, products.node),
        h("section", {}, clockName, clock, turn),
      ),
    );

    const pairTable = numbersTable(
      "the chosen pair",
      ["at the position", "turned by the shift", "at position + shift"],
      ["sine", "cosine"],
    );
    const productTable = numbersTable(
      "dot product of the position with every position",
      rows.map((_, i) => `${i}`),
      ["product"],
    );
    const rowTable = numbersTable(
      "the encoding of the position",
      ["value"],
      rows[0].map((_, j) => `${j}`),
    );
    base.numbers.append(pairTable.node, productTable.node, rowTable.node);
    base.paint(map, rows.flat(), T, D, { signed: true });
    base.paint(
      key,
      Array.from({ length: 101 }, (_, i) => i / 50 - 1),
      1,
      101,
      { signed: true },
    );

    const update = () => {
      const [position, pair, shift] = [at("position"), at("pair"), at("shift")];
      const omega = rate(pair);
      const [s, c] = [Math.sin(position * omega), Math.cos(position * omega)];
      // The same two lines for every position: the matrix of the shift knows k and the pair, not the place.
      const [sin, cos] = [Math.sin(shift * omega), Math.cos(shift * omega)];
      const rotated = [cos * s + sin * c, -sin * s + cos * c];
      const there = [Math.sin((position + shift) * omega), Math.cos((position + shift) * omega)];

      rowMark.style.top = `${(100 * position) / T}%`;
      rowMark.style.height = `${100 / T}%`;
      pairMark.style.left = `${(200 * pair) / D}%`;
      pairMark.style.width = `${200 / D}%`;
      sine.setAttribute("d", waves.path(rows.map((row) => row[2 * pair])));
      cosine.setAttribute("d", waves.path(rows.map((row) => row[2 * pair + 1])));
      for (const line of [cursor, here]) {
        line.setAttribute("x1", waves.px(position));
        line.setAttribute("x2", waves.px(position));
      }
      for (const [mark, value] of [
        [onSine, s],
        [onCosine, c],
      ]) {
        mark.setAttribute("cx", waves.px(position));
        mark.setAttribute("cy", waves.py(value));
      }
      // On the clock the sine is the way to the right and the cosine the way up: from twelve, clockwise.
      for (const [line, [right, up]] of [
        [hand, [s, c]],
        [turned, rotated],
      ]) {
        line.setAttribute("x2", right);
        line.setAttribute("y2", -up);
      }
      const angle = shift * omega;
      const [big, way] = [Math.abs(angle) % (2 * Math.PI) > Math.PI ? 1 : 0, angle > 0 ? 1 : 0];
      arc.setAttribute(
        "d",
        `M${0.45 * s} ${-0.45 * c}A0.45 0.45 0 ${big} ${way} ${0.45 * rotated[0]} ${-0.45 * rotated[1]}`,
      );
      const dots = rows.map((row) => dot(row, rows[position]));
      curve.setAttribute("d", products.path(dots));
      for (const { step, point, name } of beside) {
        const [x, y] = [products.px(position + step), products.py(dots[position + step] ?? 0)];
        point.setAttribute("cx", x);
        point.setAttribute("cy", y);
        name.setAttribute("x", x - step);
        name.setAttribute("y", y + 20);
        name.textContent = position + step;
      }
      mine.draw();

      const period = (2 * Math.PI) / omega;
      waveName.replaceChildren(
        `pair ${pair} `,
        h(
          "span",
          { className: "plain" },
          `sine (orange) and cosine (blue), once around in ${period.toFixed(1)} positions`,
        ),
      );
      clockName.replaceChildren(
        "its clock ",
        h("span", { className: "plain" }, "blue: the position; orange: turned by k"),
      );
      productName.replaceChildren(
        "dot product ",
        h("span", { className: "plain" }, `of position ${position} with every position`),
      );
      const [k, moved] = [signed(shift, 0), signed(position + shift, 0)];
      const degrees = signed((180 * angle) / Math.PI, 1);
      const pointsTo = rotated.map((value) => signed(value, 3)).join(", ");
      turn.textContent = `k = ${k} turns by ${degrees}°: (${pointsTo}), which is pair ${pair} of position ${moved}`;
      [s, c, ...rotated, ...there].forEach((value, i) => {
        pairTable.texts[i].data = signed(value, 8);
      });
      dots.forEach((value, i) => {
        productTable.texts[i].data = signed(value, 6);
      });
      rows[position].forEach((value, j) => {
        rowTable.texts[j].data = signed(value, 8);
      });
      Object.assign(root.dataset, { position, pair, shift });
      say(
        `position ${position}, pair ${pair}: sine ${signed(s, 3)}, cosine ${signed(c, 3)}; ` +
          `shifted by ${shift}: ${pointsTo}`,
      );
    };
    for (const trait of ["position", "pair", "shift"]) model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
