// The model that is asked: the one that was recorded, or one that grows in the worker from random
// numbers. Its course is what is known of each of its steps.

import { Random } from "../engine/random.js";
import { startedOf } from "../engine/started.js";
import { lossOf, looksOf } from "./measures.js";
import { batchOf, drawTexts } from "./texts.js";

/** @import { Model } from "./figure.js" */

const TEXTS_BEGIN = 1000; // the texts of a run have random numbers of their own, from its seed and this

/** What is measured with the texts that no run learns from: without some heads, and as a course keeps
 * it of each step. */
const measuring = (started, constants) => {
  const { config, held_out } = constants;
  const held = drawTexts(held_out.count, new Random(held_out.seed), constants);
  const { texts, answers } = batchOf(held, config.pad_id);
  const look = (off) => started.ask("look", { texts, off });
  return {
    async without(off) {
      const { logits } = await look(off);
      return lossOf(logits, answers, config.pad_id);
    },
    async step() {
      const { logits, maps } = await look([]);
      const { back, behind } = looksOf(maps, held);
      const { loss, right } = lossOf(logits, answers, config.pad_id);
      return { right, kept: { loss, back: back[0], behind: behind.at(-1) } };
    },
  };
};

/** What grows, a course at a time: `begin(course)` and `further(course)` take it to its first step and
 * to the next that is measured. */
const growing = (started, constants, measured) => {
  const { config, every, rate, batch } = constants;
  let dice = null; // of the texts of the run
  const measure = async (course, step) => {
    const { right, kept } = await measured.step();
    course.steps.push(step);
    course.right = right;
    for (const [name, x] of Object.entries(kept)) course[name].push(x);
  };
  return {
    async begin(course) {
      dice = new Random(TEXTS_BEGIN + course.seed);
      await started.ask("create", { config, options: { seed: course.seed, rate } });
      await measure(course, 0);
    },
    async further(course) {
      const batches = Array.from({ length: every }, () =>
        batchOf(drawTexts(batch, dice, constants), config.pad_id),
      );
      const { step } = await started.ask("train", { steps: every, batches });
      await measure(course, step);
    },
  };
};

/**
 * The run that is shown: {course, recorded, state}, where `state` is "recorded", "starting",
 * "growing", "paused" or "grown". `changed()` is called as there is another step or state, and `failed(error)` where the
 * engine has stopped.
 *
 * @param {Model} model
 */
export const runOf = (model, constants, ended, { changed, failed }) => {
  const started = startedOf(model, ended);
  const measured = measuring(started, constants);
  const grower = growing(started, constants, measured);
  const recorded = model.get("course");
  let turn = 0; // what grows stops where its turn is over
  let line = Promise.resolve(); // one after the other: what was stopped takes its last step first
  const run = { course: recorded, recorded, state: "recorded", started };

  const turnTo = (state) => {
    turn += 1;
    run.state = state;
    changed();
  };
  const follow = async (mine) => {
    while (mine === turn && run.course.steps.at(-1) < constants.steps) {
      await grower.further(run.course);
      changed();
    }
    if (mine === turn) turnTo("grown");
  };
  const next = (state, work) => {
    turnTo(state);
    const mine = turn;
    line = line
      .then(() => mine === turn && work(mine))
      .catch((error) => {
        run.state = "paused";
        if (!ended.aborted) failed(error);
      });
  };
  return Object.assign(run, {
    /** The loss on the second stretch and the share that is right, without these heads. */
    without: measured.without,
    /** Where the letters of a row look, and what comes after each: {maps, logits}. */
    look: (ids, off) => started.ask("look", { texts: [ids], off }),
    /** A new model, from random numbers. */
    grow: (seed) =>
      next("starting", async (mine) => {
        const course = { seed, right: 0, steps: [], loss: [], back: [], behind: [] };
        await grower.begin(course);
        run.course = course;
        if (mine === turn) run.state = "growing";
        changed();
        await follow(mine);
      }),
    goOn: () => next("growing", follow),
    pause: () => turnTo("paused"),
    /** The recorded model again. */
    recall: () =>
      next("recorded", async () => {
        const { buffer, byteOffset, byteLength } = model.get("weights");
        await started.ask("load", { bytes: new Uint8Array(buffer, byteOffset, byteLength) });
        run.course = recorded;
        changed();
      }),
  });
};
