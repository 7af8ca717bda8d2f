// Masks: the weights that a mask leaves, and how far each output moves when one word changes.

import { tint } from "../kit/colour.js";
import { h, quoted, token } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { dot, softmax } from "../kit/numbers.js";
import { matrix, numbersTable } from "../kit/tables.js";

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const tokens = at("tokens");
    const size = tokens.length;
    const all = tokens.map((_, i) => i);

    /** Attention of x to itself: the weights, row by row, and the outputs. A row with nothing to see is zeros. */
    const attend = (x, allowed) => {
      const width = x[0].length;
      const weights = x.map((query, i) => {
        return softmax(
          x.map((key, j) => (allowed(i, j) ? dot(query, key) / Math.sqrt(width) : -Infinity)),
        );
      });
      const outputs = weights.map((row) =>
        x[0].map((_, c) => row.reduce((a, w, j) => a + (w ? w * x[j][c] : 0), 0)),
      );
      return { weights, outputs };
    };

    body.className = "body grids masks";
    const panels = h("div", { className: "panels" });
    const verdict = h("p", { className: "title verdict" });
    body.append(panels, verdict);
    const heads = () => all.map((i) => [`${i} `, token(tokens[i])]);
    const map = matrix(
      panels,
      "weights",
      "a row for each query, a column for each key",
      heads(),
      all.map((i) => `${i}`),
    );
    const moves = matrix(panels, "output moves by", "", heads(), ["distance"]);

    const weightsTable = numbersTable("weights after the mask", tokens, tokens);
    const movesTable = numbersTable("how far each output moves", tokens, ["moves by"]);
    base.numbers.append(weightsTable.node, movesTable.node);

    const update = () => {
      const kind = at("kinds")[at("kind")];
      const [length, changed, x] = [at("length"), at("changed"), at("x")];
      const hidesPadding = kind === "padding" || kind === "both";
      const hidesFuture = kind === "causal" || kind === "both";
      const allowed = (i, j) => !(hidesPadding && j >= length) && !(hidesFuture && j > i);
      const before = attend(x, allowed);
      const after = attend(
        x.map((vector, i) => (i === changed ? vector.map((v) => -v) : vector)),
        allowed,
      );
      const moved = all.map((i) =>
        Math.max(...before.outputs[i].map((v, c) => Math.abs(v - after.outputs[i][c]))),
      );
      const most = Math.max(...moved, 1e-9);
      all.forEach((i) => {
        map[i][0].parentElement.classList.toggle("padding", i >= length);
        all.forEach((j) => {
          const [cell, weight] = [map[i][j], before.weights[i][j]];
          const open = allowed(i, j);
          cell.textContent = open ? weight.toFixed(2) : "×";
          cell.className = `${open ? "" : "blocked"} ${j === changed ? "op-b" : ""}`;
          cell.style.background = open ? tint(weight) : "";
          weightsTable.texts[i * size + j].data = weight.toFixed(6);
        });
        moves[i][0].textContent = moved[i] === 0 ? "0" : moved[i].toFixed(3);
        moves[i][0].style.background = tint(moved[i] / most);
        movesTable.texts[i].data = moved[i].toFixed(6);
      });
      const noticed = all.filter((i) => moved[i] > 0);
      const early = noticed.filter((i) => i < changed);
      const notice = noticed.length === 1 ? "1 output notices" : `${noticed.length} outputs notice`;
      const leak = early.length
        ? ` A leak: ${early.length === 1 ? "1 comes" : `${early.length} come`} before it.`
        : " None of them comes before it.";
      verdict.replaceChildren(
        `Word ${changed}, `,
        token(tokens[changed]),
        `, changes: ${notice}.${noticed.length ? leak : ""}`,
      );
      verdict.classList.toggle("leaks", early.length > 0);
      Object.assign(root.dataset, { kind, length, changed });
      say(
        `mask ${kind}, true length ${length}: ${quoted(tokens[changed])} changes, ${notice}` +
          (early.length ? `, ${early.length} before it` : ""),
      );
    };
    for (const trait of ["kind", "length", "changed"]) model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
