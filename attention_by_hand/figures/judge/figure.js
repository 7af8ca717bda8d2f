// Judge: sentences that a model writes, what is said of them, and what it then becomes.

import { choicesOf } from "../kit/parts/choices.js";
import { h } from "../kit/parts/dom.js";
import { numbersTable } from "../kit/parts/tables.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { courseChart } from "./chart.js";
import { grammarOf, judgesOf } from "./judges.js";
import { listOf } from "./list.js";
import { runOf } from "./run.js";
import { leashOf, saidOf, titleOf, toldOf } from "./telling.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   weights: DataView,
 *   vocabulary: string[],
 *   german: number[],
 *   language: DataView,
 *   liked: number,
 *   course: any,
 *   opening: number[][],
 *   judge: number,
 *   leash: number,
 *   seed: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const button = (className, text, press) => {
  const node = h("button", { type: "button", className }, text);
  node.addEventListener("click", press);
  return node;
};

/** {node, update(state)}: who judges, what lets it learn, and how it stands, in sight of the whole list. */
const toolsOf = ({ judges, lines, measured, round, rounds, taught }, acts) => {
  const who = choicesOf("who judges", judges, acts.judge);
  const learn = button("play learn", "Learn from what I said", acts.learn);
  const play = button("play", "", acts.play);
  const back = button("back", "Back to before", acts.back);
  const bar = h("progress");
  const says = h("span", { className: "plain" });
  const counts = lines.map((kind) => h("span", { className: kind }));
  const judged = h(
    "div",
    { className: "who ui" },
    h("span", { className: "plain" }, "who judges"),
    who.node,
  );
  const buttons = h("div", { className: "ui buttons" }, learn, play, back, bar, says);
  const node = h(
    "div",
    { className: "tools" },
    judged,
    buttons,
    h("p", { className: "counts" }, ...counts),
  );
  const update = ({ judge, run: { state, left, course }, said, isReady, isEnough }) => {
    const isLearning = state === "learning";
    const now = (name) => course[name].at(state === "recorded" ? 0 : -1);
    const isReader = judge === 0;
    who.update(judge);
    learn.hidden = !isReader || isLearning;
    learn.setAttribute("aria-disabled", !isEnough || !isReady);
    play.hidden = isReader && !isLearning;
    play.textContent = isLearning ? "❚❚ Pause" : "▶ Let it judge";
    play.disabled = !isReady;
    back.hidden = state === "recorded" || isLearning;
    bar.hidden = !isLearning;
    bar.max = isReader ? taught : round * rounds;
    bar.value = bar.max - left;
    bar.setAttribute("aria-label", `${left} steps to go`);
    says.textContent = isReader && !isLearning ? said : `${bar.max} steps at a time`;
    const [right, different, questions] = lines.map((name) => Math.round(now(name)));
    counts[0].textContent = `${right}\u00a0% right`;
    counts[1].textContent = `${different} of ${measured} different`;
    counts[2].textContent = `${questions}\u00a0% questions`;
  };
  return { node, update };
};

/**
 * What the page knows besides the model: whether the grammar has a sentence, which is not known while
 * the graph of them all is on its way, and how one reads.
 *
 * @param {Model} model
 */
const knownOf = (model) => {
  const [words, german] = [model.get("vocabulary"), new Set(model.get("german"))];
  let grammar = null;
  const isReady = () => Boolean(model.get("language"));
  return {
    isReady,
    isSentence(ids) {
      if (isReady()) grammar ??= grammarOf(model.get("language"));
      return grammar?.(ids);
    },
    asks: words.indexOf("?"),
    sentence: (ids) => ids.map((id) => words[id]).join(" "),
    lang: (ids) => (ids.some((id) => german.has(id)) ? "de" : "en"),
  };
};

/** The course of the run as a table. */
const numbersOf = ({ course }, names) => {
  const table = numbersTable("the run", course.steps.map(String), names);
  course.steps.forEach((_, i) => {
    names.forEach((name, j) => {
      table.texts[i * names.length + j].data = course[name][i].toFixed(
        name === "different" ? 0 : 1,
      );
    });
  });
  return table.node;
};

/** The rows of the list, English first: what the model writes, what is said of it, and the grammar's mark. */
const rowsOf = (texts, { judgements, isMarked }, known, { bos_id, eos_id }) =>
  texts
    .map((text) => text.filter((id) => id !== bos_id && id !== eos_id))
    .map((ids, i) => ({
      sentence: known.sentence(ids),
      lang: known.lang(ids),
      judgement: judgements[i],
      isRight: known.isSentence(ids),
      isShown: known.isReady() && (isMarked || judgements[i] !== null),
    }));

/** Says in the page what is shown. */
const note = ({ dataset }, { course, state }, { judge, leash }, lines) => {
  const at = state === "recorded" ? 0 : -1;
  Object.assign(dataset, { judge, leash, state, step: course.steps.at(at) });
  for (const name of lines) dataset[name] = course[name].at(at);
};

/**
 * What the reader does.
 *
 * @param {Model} model
 */
const actsOf = (model, judges, state, { run, update }) => ({
  judge: (i) => put(model, { judge: i }),
  play() {
    if (run.state === "learning") run.pause();
    else run.follow(judges[model.get("judge") - 1], model.get("leash"));
  },
  learn() {
    if (run.state !== "learning" && isEnough(state.judgements))
      run.learn(state.judgements, model.get("leash"));
  },
  back: () => run.forget(),
  say(i, value) {
    state.judgements[i] = state.judgements[i] === value ? null : value;
    put(model, { judge: 0 });
    update();
  },
});

/** Whether not all that was said is the same. */
const isEnough = (judgements) => new Set(judgements.filter((one) => one !== null)).size > 1;

/** The parts of the figure, laid into its body. */
const partsOf = (base, acts) => {
  const { constants, stays, body } = base;
  const tools = toolsOf(constants, acts);
  const chart = courseChart(base, constants);
  const list = listOf(constants.shown, acts.say);
  const told = h("p", { className: "told" });
  const leash = h("p", { className: "plain leash" });
  const left = h("div", { className: "left" }, chart.node, told, leash);
  stays.append(tools.node);
  body.append(h("div", { className: "judge" }, left, list.node));
  return { tools, chart, list, told, leash };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { said: () => parts.told.textContent });
    const { constants, root } = base;
    const known = knownOf(model);
    const judges = judgesOf(known.isSentence, model.get("liked"));
    const state = { judgements: [], texts: null, isMarked: false, fault: "" };
    const failed = (error) => {
      state.fault = `The engine ${run.started.fault}: ${error.message}`;
      update();
    };
    const update = () => {
      if (state.texts !== run.texts) {
        state.texts = run.texts;
        state.judgements = run.texts.map(() => null);
        state.isMarked = false;
      }
      const { judgements } = state;
      const [judge, leash] = getAll(model, ["judge", "leash"]);
      const told = state.fault || toldOf(run, constants);
      const said = saidOf(judgements);
      state.isMarked ||= judge !== 0;
      const rows = rowsOf(run.texts, state, known, constants);
      const isReady = run.started.ready && known.isReady();
      parts.tools.update({ judge, run, said, isReady, isEnough: isEnough(judgements) });
      parts.chart.update(run.course, run.course === run.recorded ? null : run.recorded);
      parts.list.update(rows, titleOf(run));
      parts.told.textContent = told;
      parts.leash.textContent = leashOf(leash);
      base.numbers.replaceChildren(numbersOf(run, constants.lines));
      note(root, run, { judge, leash }, constants.lines);
      if (run.state !== "learning") base.say(judge === 0 ? `${told} ${said}` : told);
    };
    const changed = () => update();
    const run = runOf(model, constants, base.ended, known, { changed, failed });
    const parts = partsOf(base, actsOf(model, judges, state, { run, update }));
    const end = listen(model, ["judge", "leash", "seed", "weights", "language"], update);
    update();
    parts.chart.fit();
    return () => {
      end();
      base.dispose();
    };
  },
};

export default figure;
