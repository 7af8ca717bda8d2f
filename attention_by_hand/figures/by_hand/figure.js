// Attention by hand: every matrix of the chain, and the whole arithmetic of one cell, term by term.

import { choicesOf } from "../kit/parts/choices.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { whenSized } from "../kit/parts/sized.js";
import { signed } from "../kit/parts/numbers.js";
import { numbersTable } from "../kit/parts/tables.js";
import { showHand } from "../kit/shared/ghost.js";
import { arrowsOf } from "./arrows.js";
import { layoutOf, SOURCE, valuesOf } from "./chain.js";
import { editorOf } from "./edit.js";
import { gridsOf } from "./grids.js";
import { sumOf } from "./sums.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   x: any,
 *   weight: any,
 *   bias: any,
 *   original: any,
 *   tokens: any[],
 *   steps: string[],
 *   step: number,
 *   sentence: number,
 *   row: number,
 *   column: number,
 *   last_row: number,
 *   last_column: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const NARROW = 440; // pixels; here numbers have two digits
const NOTE = "Rows of scores and weights are queries, columns are keys.";

/** Tables of every step, with a sentence's words in their headers. */
const tablesOf = (steps, layout, tokens) => {
  const label = (kind, k) => (kind === "word" ? `${k} ${tokens[k] ?? ""}` : kind);
  const tables = steps.map((name) => {
    const [title, how, rows, columns] = layout[name];
    return [name, numbersTable(`${title}: ${how}`, rows.map(label), columns.map(label))];
  });
  const write = (values) => {
    for (const [name, { texts }] of tables)
      texts.forEach((text, k) => {
        text.data = signed(values[name].flat()[k], 8);
      });
  };
  return { nodes: tables.map(([, { node }]) => node), write };
};

/** The numbers of the present sentence: `write(values, tokens)`, until it is another: `forget()`. */
const numbersIn = (base, steps, layout) => {
  let tables = null;
  return {
    write(values, tokens) {
      if (!tables) {
        tables = tablesOf(steps, layout, tokens);
        base.numbers.append(...tables.nodes);
      }
      tables.write(values);
    },
    forget() {
      base.numbers.replaceChildren();
      tables = null;
    },
  };
};

/**
 * Which sentence it is of, where there are several, over the sum; and the way along the chain.
 *
 * @param {Model} model
 */
const wayOf = (model, steps) => {
  const names = model.get("x").map((_, i) => model.get("tokens")[i]?.join(" ") ?? `sentence ${i}`);
  const sentences = choicesOf("sentence", names, (sentence) => put(model, { sentence }));
  const next = h("button", { type: "button", className: "next ui" }, "Next →");
  const after = () => (model.get("step") + 1) % steps.length;
  next.addEventListener("click", () => put(model, { step: after() }));
  sentences.node.hidden = names.length < 2;
  const update = () => {
    sentences.update(model.get("sentence"));
    next.title = steps[after()];
  };
  return { node: sentences.node, next, update };
};

/** All matrices in their places, with arrows between them. */
const flowOf = (layout, grids) => {
  const panels = Object.fromEntries(
    Object.entries(grids).map(([name, { panel }]) => [name, panel]),
  );
  const { x, W, b, ...steps } = panels;
  const node = h(
    "div",
    { className: "flow" },
    h("div", { className: "inputs" }, x, h("div", { className: "affine" }, W, b)),
    h("div", { className: "chain" }, ...Object.values(steps)),
  );
  const fits = layout.x[2].length <= 3 && layout.W[2].length <= 4 && layout.W[3].length <= 4;
  node.classList.toggle("fits", fits);
  const arrows = arrowsOf(node, grids);
  node.prepend(arrows.node);
  node.append(arrows.tips);
  return { node, arrows };
};

/** The chosen cell's way and sum, all matrices, and below them what a reader may type. */
const lay = (body, { way, sum, flow, editor }) => {
  const note = h("p", { className: "note" }, NOTE);
  const notes = h("div", { className: "notes" }, note, editor.refusal);
  const foot = h("div", { className: "foot" }, notes, way.next, editor.reset);
  body.className = "body byhand";
  body.append(way.node, sum.node, flow.node, foot);
};

/** Says which cell is chosen, and its number: to the page, and aloud. */
const report = ({ root, say }, { step, i, j }, sentence, values) => {
  Object.assign(root.dataset, { step, row: i, column: j, sentence });
  say(`${step}, row ${i}, column ${j}: ${signed(values[step][i][j])}`);
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    showHand(base, ".panel.x td:last-child");
    const at = getter(model);
    const steps = at("steps");
    const layout = layoutOf(model);
    const hand = {
      say: base.say,
      left: () => setTimeout(update), // a field that was left is short again
      go(name, i, j) {
        if (!(name in SOURCE)) put(model, { step: steps.indexOf(name), row: i, column: j });
        grids.cells[name][i][j].focus({ preventScroll: true });
      },
      open(name) {
        put(model, { step: steps.indexOf(name) });
      },
    };
    const grids = gridsOf(layout, hand);
    const sum = sumOf();
    const way = wayOf(model, steps);
    const editor = editorOf(model, hand);
    const flow = flowOf(layout, grids.named);
    for (const name of Object.keys(SOURCE)) editor.listen(grids.named[name]);
    lay(base.body, { way, sum, flow, editor });
    const numbers = numbersIn(base, steps, layout);

    let drawn = null; // the chosen cell and its operands
    let digits = 4;
    const update = () => {
      const values = valuesOf(model);
      const tokens = at("tokens")[at("sentence")] ?? [];
      const chosen = { step: steps[at("step")], i: at("row"), j: at("column") };
      const focused = el.shadowRoot.activeElement;
      const show = (name, i, j) =>
        editor.show(grids.cells[name][i][j], name, [i, j], digits, focused);
      way.update();
      grids.fill(values, tokens, digits, show, chosen.step);
      const operands = sum.update(values, chosen, grids.cells, 4);
      drawn = { chosen: grids.mark(steps, chosen, operands), ...operands };
      flow.arrows.draw(drawn);
      numbers.write(values, tokens);
      report(base, chosen, at("sentence"), values);
    };
    const again = () => {
      numbers.forget(); // another sentence: other words in the headers
      grids.forget();
      update();
    };
    const fit = () => {
      const wanted = flow.node.clientWidth && flow.node.clientWidth < NARROW ? 2 : 4;
      if (wanted === digits) return flow.arrows.draw(drawn);
      digits = wanted;
      update();
    };
    listen(model, ["sentence", "tokens"], again);
    listen(model, ["x", "weight", "bias", "step", "row", "column"], update);
    update();
    const panels = Object.values(grids.named).map(({ panel }) => panel); // wider in other letters
    for (const node of [flow.node, ...panels]) whenSized(base, node, fit);
    fit();
    return () => base.dispose();
  },
};

export default figure;
