// Heads in memory: the blocks of a sentence's numbers, who is given which, and where a head's numbers are read.

import { guessMark } from "../kit/guess.js";
import { chart } from "../kit/charts.js";
import { h, svgNode } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { signed } from "../kit/numbers.js";
import { heading, matrix, numbersTable } from "../kit/tables.js";

// From which share of all blocks to which each answer reaches
const SHARES = {
  "all of them": [1, 1],
  half: [1 / 2, 1 / 2],
  "one in eight": [1 / 8, 1 / 8],
  fewer: [0, 1 / 8],
};

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const [T, H, D] = [at("n_tokens"), at("n_heads"), at("d_model")];
    const d = D / H;
    const stored = at("numbers");
    const memory = Float64Array.from(
      { length: T * D },
      (_, i) => (stored.getInt16(2 * i, true) / 32767) * at("most"),
    );
    // What .contiguous() writes after the transpose: head by head.
    const copied = Float64Array.from({ length: T * D }, (_, i) => {
      const [head, token, k] = [Math.floor(i / (T * d)), Math.floor(i / d) % T, i % d];
      return memory[token * D + head * d + k];
    });

    /** Where the numbers of [head, token] begin. */
    const offsetOf = ({ axes, strides }, head, token) => {
      const index = { T: token, H: head };
      const begin = axes.reduce((sum, axis, i) => sum + (index[axis] ?? 0) * strides[i], 0);
      return axes.includes("H") ? begin : begin + head * d;
    };

    /** Who is given each block at a step, and how many blocks are given to whom they belong. */
    const given = (layout) => {
      const owners = new Map();
      let agree = 0;
      for (let a = 0; a < H; a++) {
        for (let b = 0; b < T; b++) {
          const block = offsetOf(layout, a, b) / d;
          owners.set(block, [a, b]);
          if (layout.copied || block === b * H + a) agree++;
        }
      }
      return { owners, agree };
    };

    body.className = "body grids heads-in-memory";
    const code = h("p", { className: "title" });
    const facts = h("p", { className: "terms" });
    const list = h("p", { className: "terms numbers" });
    const strip = h("canvas", { className: "pixels", "aria-hidden": "true" });
    const mark = h("div", { className: "slice" });
    const stripName = h("p", { className: "note" });
    const panels = h("div", { className: "panels" });
    body.append(
      h("div", { className: "work" }, code, facts, list),
      stripName,
      h("div", { className: "strip" }, strip, mark),
      panels,
    );
    const cells = matrix(
      panels,
      "memory",
      `${T * H} blocks of ${d} numbers, in order; in each: [head, token]`,
      Array.from({ length: T }, (_, i) => [`from ${i * D}`]),
      Array.from({ length: H }, (_, j) => `${j}`),
    );
    const verdict = h("p", { className: "title verdict" });

    // What the reader said of the two ways, beside what is so: only once it is said
    const blocks = T * H;
    const { agree: same } = given(base.constants["wrong view"]);
    const what = "blocks at the same place in both";
    const label = `${same} of ${blocks} ${what}`;
    const scale = chart({
      label,
      x: [0, blocks],
      y: [0, 1],
      xTicks: [0, blocks],
      height: 72,
      name: "blocks",
    });
    const compared = h(
      "section",
      {},
      heading(what, "view alone, and view with transpose"),
      scale.node,
    );
    const [top, bottom] = [scale.py(1), scale.py(0)];
    const bar = { x: scale.px(0), y: bottom - 16, width: scale.px(same) - scale.px(0), height: 16 };
    const mine = guessMark(
      base,
      model,
      "path",
      ({ guess }) => {
        if (!SHARES[guess]) return null;
        const [from, to] = SHARES[guess].map((share) => scale.px(share * blocks));
        const words =
          to > scale.px(blocks / 2)
            ? { x: to - 6, "text-anchor": "end" }
            : { x: to + 6, "text-anchor": "start" };
        return [
          { d: `M${from} ${top}L${from} ${bottom}L${to} ${bottom}L${to} ${top}Z` },
          { ...words, y: top + 10 },
        ];
      },
      compared,
    );
    scale.node.append(
      svgNode("line", {
        x1: scale.px(0),
        x2: scale.px(blocks),
        y1: bottom,
        y2: bottom,
        class: "axis",
      }),
      svgNode("rect", { ...bar, class: "mark raw" }),
      svgNode("text", { x: scale.px(same) + 5, y: bottom - 4 }, same),
      mine.node,
    );
    body.append(verdict, compared);
    const slice = numbersTable(
      "the numbers of the chosen head and token",
      Array.from({ length: d }, (_, k) => `${k}`),
      ["offset", "read", "should be"],
    );
    base.numbers.append(slice.node);

    const update = () => {
      const step = at("steps")[at("step")];
      const [head, token] = [at("head"), at("token")];
      const layout = base.constants[step];
      const { shape, strides } = layout;
      const row = layout.copied ? copied : memory;
      const offset = offsetOf(layout, head, token);
      const right = token * D + head * d;
      code.textContent = layout.code;
      const sizes = `shape (${shape.join(", ")}), strides (${strides.join(", ")})`;
      facts.textContent = `${sizes}${layout.copied ? ", new memory" : ", same memory"}`;
      const read = Array.from({ length: d }, (_, k) => row[offset + k]);
      const first = read
        .slice(0, 4)
        .map((v) => signed(v, 3))
        .join(", ");
      const place =
        step === "projected"
          ? `y[${token}, ${head * d}:${(head + 1) * d}]`
          : step === "view"
            ? `[${token}, ${head}]`
            : `[${head}, ${token}]`;
      list.replaceChildren(
        h("b", {}, place),
        ` is places ${offset} to ${offset + d - 1}: ${first}${d > 4 ? ", …" : ""}`,
      );

      const { owners, agree } = given(layout);
      cells.forEach((line, i) =>
        line.forEach((cell, j) => {
          const [a, b] = owners.get(i * H + j);
          cell.textContent = `${a},${b}`;
          const chosen = a === head && b === token;
          cell.className = `${chosen ? "chosen" : ""} ${a === head ? "on" : ""}`;
        }),
      );
      const line = Math.floor(offset / D);
      base.paint(strip, row.subarray(line * D, (line + 1) * D), 1, D, {
        most: at("most"),
        signed: true,
      });
      mark.style.left = `${(100 * (offset - line * D)) / D}%`;
      mark.style.width = `${(100 * d) / D}%`;
      stripName.textContent =
        `places ${line * D} to ${(line + 1) * D - 1} (blue above 0, orange below); ` +
        `outlined: what head ${head} reads for token ${token}`;
      const share = (100 * agree) / (T * H);
      verdict.textContent =
        agree === T * H
          ? `Head ${head} has numbers ${head * d} to ${(head + 1) * d - 1} of every token.`
          : `${agree} of ${T * H} blocks (${share.toFixed(2)} %) are where they belong. ` +
            `Head ${head} reads ${T} blocks in a row.`;
      verdict.classList.toggle("leaks", agree < T * H);
      read.forEach((value, k) => {
        slice.texts[3 * k].data = `${offset + k}`;
        slice.texts[3 * k + 1].data = signed(value);
        slice.texts[3 * k + 2].data = signed(memory[right + k]);
      });
      mine.draw();
      Object.assign(root.dataset, { step, head, token, offset, agree });
      say(
        `${step}, head ${head}, token ${token}: places ${offset} to ${offset + d - 1}, beginning ${first}`,
      );
    };
    for (const trait of ["step", "head", "token"]) model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
