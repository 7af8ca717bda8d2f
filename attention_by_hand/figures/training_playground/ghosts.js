// Earlier runs, which stay in sight behind the present one.

import { kept } from "../kit/shared/guesses.js";
import { stored } from "./presets.js";
import { taken } from "./run.js";

/** @import { Model } from "./figure.js" */

const MOST = 3;

/**
 * {key(), add(run), beside(run)}: a run is known by the settings it was made with, its key. The
 * first one is recorded: it failed, and with it a curve is seen before any is made.
 *
 * @param {Model} model
 */
export const ghostsOf = (model, { presets, choices, collapse }, settings, failed) => {
  const keyOf = (values) => JSON.stringify(settings.map((trait) => values[trait]));
  const recorded = (losses) => {
    const made = { ...stored(presets[collapse].settings, choices), seed: 0 };
    return { name: collapse, losses, key: keyOf(made), recorded: true };
  };
  let ghosts = failed.length ? [recorded(failed)] : [];
  const isAsked = () => model.get("prediction") && kept(model.get("prediction")) === null;
  return {
    key: () => keyOf(Object.fromEntries(settings.map((trait) => [trait, model.get(trait)]))),
    add(run) {
      if (taken(run) === 0) return;
      ghosts = [...ghosts.filter((ghost) => ghost.key !== run.key), run].slice(-MOST);
    },
    /** Those of other settings, but none that could answer an open question. */
    beside: (run) =>
      ghosts.filter((ghost) => ghost.key !== run.key && !(ghost.recorded && isAsked())),
  };
};
