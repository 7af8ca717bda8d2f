// Training playground: the engine learns a few sentences in its worker; the page shows what it
// would do after each step.

import { drag, pointIn } from "../kit/parts/drag.js";
import { guessMark } from "../kit/shared/guess.js";
import { CHANGED } from "../kit/shared/guesses.js";
import { h, quoted } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { listen, put } from "../kit/runtime/model.js";
import { whenSized } from "../kit/parts/sized.js";
import { filmOf } from "../kit/shared/film.js";
import { scrubOf } from "./scrub.js";
import { END, sentencesOf, textOf } from "../kit/shared/sentences.js";
import { lossText } from "../kit/shared/zones.js";
import { courseOf } from "./course.js";
import { insideOf } from "./inside.js";
import { lessonOf } from "./lesson.js";
import { likeness } from "./measures.js";
import { isLearnt, told } from "./outcome.js";
import { ownPairsOf } from "./own.js";
import { plotOf } from "./plot.js";
import { presetsOf } from "./presets.js";
import { taken } from "./run.js";

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
 *   own: any[],
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

/** @param {Model} model */
const valuesOf = (model, traits) =>
  Object.fromEntries(traits.map((trait) => [trait, model.get(trait)]));

/**
 * The sentences on top: {node, show(look)}, what it writes at a look as words, `written(look)`, and
 * what is read and should be written, as texts.
 */
const writingOf = ({ sources, targets, sourceWords, targetWords }) => {
  const english = (ids) => ids.map((id) => targetWords[id]);
  const german = sources.map((ids) => ids.map((id) => sourceWords[id]));
  const right = targets.map((ids) => [...english(ids.slice(1, -1)), END]);
  const texts = german.flatMap((words, i) => [words.join(" "), textOf(right[i])]);
  const { node, show } = sentencesOf(german, right, sources.length > FEW ? SMALLER : LARGE);
  const written = (look) => look?.written.map(english);
  return { node, texts, written, show: (look) => show(written(look)) };
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

/**
 * The curve of a course with its ball, drawn anew at another width or of more steps. `go(step)` is
 * called by a drag and by keys, and `further()` where they lead beyond the end.
 *
 * @param {Model} model
 */
const curveOf = (base, model, zones, { go, further }) => {
  let plot = { node: h("div") };
  const scrub = scrubOf("step shown", go, further);
  const node = h("div", { className: "curve" }, scrub.node, plot.node);
  const mark = guessIn(base, model, zones, () => plot);
  const fit = (goal) => {
    const width = Math.min(WIDE, Math.max(NARROW, Math.round(base.body.clientWidth || WIDE)));
    if (plot.width === width && plot.last === goal) return;
    const next = { ...plotOf(zones, width, goal), width };
    plot.node.replaceWith(next.node);
    plot = next;
    plot.node.append(mark.node);
    drag(plot.node, { move: (event) => go(plot.stepAt(pointIn(plot.node, event).x)) });
  };
  const update = ({ run, step, goal, ghosts }, words) => {
    fit(goal);
    plot.update({ losses: run.losses, step, ghosts: ghosts() });
    mark.draw();
    scrub.show(step, taken(run), words);
  };
  return { node, update };
};

/** What the page is told of a step, beside the settings. */
const dataOf = ({ run, step }, look, { sources }, { texts, playing }) => ({
  step,
  taken: taken(run),
  loss: Number.isFinite(run.losses[step]) ? run.losses[step] : "",
  alike: look?.memory ? likeness(look.memory, sources) : "",
  translations: JSON.stringify(texts),
  state: playing ? "training" : "idle",
});

/**
 * What a reader presses: play and pause, more steps, another model.
 *
 * @param {Model} model
 */
const pressed = (model, course, player, round) => ({
  play: () => (player.playing() ? player.pause() : player.play()),
  more() {
    course.goal += round;
    player.play();
  },
  choose(values) {
    put(model, values);
    put(model, { layer: model.get("last_layer") });
    course.step = 0;
    player.play();
  },
});

/**
 * Everything that learns and shows one lesson: {nodes, texts, start(), play(), update(), close()}.
 *
 * @param {Model} model
 */
const stageOf = (base, model, lesson) => {
  const { root, body, say, constants } = base;
  const course = courseOf(model, constants, lesson);
  const answers = lesson.targets.map((ids) => ids.slice(1));
  const show = (step, drawn) => {
    course.step = step;
    if (drawn) stage.update();
  };
  const { settings, reach, ended } = course;
  const film = { step: () => course.step, ended, reach, show };
  const isDone = (step) => isLearnt(course.run.looks[step], answers);
  const player = filmOf({ ...film, isLearnt: isDone }, base.ended);
  const scrubTo = (step) => {
    if (player.playing()) player.pause();
    show(Math.max(0, Math.min(taken(course.run), step)), true);
  };
  const act = pressed(model, course, player, constants.round);
  const presetRow = presetsOf(model, constants, lesson.measured, act);
  const sentences = writingOf(lesson);
  const outcome = h("p", { className: "outcome" });
  const inside = insideOf(lesson, base.paint, (values) => put(model, values));
  const moves = { go: scrubTo, further: player.further };
  const curve = curveOf(base, model, lesson.zones, moves);
  curve.node.append(presetRow.more);
  const stage = {
    sentences: sentences.node,
    nodes: [outcome, curve.node, presetRow.node, presetRow.others, inside.node],
    texts: sentences.texts,
    settings,
    start() {
      player.pause();
      course.begin(presetRow.name());
      stage.update();
      course.first(stage.update);
    },
    play() {
      presetRow.focus();
      player.play();
    },
    update() {
      if (!course.run) return;
      const { run, step } = course;
      const look = run.looks[step];
      const playing = player.playing();
      const { sentence, ...place } = valuesOf(model, LOOKED_AT);
      const chosen = { sentence: Math.min(sentence, answers.length - 1), ...place };
      body.setAttribute("aria-busy", !look); // the engine is still looking at it
      const texts = (sentences.written(look) ?? []).map(textOf);
      const came = told(run.looks, answers, step, course.ended());
      const loss = `step ${step}, loss ${lossText(run.losses[step])}`;
      const words = `${loss}. ${texts.map(quoted).join(", ")}`;
      curve.update(course, words);
      sentences.show(look);
      outcome.textContent = came;
      presetRow.update({ playing, ended: course.ended() });
      inside.update(look, chosen);
      base.numbers.replaceChildren(...inside.numbers(), lossTable(run.losses));
      const data = dataOf(course, look, lesson, { texts, playing });
      Object.assign(root.dataset, valuesOf(model, settings), chosen, data);
      if (!playing) say(course.ended() ? `${words}. ${came}` : words);
    },
    close: course.close,
  };
  return stage;
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => stage.update() });
    const { body, stays, say, constants } = base;
    const own = ownPairsOf(constants, {
      teach(lines) {
        put(model, { own: lines });
        stage.play();
      },
      giveBack() {
        put(model, { own: [] });
        stage.play();
      },
      say,
    });
    body.classList.add("playground");
    /** @type {ReturnType<typeof stageOf>} */
    let stage;
    let end; // of what the present lesson listens to
    const build = () => {
      end?.abort();
      stage?.close();
      end = new AbortController();
      const lesson = lessonOf(model, constants);
      stage = stageOf({ ...base, ended: end.signal }, model, lesson);
      stays.replaceChildren(stage.sentences);
      body.replaceChildren(own.node, ...stage.nodes);
      own.show(stage.texts, lesson.isOwn);
      stage.start();
    };
    build();
    whenSized(base, body, () => stage.update());
    document.addEventListener(CHANGED, () => stage.update(), { signal: base.ended });
    const ends = [
      listen(model, ["own"], build),
      listen(model, stage.settings, () => stage.start()),
      listen(model, LOOKED_AT, () => stage.update()),
    ];
    return () => {
      for (const stop of ends) stop();
      end.abort();
      stage.close();
      base.dispose();
    };
  },
};

export default figure;
