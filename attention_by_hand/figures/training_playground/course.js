// The course of a training: the run that the settings ask for, which of its steps is shown, how far
// it is played, and the runs before it.

import { ghostsOf } from "./ghosts.js";
import { burst, runsOf, taken } from "./run.js";

/** @import { Model } from "./figure.js" */

/**
 * {run, step, goal} and what changes them; `settings` are the traits that a run is made from.
 *
 * @param {Model} model
 */
export const courseOf = (model, constants, lesson) => {
  /** @type {any[]} */
  const settings = [...Object.keys(Object.values(constants.presets)[0].settings), "seed"];
  const runs = runsOf(model, constants.choices, lesson);
  const ghosts = ghostsOf(model, constants, settings, lesson.failed);
  const course = {
    settings,
    run: null,
    step: 0,
    goal: constants.round,
    /** Begins anew, as set now. The run that is replaced stays as a ghost. */
    begin(name) {
      if (course.run) ghosts.add(course.run);
      const { settings: known, ...look } = lesson.untrained;
      const same = known && settings.every((trait) => known[trait] === model.get(trait));
      const run = runs.start(same ? look : null);
      course.run = Object.assign(run, { key: ghosts.key(), name });
      course.step = 0;
      course.goal = constants.round;
    },
    /** Calls `seen()` when a run that is not known untrained has been looked at. */
    first(seen) {
      const begun = course.run;
      runs.first(begun)?.then(() => begun === course.run && seen());
    },
    /** Learns up to a step, if need be, and promises whether there is such a step. */
    async reach(step) {
      const begun = course.run;
      if (step > taken(begun) && !burst(begun)) await runs.ahead(begun);
      return step <= taken(begun);
    },
    ended() {
      const { run, step, goal } = course;
      return step >= goal || (burst(run) && step >= taken(run));
    },
    /** The runs before, to be seen behind this one. */
    ghosts: () => ghosts.beside(course.run),
    close: runs.close,
  };
  return course;
};
