// Softmax and scale: one query's scores, weights and gradient, on the left as they are, on the
// right divided by √d_k.

import { atWidth } from "../kit/parts/charts.js";
import { guessMark } from "../kit/shared/guess.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { signed } from "../kit/parts/numbers.js";
import { numbersTable } from "../kit/parts/tables.js";
import { getAll, listen } from "../kit/runtime/model.js";
import { inText } from "../kit/runtime/pulled.js";
import { decided, median } from "./decided.js";
import { growWhenAnswered } from "./grown.js";
import { softmaxOf } from "./softmax.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   scores: DataView,
 *   exponent: number,
 *   n_keys: number,
 *   query: number,
 *   prediction: string,
 *   gradient: boolean,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const ROOM = { least: 120, most: 440 }; // pixels, of one side
const LOOKS = [
  "the largest weight",
  "evenness, 1 if all are alike",
  "size of the gradient",
  "the same, middle query",
];
const GRADIENT = "how each weight (row) answers to each score (column): the gradient";
const SIDES = [
  ["q·k", "raw"],
  ["q·k / √dₖ", "scaled"],
];

/**
 * The scores, with those that the reader has moved: {of(kind, query), move(key, kind, score),
 * back(), moved()}.
 *
 * @param {Model} model
 */
const scoresOf = (model, { queries, most_keys, step }) => {
  let moved = new Map(); // of the query that is shown, by key, as they are before they are scaled
  const root = () => 2 ** (model.get("exponent") / 2);
  const drawn = (query, key) => {
    const at = (model.get("exponent") * queries + query) * most_keys + key;
    return step * root() * model.get("scores").getInt16(2 * at, true);
  };
  return {
    of(kind, query) {
      const own = query === model.get("query") ? moved : new Map();
      const scale = kind === "raw" ? 1 : root();
      const keys = Array.from({ length: model.get("n_keys") }, (_, key) => key);
      return keys.map((key) => (own.get(key) ?? drawn(query, key)) / scale);
    },
    move(key, kind, score) {
      moved.set(key, kind === "raw" ? score : score * root());
    },
    back() {
      moved = new Map();
    },
    moved: () => moved.size,
  };
};

/**
 * The tables of "Show the numbers": `lay(n)` makes them, `fill(side, values, scores, weights)`
 * fills one side's columns.
 */
const queryTables = (base) => {
  let numbers;
  let summary;
  const lay = (n) => {
    const keys = Array.from({ length: n }, (_, key) => `key ${key}`);
    const columns = ["q·k", "weight", "q·k/√dₖ", "weight, scaled"];
    numbers = numbersTable("scores and weights of the query", keys, columns);
    summary = numbersTable("how decided the softmax is", ["q·k", "q·k/√dₖ"], LOOKS);
    base.numbers.replaceChildren(summary.node, numbers.node);
  };
  const fill = (side, values, scores, weights) => {
    values.forEach((value, i) => {
      summary.texts[LOOKS.length * side + i].data = value.toFixed(6);
    });
    scores.forEach((score, key) => {
      numbers.texts[4 * key + 2 * side].data = signed(score);
      numbers.texts[4 * key + 2 * side + 1].data = weights[key].toFixed(6);
    });
  };
  return { lay, fill };
};

/**
 * Over both sides: the scale, and the way back to the scores as they were drawn, `reset()`.
 *
 * @param {Model} model
 */
const headOf = (model, scores, reset) => {
  const title = h("b");
  const hint = h("span", { className: "plain" }, "drag a dot to change its score");
  const back = h("button", { type: "button", className: "back ui" }, "Put the scores back");
  back.addEventListener("click", reset);
  const update = () => {
    const root = 2 ** (model.get("exponent") / 2);
    title.textContent = `√dₖ = ${Number(root.toFixed(2))}`;
    back.classList.toggle("on", scores.moved() > 0);
    back.disabled = scores.moved() === 0;
  };
  return { node: h("div", { className: "head" }, title, hint, back), update };
};

/** Both sides beside each other, and below them, where they are asked for, their gradients. */
const lay = (body, head, sides, isGradientAsked) => {
  const beside = (nodes) => h("div", { className: "sides" }, ...nodes);
  body.classList.add("softmax");
  body.append(head.node, beside(sides.map(({ node }) => node)));
  if (!isGradientAsked) return;
  const saying = h("p", { className: "plain" }, GRADIENT);
  body.append(saying, beside(sides.map(({ gradient }) => gradient)));
};

/**
 * What the softmax makes of one side's scores, and the numbers of `LOOKS`.
 *
 * @param {Model} model
 */
const measured = (model, scores, kind, queries) => {
  const ofQuery = scores.of(kind, model.get("query"));
  const result = decided(ofQuery);
  const sizes = Array.from({ length: queries }, (_, row) => decided(scores.of(kind, row)).size);
  return { ofQuery, result, looks: [result.top, result.entropy, result.size, median(sizes)] };
};

/**
 * What the reader predicted of the raw scores; its words keep away from the winner's bar, and are
 * under the line where there is no room above.
 *
 * @param {Model} model
 */
const guessIn = (base, model, side) =>
  guessMark(base, model, "line", ({ share }) => {
    const bars = side.bars();
    const x1 = bars.px(0);
    const x2 = bars.px(1);
    const y = bars.py(share);
    const words = side.wins().left
      ? { x: x2 - 4, "text-anchor": "end" }
      : { x: x1 + 4, "text-anchor": "start" };
    return [
      { x1, x2, y1: y, y2: y },
      { ...words, y: y < 20 ? y + 12 : y - 4 },
    ];
  });

const figure = {
  inText,
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => update() });
    const { root, body, say, constants } = base;
    const { queries, most_keys, reaches } = constants;
    const scores = scoresOf(model, constants);
    const numbers = queryTables(base);
    let held = null;

    const head = headOf(model, scores, () => {
      anew();
      sides[0].node.querySelector(".dot").focus(); // the button is gone
    });
    const sides = SIDES.map(([name, kind]) =>
      softmaxOf({ name, kind, keys: most_keys }, base.paint, (key, score) => {
        scores.move(key, kind, score);
        held = key;
        update();
      }),
    );
    const mark = guessIn(base, model, sides[0]);
    lay(body, head, sides, model.get("gradient"));

    /** What one side shows: the largest weights of both are told. */
    const show = (side, i) => {
      const { ofQuery, result, looks } = measured(model, scores, side.kind, queries);
      const root = 2 ** (model.get("exponent") / 2);
      const reach = reaches.find((far) => far >= 3 * root); // one for both sides
      side.update(ofQuery, result, { deviation: side.kind === "raw" ? root : 1, reach });
      side.hold(held);
      numbers.fill(i, looks, ofQuery, result.weights);
      return result.top.toFixed(2);
    };
    const update = () => {
      const [exponent, n, query] = getAll(model, ["exponent", "n_keys", "query"]);
      const d = 2 ** exponent;
      head.update();
      const [a, b] = sides.map(show);
      mark.draw();
      Object.assign(root.dataset, { exponent, keys: n, query, moved: scores.moved() });
      const [raw, scaled] = sides.map((side) => side.wins().share);
      model.answers = { raw, scaled };
      say(`d_k ${d}, ${n} keys: the largest weight is ${a} without the scale, ${b} with it`);
    };
    /** The scores as they were drawn. */
    const anew = () => {
      scores.back();
      held = null;
      update();
    };
    const draw = (width) => {
      for (const side of sides) side.fit(width);
      sides[0].bars().node.append(mark.node);
      update();
    };
    numbers.lay(model.get("n_keys"));
    atWidth(base, sides[0].node, ROOM, draw);
    model.on("change:n_keys", () => {
      numbers.lay(model.get("n_keys"));
      anew();
    });
    listen(model, ["exponent", "query"], anew);
    growWhenAnswered(base, model);
    return () => base.dispose();
  },
};

export default figure;
