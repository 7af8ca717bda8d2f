// Training playground: the engine learns a few sentences in its worker; the page shows what it
// would do after each step.

import { drag, pointIn } from "../kit/parts/drag.js";
import { guessMark } from "../kit/shared/guess.js";
import { CHANGED } from "../kit/shared/guesses.js";
import { h, quoted } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { whenSized } from "../kit/parts/sized.js";
import { filmOf } from "../kit/shared/film.js";
import { scrubOf } from "./scrub.js";
import { END, sentencesOf, textOf } from "../kit/shared/sentences.js";
import { lossText } from "../kit/shared/zones.js";
import { ghostsOf } from "./ghosts.js";
import { insideOf } from "./inside.js";
import { likeness } from "./measures.js";
import { plotOf } from "./plot.js";
import { presetsOf } from "./presets.js";
import { burst, runsOf, taken } from "./run.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   config: any,
 *   untrained: any,
 *   source: any[],
 *   target: any[],
 *   source_words: any[],
 *   target_words: any[],
 *   zones: any[],
 *   failed: any[],
 *   layers: number,
 *   d_model: number,
 *   warmup: number,
 *   seed: number,
 *   sentence: number,
 *   layer: number,
 *   head: number,
 *   last_layer: number,
 *   last_head: number,
 *   dropout: number,
 *   heads: number,
 *   rate: number,
 *   norm: number,
 *   prediction: string,
 *   no_layer_norm: boolean,
 *   no_feed_forward: boolean,
 *   measured: boolean,
 *   alone: boolean,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const NARROW = 280;
const WIDE = 760;
/** @type {(keyof Traits)[]} */
const LOOKED_AT = ["sentence", "layer", "head"];
const LARGE = 22; // pixels
const SMALLER = 16;
const FEW = 2; // so many sentences are large

/**
 * The words to learn: ids without padding, and the words they stand for.
 *
 * @param {Model} model
 */
const wordsOf = (model) => {
  const { pad_id } = model.get("config");
  const [sources, targets] = getAll(model, ["source", "target"]).map((rows) =>
    rows.map((row) => row.filter((id) => id !== pad_id)),
  );
  const sourceWords = model.get("source_words");
  const targetWords = model.get("target_words");
  return { sources, targets, sourceWords, targetWords, alone: model.get("alone") };
};

/** @param {Model} model */
const valuesOf = (model, traits) =>
  Object.fromEntries(traits.map((trait) => [trait, model.get(trait)]));

/**
 * The sentences on top: {node, show(look)}, and what it writes at a look as words, `written(look)`.
 */
const writingOf = ({ sources, targets, sourceWords, targetWords }) => {
  const english = (ids) => ids.map((id) => targetWords[id]);
  const german = sources.map((ids) => ids.map((id) => sourceWords[id]));
  const right = targets.map((ids) => [...english(ids.slice(1, -1)), END]);
  const { node, show } = sentencesOf(german, right, sources.length > FEW ? SMALLER : LARGE);
  const written = (look) => look?.written.map(english);
  return { node, written, show: (look) => show(written(look)) };
};

/**
 * The reader's guess along the floor that it names.
 *
 * @param {Model} model
 */
const guessIn = (base, model, zones, plot) =>
  guessMark(base, model, "line", ({ guess }) => {
    const guessed = Number.parseFloat(guess);
    const zone = zones.find(([, lower]) => lower > 0 && Math.abs(lower - guessed) < 0.001);
    if (!zone) return null;
    const { px, py, last } = plot();
    const y = py(zone[1]);
    const middle = { x: (px(0) + px(last)) / 2, y: y - 5, "text-anchor": "middle" };
    return [{ x1: px(0), x2: px(last), y1: y, y2: y }, middle];
  });

const lossTable = (losses) => {
  const row = (loss, step) =>
    h("tr", {}, h("th", { scope: "row" }, `${step}`), h("td", {}, loss.toFixed(6)));
  const head = ["step", "loss"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "table",
    {},
    h("caption", {}, "loss after each step"),
    h("thead", {}, h("tr", {}, ...head)),
    h("tbody", {}, ...losses.map(row)),
  );
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => update() });
    const { root, body, say, constants } = base;
    const { round, presets, choices } = constants;
    /** @type {any[]} */
    const settings = [...Object.keys(Object.values(presets)[0].settings), "seed"];
    const words = wordsOf(model);
    const zones = model.get("zones");
    const runs = runsOf(model, choices);
    const ghosts = ghostsOf(model, constants, settings);
    let run = null;
    let current = 0;
    let goal = round;

    const show = (step, drawn) => {
      current = step;
      if (drawn) update();
    };
    const ended = () => current >= goal || (burst(run) && current >= taken(run));
    const reach = async (step) => {
      const begun = run;
      if (step > taken(begun) && !burst(begun)) await runs.ahead(begun);
      return step <= taken(begun);
    };
    const player = filmOf({ step: () => current, ended, reach, show }, base.ended);
    const scrubTo = (step) => {
      if (player.playing()) player.pause();
      show(Math.max(0, Math.min(taken(run), step)), true);
    };
    const presetRow = presetsOf(model, constants, {
      play: () => (player.playing() ? player.pause() : player.play()),
      more: () => {
        goal += round;
        player.play();
      },
      choose: (values) => {
        put(model, values);
        put(model, { layer: model.get("last_layer") });
        current = 0;
        player.play();
      },
    });
    const sentences = writingOf(words);
    const inside = insideOf(words, base.paint, (values) => put(model, values));
    const scrub = scrubOf("step shown", scrubTo, player.further);
    let plot = { node: h("div") };
    const curve = h("div", { className: "curve" }, scrub.node, plot.node, presetRow.more);
    const mark = guessIn(base, model, zones, () => plot);
    body.classList.add("playground");
    body.append(sentences.node, curve, presetRow.node, presetRow.note, inside.node);

    function start() {
      player.pause();
      if (run) ghosts.add(run);
      const { settings: known, ...look } = model.get("untrained");
      const same = known && settings.every((trait) => known[trait] === model.get(trait));
      run = Object.assign(runs.start(same ? look : null), {
        key: ghosts.key(),
        name: presetRow.name(),
      });
      current = 0;
      goal = round;
      update();
      const begun = run;
      runs.first(run)?.then(() => begun === run && update());
    }

    function fit() {
      const width = Math.min(WIDE, Math.max(NARROW, Math.round(body.clientWidth || WIDE)));
      if (plot.width === width && plot.last === goal) return;
      const next = { ...plotOf(zones, width, goal), width };
      plot.node.replaceWith(next.node);
      plot = next;
      plot.node.append(mark.node);
      drag(plot.node, { move: (event) => scrubTo(plot.stepAt(pointIn(plot.node, event).x)) });
    }

    function update() {
      if (!run) return;
      const look = run.looks[current];
      const playing = player.playing();
      const chosen = valuesOf(model, LOOKED_AT);
      body.setAttribute("aria-busy", !look); // the engine is still looking at it
      fit();
      sentences.show(look);
      plot.update({ losses: run.losses, step: current, ghosts: ghosts.beside(run) });
      mark.draw();
      presetRow.update({ playing, ended: ended() });
      inside.update(look, chosen);
      base.numbers.replaceChildren(...inside.numbers(), lossTable(run.losses));
      const texts = (sentences.written(look) ?? []).map(textOf);
      const told = `step ${current}, loss ${lossText(run.losses[current])}. ${texts.map(quoted).join(", ")}`;
      scrub.show(current, taken(run), told);
      Object.assign(root.dataset, valuesOf(model, settings), chosen, {
        step: current,
        taken: taken(run),
        loss: Number.isFinite(run.losses[current]) ? run.losses[current] : "",
        alike: look?.memory ? likeness(look.memory, words.sources) : "",
        translations: JSON.stringify(texts),
        state: playing ? "training" : "idle",
      });
      if (!playing) say(told);
    }

    whenSized(base, body, update);
    document.addEventListener(CHANGED, () => update(), { signal: base.ended });
    const ends = [listen(model, settings, start), listen(model, LOOKED_AT, () => update())];
    start();
    return () => {
      for (const end of ends) end();
      runs.close();
      base.dispose();
    };
  },
};

export default figure;
