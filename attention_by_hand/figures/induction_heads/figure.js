// Induction heads: a run on its axis of steps, and a row of letters that the model reads.

import { Random } from "../engine/random.js";
import { softmax } from "../kit/parts/numbers.js";
import { h } from "../kit/parts/dom.js";
import { numbersTable } from "../kit/parts/tables.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { courseChart } from "./chart.js";
import { rowOf } from "./row.js";
import { runOf } from "./run.js";
import { cutText, lookText, nextText, runText } from "./telling.js";
import { drawTexts } from "./texts.js";
import { fieldOf, growthOf, headsOf, nextOf } from "./tools.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   weights: DataView,
 *   course: any,
 *   opening: any,
 *   one_layer: any,
 *   text: string,
 *   place: number,
 *   head: number,
 *   seed: number,
 *   off: string[],
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/** A text as the model may read it: its letters, in lower case, as many as there is room for. */
const readable = (text, { letters, length }) =>
  [...String(text).toLowerCase()]
    .filter((letter) => letters.includes(letter))
    .slice(0, length)
    .join("");

const within = (value, last) => Math.max(0, Math.min(last, Math.round(Number(value) || 0)));

/**
 * Takes out of the traits what an address may have, and the figure has not.
 *
 * @param {Model} model
 */
const tidy = (model, constants, parts) => {
  const text = readable(model.get("text"), constants);
  const off = parts.filter((part) => model.get("off").includes(part));
  put(model, {
    text,
    place: within(model.get("place"), Math.max(0, text.length - 1)),
    head: within(model.get("head"), parts.length - 1),
    seed: within(model.get("seed"), 2 ** 31),
    off: off.length === model.get("off").length ? model.get("off") : off,
  });
};

/**
 * What the model says of the row. `ask()` asks for the present state, and `changed` is called with
 * the answer: {text, place, off} as they were asked, {rows, shares} with the weights of each head,
 * and `cut`, what is right without the heads that are out.
 *
 * @param {Model} model
 */
const readingOf = (model, run, { letters, config }, { changed, busy, failed }) => {
  let latest = 0; // older answers come too late
  const { text, place, rows, shares } = model.get("opening");
  const isFirst = text === model.get("text") && !model.get("off").length;
  const reading = {
    /** @type {any} */
    answer: isFirst ? { text, place, rows, shares } : {},
    async ask() {
      const question = ++latest;
      if (!run.started.ready) return;
      busy(true);
      const [text, place, off] = getAll(model, ["text", "place", "off"]);
      const ids = [...text].map((letter) => 1 + letters.indexOf(letter));
      try {
        const [look, cut] = await Promise.all([
          ids.length ? run.look(ids, off) : null,
          off.length ? run.without(off) : null,
        ]);
        if (question !== latest) return;
        reading.answer = { text, place, off, cut, ...(look ? at(look, place, config) : {}) };
        busy(false);
        changed();
      } catch (error) {
        if (question !== latest) return;
        busy(false);
        failed(error);
      }
    },
  };
  return reading;
};

/** Where the letter at `place` looks, a row for each head, and the shares of all letters after it. */
const at = ({ maps, logits }, place, { n_heads, vocab_size: V }) => {
  const T = logits.shape[1];
  const rows = maps.flatMap(({ data }) =>
    Array.from({ length: n_heads }, (_, head) => {
      const from = (head * T + place) * T;
      return Array.from(data.slice(from, from + place + 1));
    }),
  );
  const scores = Array.from(logits.data.slice(place * V + 1, (place + 1) * V)); // padding is no letter
  return { rows, shares: softmax(scores) };
};

/** The tables of numbers: the course of the run, and the look of the letter. */
const numbersOf = ({ course }, heads, row) => {
  const kinds = ["back", "behind"];
  const count = heads.names.length / 2;
  const columns = [
    "loss",
    ...heads.names.map((name, i) => `${name}, ${i < count ? "back" : "behind"}`),
  ];
  const table = numbersTable("the run", course.steps.map(String), columns);
  course.steps.forEach((_, i) => {
    const all = [course.loss[i], ...kinds.flatMap((kind) => course[kind][i])];
    all.forEach((x, j) => {
      table.texts[i * columns.length + j].data = x.toFixed(4);
    });
  });
  const letters = [...row.text].slice(0, row.place + 1);
  if (!row.rows) return [table.node];
  const look = numbersTable("where the letter looks", heads.names, letters);
  row.rows.forEach((weights, i) =>
    weights.forEach((weight, j) => {
      look.texts[i * letters.length + j].data = weight.toFixed(4);
    }),
  );
  return [table.node, look.node];
};

/**
 * What a reader does.
 *
 * @param {Model} model
 */
const actsOf = (model, constants, run) => {
  const type = (text) => {
    const row = readable(text, constants);
    put(model, { text: row, place: Math.max(0, row.length - 1) });
  };
  const grow = (seed) => {
    put(model, { seed });
    run.grow(seed);
  };
  return {
    type,
    /** The beginning of a text as the model learns from, up to some letters of the second stretch. */
    lot() {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const [{ ids, first, second }] = drawTexts(1, new Random(seed), constants);
      const row = ids.slice(first, second + 4).map((id) => constants.letters[id - 1]);
      type(row.join(""));
    },
    play: () =>
      ({
        recorded: () => grow(model.get("seed")),
        starting: run.pause,
        growing: run.pause,
        paused: run.goOn,
        grown: () => grow(model.get("seed") + 1),
      })[run.state](),
    anew: () => grow(model.get("seed") + 1),
    recall: () => run.recall(),
    go: (place) => put(model, { place }),
    show: (head) => put(model, { head }),
    cut(parts) {
      const off = model.get("off");
      const isCut = parts.every((part) => off.includes(part));
      const others = off.filter((part) => !parts.includes(part));
      put(model, { off: isCut ? others : [...others, ...parts].sort() });
    },
  };
};

/** The parts of the figure, laid into its body. */
const partsOf = (base, constants, oneLayer, acts, heads) => {
  const parts = {
    heads,
    growth: growthOf(acts),
    chart: courseChart(base, constants, oneLayer),
    field: fieldOf(constants, acts),
    row: rowOf(base, acts.go),
    writes: nextOf(constants.letters),
    looks: h("p", { className: "looks" }),
    cost: h("p", { className: "cost" }),
  };
  const { growth, chart, field, row, writes, looks, cost } = parts;
  const title = h("p", { className: "plain" }, "What it would write next");
  const next = h("div", { className: "after" }, title, writes.node);
  const left = h("div", { className: "left" }, growth.node, chart.node);
  heads.cutting.append(cost);
  const below = [field.node, row.node, looks, next, heads.node, heads.cutting];
  const right = h("div", { className: "right" }, ...below);
  base.body.append(h("div", { className: "induction" }, left, right));
  return parts;
};

/**
 * What is shown now: the row with the look of its letter, the shares behind it, what is said.
 *
 * @param {Model} model
 */
const shownOf = (model, constants, { run, reading, heads }) => {
  const [text, place, head, off] = getAll(model, ["text", "place", "head", "off"]);
  const { answer } = reading;
  const { rows, shares } = answer;
  const isFresh = Boolean(rows) && answer.text === text && answer.place === place;
  const cut = String(answer.off) === String(off) ? answer.cut : null;
  const whole = { loss: run.course.loss.at(-1), right: run.course.right };
  const row = {
    ...{ text, place, head, off, name: heads.names[head] },
    kind: head < constants.config.n_heads ? "back" : "behind",
    isCut: off.includes(heads.parts[head]),
    weights: isFresh ? rows[head] : null,
    rows: isFresh ? rows : null,
    shares: isFresh ? shares : null,
    next: isFresh ? constants.letters[shares.indexOf(Math.max(...shares))] : "",
  };
  const told = {
    state: runText(run, constants),
    look: lookText(row),
    next: nextText(row),
    cut: cutText(off, heads, { whole, cut, layers: constants.layers }),
  };
  return { row, told, whole, cut };
};

/** Draws what is shown. */
const draw = (base, run, { row, told, whole, cut }, fault, parts) => {
  const { growth, chart, field, writes, heads, looks, cost } = parts;
  growth.update(run, fault || told.state);
  chart.update(run.course, run.course === run.recorded ? null : run.recorded);
  field.update(row.text);
  parts.row.update(row, told.look);
  writes.update(row.shares);
  heads.update(row.head, row.off);
  looks.textContent = told.look;
  cost.textContent = told.cut;
  base.numbers.replaceChildren(...numbersOf(run, heads, row));
  const { text, place, head, off, next } = row;
  Object.assign(base.root.dataset, {
    text,
    place,
    head,
    next,
    off: off.join(" "),
    loss: whole.loss,
  });
  const { course, state } = run;
  const step = course.steps.at(-1);
  Object.assign(base.root.dataset, { step, state, seed: course.seed, cut: cut?.loss ?? "" });
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { said: () => Object.values(shown.told).join("\n") });
    const { body, constants } = base;
    const heads = headsOf(constants, { show: (i) => acts.show(i), cut: (all) => acts.cut(all) });
    tidy(model, constants, heads.parts);
    let shown = null;
    let fault = "";
    const update = () => {
      shown = shownOf(model, constants, { run, reading, heads });
      draw(base, run, shown, fault, parts);
      const { look, next, cut } = shown.told;
      if (!["starting", "growing"].includes(run.state)) base.say([look, next, cut].join(" "));
    };
    const failed = (error) => {
      fault = `The engine ${run.started.fault}: ${error.message}`;
      update();
    };
    const busy = (on) => body.setAttribute("aria-busy", on);
    const changed = () => {
      update();
      reading.ask();
    };
    const run = runOf(model, constants, base.ended, { changed, failed });
    const reading = readingOf(model, run, constants, { changed: () => update(), busy, failed });
    const acts = actsOf(model, constants, run);
    const parts = partsOf(base, constants, model.get("one_layer"), acts, heads);
    /** @type {(keyof Traits)[][]} */
    const [asks, shows] = [
      ["text", "place", "off", "weights"],
      ["head", "seed"],
    ];
    const follow = (react) => () => {
      tidy(model, constants, heads.parts);
      react();
    };
    const ends = [listen(model, asks, follow(changed)), listen(model, shows, follow(update))];
    changed();
    parts.chart.fit();
    parts.row.fit();
    return () => {
      for (const end of ends) end();
      base.dispose();
    };
  },
};

export default figure;
