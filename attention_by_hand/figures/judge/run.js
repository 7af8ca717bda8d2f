// The run: a model that has read, and learns from judgements, a round of some steps at a time.

import { startedOf } from "../engine/started.js";
import { measuresOf, pullsOf } from "./judges.js";

/** @import { Model } from "./figure.js" */

const SEEDS = 100_000; // of a run: what one draws, no other does

/** As not every reader has German. */
const englishFirst = (texts, lang) => [...texts].sort((a, b) => lang(b).localeCompare(lang(a)));

/** A round: `read()` begins, `taught(judgements, leash)` learns from the sentences that are shown,
 * `judged(judge, leash)` from new ones at every step, and `measured()` looks at what it writes now. */
const roundsOf = (model, constants, started, { isSentence, asks, lang }) => {
  const { batch, measured, shown, longest, bos_id, eos_id, pad_id, rate } = constants;
  let draws = 0;
  const draw = (count) =>
    started.ask("draw", { count, longest, seed: SEEDS * model.get("seed") + draws++ });
  const bare = (text) => text.filter((id) => id !== bos_id && id !== eos_id);
  const padded = (texts) => {
    const most = Math.max(...texts.map((text) => text.length));
    return texts.map((text) => [...text, ...Array(most - text.length).fill(pad_id)]);
  };
  const pull = (texts, judgements, leash) => {
    const whole = padded(texts);
    return started.ask("pull", {
      texts: whole.map((text) => text.slice(0, -1)),
      answers: whole.map((text) => text.slice(1)),
      pulls: pullsOf(judgements),
      leash,
    });
  };
  return {
    async read() {
      draws = 0;
      await started.ask("teach", { options: { rate } });
    },
    taught: (texts, judgements, leash) => pull(texts, judgements, leash),
    async judged(judge, leash) {
      const texts = await draw(batch);
      await pull(
        texts,
        texts.map((text) => judge(bare(text))),
        leash,
      );
    },
    async measured() {
      const texts = await draw(measured);
      const some = englishFirst(texts.slice(0, shown), lang);
      return { texts: some, ...measuresOf(texts.map(bare), isSentence, asks) };
    },
  };
};

/** The state of a run, and its steps: `next({many, steps, step, isNew})` goes through so many rounds of
 * so many steps. */
const steppingOf = (run, round, { changed, failed }) => {
  let turn = 0; // what learns is forgotten where its turn is over
  let taken = 0; // steps
  let pausing = false;
  let line = Promise.resolve(); // one after the other

  const turnTo = (state) => {
    turn += 1;
    run.state = state;
    changed();
  };
  const learnt = async (mine, steps, step) => {
    for (let i = 0; i < steps && mine === turn && !pausing; i++) {
      await step();
      taken += 1;
      run.left -= 1;
      if (mine === turn) changed();
    }
    if (mine !== turn) return;
    const { texts, ...measures } = await round.measured();
    if (mine !== turn) return;
    run.texts = texts;
    run.course.steps.push(taken);
    for (const [name, x] of Object.entries(measures)) run.course[name].push(x);
    changed();
  };
  const rounds = async (mine, { many, steps, step, isNew }) => {
    if (isNew && mine === turn) {
      taken = 0;
      await round.read();
    }
    for (let i = 0; i < many && mine === turn && !pausing; i++) await learnt(mine, steps, step);
    if (mine === turn) turnTo("waiting");
  };
  return {
    turnTo,
    next(plan) {
      run.left = plan.many * plan.steps;
      pausing = false;
      turnTo("learning");
      const mine = turn;
      line = line
        .then(() => rounds(mine, plan))
        .catch((error) => {
          if (mine === turn) run.state = "waiting";
          failed(error);
        });
    },
    pause() {
      pausing = true;
    },
  };
};

/**
 * {course, texts, state}: `texts` are those that are shown, `state` is "recorded" before anything was
 * judged, then "learning" or "waiting", and `left` how many steps there are to go. `changed()` is
 * called as there is more, `failed(error)` where the engine has stopped.
 *
 * @param {Model} model
 */
export const runOf = (model, constants, ended, known, { changed, failed }) => {
  const started = startedOf(model, ended);
  const round = roundsOf(model, constants, started, known);
  const recorded = model.get("course");
  const texts = englishFirst(model.get("opening"), known.lang);
  const before = { course: recorded, texts, left: 0 };
  const run = { ...before, recorded, state: "recorded", started };
  const stepping = steppingOf(run, round, {
    changed,
    failed: (error) => !ended.aborted && failed(error),
  });
  const next = (many, steps, step) => {
    const isNew = run.state === "recorded";
    const first = (name) => [name, [recorded[name][0]]];
    if (isNew) run.course = Object.fromEntries(["steps", ...constants.lines].map(first));
    stepping.next({ many, steps, step, isNew });
  };
  return Object.assign(run, {
    /** From the sentences that are shown: a judgement for each, or null. */
    learn(judgements, leash) {
      const { texts } = run;
      next(1, constants.taught, () => round.taught(texts, judgements, leash));
    },
    /** A judge goes on alone. */
    follow: (judge, leash) =>
      next(constants.rounds, constants.round, () => round.judged(judge, leash)),
    /** After the step that it is at, and a look at what it writes. */
    pause: stepping.pause,
    /** The model that has only read, and the recorded run. */
    forget() {
      Object.assign(run, before);
      stepping.turnTo("recorded");
    },
  });
};
