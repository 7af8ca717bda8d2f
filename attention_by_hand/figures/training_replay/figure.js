// Training replay: the losses of some runs, a ball on each, and what each model wrote and where it
// looked at that step.

import { sharesFrom } from "../kit/parts/packed.js";
import { drag, pointIn } from "../kit/parts/drag.js";
import { choicesOf } from "../kit/parts/choices.js";
import { filmOf } from "../kit/shared/film.js";
import { h, quoted } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { whenSized } from "../kit/parts/sized.js";
import { textOf } from "../kit/shared/sentences.js";
import { numbersTable } from "../kit/parts/tables.js";
import { cardOf } from "./card.js";
import { PARTED, plotOf } from "./plot.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   names: any[],
 *   losses: any[],
 *   shape: any[],
 *   rows: any[],
 *   columns: any[],
 *   zones: any[],
 *   sources: any[],
 *   targets: any[],
 *   written: any[],
 *   levels: any,
 *   weights: DataView,
 *   step: number,
 *   head: number,
 *   last_step: number,
 *   last_head: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const NARROW = 280;
const WIDE = 760;
const FEW = 4; // columns of which two maps stand beside each other on a phone
const APART = 2; // times the loss of the run that comes out best

/** The step from which on another run is left behind to the end; 0 where none is. */
const partingOf = (losses) => {
  const best = losses.reduce((one, other) => (other.at(-1) < one.at(-1) ? other : one));
  const isClose = best.map((loss, step) => losses.every((run) => run[step] <= APART * loss));
  const parting = isClose.lastIndexOf(true) + 1;
  return parting < best.length ? parting : 0;
};

/**
 * What the figure was given: its runs, and the bytes of a map.
 *
 * @param {Model} model
 */
const dataOf = (model) => {
  const at = getter(model);
  const [, steps, heads, rows, cols] = at("shape");
  const bytes = (run, step, head) => {
    const from = ((run * steps + step) * heads + head) * rows * cols;
    return sharesFrom(at("weights"), from, rows * cols);
  };
  return {
    names: at("names"),
    losses: at("losses"),
    zones: at("zones"),
    levels: at("levels"),
    rows: at("rows"),
    columns: at("columns"),
    sources: at("sources"),
    targets: at("targets"),
    written: at("written"),
    parting: partingOf(at("losses")),
    steps,
    heads,
    bytes,
  };
};

/** The tables of "Show the numbers": `update(step, head)` fills them. */
const runTables = ({ names, losses, rows, columns, bytes }) => {
  const loss = numbersTable("loss", ["this step"], names);
  const maps = names.map((name) => numbersTable(`weights of ${name}`, rows, columns));
  const update = (step, head) => {
    names.forEach((_, run) => {
      loss.texts[run].data = losses[run][step].toFixed(6);
      bytes(run, step, head).forEach((byte, k) => {
        maps[run].texts[k].data = (byte / 255).toFixed(4);
      });
    });
  };
  return { nodes: [loss.node, ...maps.map(({ node }) => node)], update };
};

/**
 * The button that plays and pauses, the step that is shown, and whether to pause where the runs
 * part, if they do.
 */
const playOf = (film, parting) => {
  const button = h("button", { type: "button", className: "play ui" });
  const label = h("b");
  const box = h("input", { type: "checkbox", checked: true });
  const pausing = h("label", { className: "check ui" }, box, "pause where they part");
  pausing.hidden = !parting;
  button.addEventListener("click", () => (film.playing() ? film.pause() : film.play()));
  const update = (step) => {
    label.textContent = `step ${step}`;
    button.textContent = film.playing() ? "❚❚" : "▶";
    button.setAttribute("aria-label", film.playing() ? "pause" : "play");
  };
  const pauses = () => box.checked;
  return { node: h("div", { className: "bar" }, button, label, pausing), pauses, update };
};

/** Which head's looks are shown, where there are several. */
const looksOf = (heads, choose) => {
  const names = Array.from({ length: heads }, (_, head) => `head ${head}`);
  const { node: which, update } = choicesOf("heads", names, choose);
  const node = h("div", { className: "looks" }, h("p", {}, "where it looks"), which);
  node.hidden = heads < 2;
  return { node, update };
};

/**
 * The curves, drawn anew at another width, so that their letters are as large as all others; `go`
 * is told the step of a drag.
 */
const curvesOf = (body, data, go) => {
  let plot = { node: h("div") };
  const fit = () => {
    const width = Math.min(WIDE, Math.max(NARROW, Math.round(body.clientWidth || WIDE)));
    if (plot.width === width) return;
    const next = { ...plotOf(data, width), width };
    plot.node.replaceWith(next.node);
    plot = next;
    drag(plot.node, { move: (event) => go(plot.stepAt(pointIn(plot.node, event).x)) });
  };
  let seen = 0; // the furthest step that was shown
  const update = (step) => {
    fit();
    seen = Math.max(seen, step);
    plot.update(step, seen);
  };
  return { node: plot.node, update };
};

/** Whether a run writes all sentences right at a step, if there are any. */
const isLearnt = ({ written, targets }, step) =>
  written.some((run) => run[step].every((words, i) => words.join(" ") === targets[i].join(" ")));

/** A step in words: each run's loss, and what it wrote. */
const spoken = ({ names, losses, written, parting }, step) => {
  const runs = names.map((name, run) => {
    const texts = written[run]?.[step].map((words) => quoted(textOf(words))) ?? [];
    return [`${quoted(name)} loss ${losses[run][step].toFixed(3)}`, ...texts].join(", ");
  });
  const parted = parting && step === parting ? `, ${PARTED}` : "";
  return `step ${step}${parted}: ${runs.join("; ")}`;
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const data = dataOf(model);
    const { names, steps, heads } = data;
    const last = steps - 1;

    const film = filmOf(
      {
        step: () => model.get("step"),
        ended: () => model.get("step") >= last,
        reach: async (step) => step <= last,
        show: (step) => (step === model.get("step") ? update() : put(model, { step })),
        isLearnt: (step) => isLearnt(data, step),
        rests: (step) => step === data.parting && play.pauses(),
      },
      base.ended,
    );
    const cards = names.map((name, run) => cardOf(data, name, run));
    const looks = looksOf(heads, (head) => put(model, { head }));
    const play = playOf(film, data.parting);
    const numbers = runTables(data);
    const curves = curvesOf(body, data, (step) => {
      if (film.playing()) film.pause();
      put(model, { step: Math.max(0, Math.min(last, step)) });
    });
    base.numbers.append(...numbers.nodes);
    body.classList.add("replay");
    body.classList.toggle("beside", names.length === 2 && data.columns.length <= FEW);
    body.append(
      curves.node,
      play.node,
      h("div", { className: "cards written" }, ...cards.map(({ writing }) => writing)),
      looks.node,
      h("div", { className: "cards maps" }, ...cards.map(({ map }) => map)),
    );

    const update = () => {
      const step = model.get("step");
      const head = model.get("head");
      curves.update(step);
      looks.update(head);
      play.update(step);
      for (const card of cards) card.update(step, head);
      numbers.update(step, head);
      Object.assign(root.dataset, { step, head });
      if (!film.playing()) say(spoken(data, step));
    };
    whenSized(base, body, update);
    listen(model, ["step", "head"], update);
    update();
    return () => base.dispose();
  },
};

export default figure;
