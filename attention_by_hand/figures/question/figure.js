// Question: one word asks, and the reader's hand turns what it asks.

import { h, token } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { whenSized } from "../kit/parts/sized.js";
import { numbersTable, table } from "../kit/parts/tables.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { daresOf } from "./dares.js";
import { mixtureOf } from "./mixture.js";
import { attend, learn } from "./moves.js";
import { nearestIn } from "../kit/shared/plane.js";
import { showHand } from "../kit/shared/ghost.js";
import { scoresOf } from "./scores.js";
import { percent, sharesOf } from "./shares.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   words: string[],
 *   word_keys: number[][],
 *   word_values: number[][],
 *   across: number,
 *   up: number,
 *   wanted: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const MOVES = ["score", "e to the score", "share"];
const PUSH = "pushed by";
/** @type {["across", "up", "word_keys", "word_values"]} what the hand and the learning move */
const MOVED = ["across", "up", "word_keys", "word_values"];

const replaced = (list, i, one) => list.map((old, j) => (i === j ? one : old));

/** The three moves with their digits, in a fold, and the pushes of the last step of learning. */
const movesTable = (words) => {
  const { node: moves, cells } = table(
    [...MOVES, PUSH],
    words.map((word) => token(word)),
    { className: "moves" },
  );
  const node = h(
    "div",
    { className: "panel", tabIndex: 0, role: "group", "aria-label": "the three moves" },
    moves,
  );
  const push = moves.tBodies[0].rows[MOVES.length];
  const fold = h("details", { className: "fold" }, h("summary", {}, "The three moves in numbers"));
  fold.append(node);
  return {
    node: fold,
    open() {
      fold.open = true;
    },
    update({ scores, shares, pushes }) {
      push.hidden = !pushes;
      words.forEach((_, i) => {
        cells[0][i].textContent = signed(scores[i], 2);
        cells[1][i].textContent = Math.exp(scores[i]).toFixed(2);
        cells[2][i].textContent = percent(shares[i]);
        cells[3][i].textContent = pushes ? signed(pushes[i], 2) : "";
      });
    },
  };
};

const button = (className, text, pressed) => {
  const node = h("button", { type: "button", className: `${className} ui` }, text);
  node.addEventListener("click", pressed);
  return node;
};

/** A picture over its name. */
const titled = (node, className, ...name) =>
  h("div", { className }, node, h("p", { className: "plain" }, ...name));

/**
 * What the question has learnt: its exact numbers, of which the page shows the nearest step, and
 * the pushes of the last step. Whatever else moves the figure makes it forget.
 *
 * @param {Model} model
 */
const learnerOf = (model, { rate, reach, step }) => {
  let exact = null;
  let pushes = null;
  const nearest = nearestIn({ reach, step });
  const shown = () => getAll(model, ["across", "up"]);
  const isKept = () => exact?.every((value, axis) => nearest(value) === shown()[axis]) ?? false;
  return {
    pushes: () => (isKept() ? pushes : null),
    step() {
      const [keys, values, wanted] = getAll(model, ["word_keys", "word_values", "wanted"]);
      const from = isKept() ? exact : shown();
      const learnt = learn(from, keys, values, values[wanted], rate);
      pushes = learnt.pushes;
      exact = learnt.question.map((value) => Math.min(reach, Math.max(-reach, value)));
      return exact.map(nearest);
    },
    forget() {
      exact = null;
    },
  };
};

/** The numbers of the present state, as tables. */
const numbersIn = (base, words) => {
  const moves = numbersTable("what each word is given", words, MOVES);
  const mixture = numbersTable("the mixture", ["mixture"], ["across", "up"]);
  base.numbers.append(moves.node, mixture.node);
  return ({ scores, shares, mixture: received }) => {
    words.forEach((_, i) => {
      [scores[i], Math.exp(scores[i]), shares[i]].forEach((value, j) => {
        moves.texts[3 * i + j].data = signed(value);
      });
    });
    received.forEach((value, axis) => {
      mixture.texts[axis].data = signed(value);
    });
  };
};

/**
 * The parts of the figure, laid into its body: {plane, fan, triangle, moves, dares, receives}.
 * `by(change)` is told what the hand does.
 *
 * @param {Model} model
 */
const partsOf = (model, body, constants, by) => {
  const words = model.get("words");
  const plane = scoresOf({
    words,
    ...constants,
    ask: ([across, up]) => by({ across, up }),
    pull: (i, key) => by({ word_keys: replaced(model.get("word_keys"), i, key) }),
  });
  const triangle = mixtureOf({
    words,
    ...constants,
    pull: (i, value) => by({ word_values: replaced(model.get("word_values"), i, value) }),
  });
  const fan = sharesOf(words);
  const moves = movesTable(words);
  const receives = h("b");
  const pictures = [
    titled(plane.node, "scores", "score: reach along the question, times its length"),
    titled(fan.node, "shares", "share: e to the score, of the sum"),
    titled(triangle.node, "mixture", "mixture: ", receives),
  ];
  const dares = daresOf(words, model.get("wanted"));
  body.classList.add("question");
  body.append(h("div", { className: "pictures" }, ...pictures), moves.node);
  return { plane, fan, triangle, moves, dares, receives };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    showHand(base, ".knob.query");
    const { root, body, say, constants } = base;
    const [words, wanted] = getAll(model, ["words", "wanted"]);
    const first = Object.fromEntries(MOVED.map((trait) => [trait, model.get(trait)]));
    const learner = learnerOf(model, constants);
    const by = (change) => {
      learner.forget();
      put(model, change);
    };
    const { plane, fan, triangle, moves, dares, receives } = partsOf(model, body, constants, by);
    const write = numbersIn(base, words);
    const draw = () => {
      const [across, up, keys, values] = getAll(model, MOVED);
      const asking = [across, up];
      const pushes = learner.pushes();
      const target = pushes && values[wanted];
      const state = { asking, keys, values, pushes, target, ...attend(asking, keys, values) };
      for (const part of [plane, fan, triangle, moves, dares]) part.update(state);
      write(state);
      const point = state.mixture.map((value) => signed(value, 3)).join(", ");
      receives.textContent = `${words.at(-1)} receives (${point})`;
      const isFirst = MOVED.every((trait) => model.get(trait) === first[trait]);
      back.style.visibility = isFirst ? "hidden" : "visible"; // what stands below stays where it is
      const shares = state.shares.map((share) => share.toFixed(4)).join(" ");
      Object.assign(root.dataset, { across, up, shares });
      const told = words.map((word, i) => `${word} ${percent(state.shares[i])}`).join(", ");
      say(`${told}; ${receives.textContent}`);
    };
    const step = button("learn", "let it learn ›", () => {
      const [across, up] = learner.step();
      put(model, { across, up });
      moves.open(); // there is what was pushed
      draw(); // the pushes may be new where the shown question is not
    });
    const back = button("back", "put all back", () => {
      triangle.forget();
      by(first);
    });
    body.prepend(h("div", { className: "dares" }, ...dares.buttons), dares.line);
    moves.node.before(h("div", { className: "dares acts" }, step, back));
    const fit = () => {
      for (const part of [plane, triangle]) part.fit(part.node.clientWidth || 280);
      fan.fit(fan.node.clientWidth || 260, fan.node.clientHeight || 240);
      draw();
    };
    listen(model, MOVED, draw);
    whenSized(base, body, fit);
    fit();
    return () => base.dispose();
  },
};

export default figure;
