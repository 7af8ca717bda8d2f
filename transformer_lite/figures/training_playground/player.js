// The film of a run: slow while it learns most, then faster; what is already known is shown again from memory.

import { burst, taken } from "./run.js";

const SLOW = 600; // milliseconds a step
const SLOW_STEPS = 10;
const FASTER = 0.8; // each later step takes so much of the one before it
const QUICK = 30;
const CALM = 500; // without motion: milliseconds between two pictures, and no waiting

const pauseAfter = (step) => Math.max(QUICK, SLOW * FASTER ** Math.max(0, step - SLOW_STEPS));
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * {play(), pause(), playing(), step()}: `film` has `run()`, `ahead(run)`, `shown()`, `goal()` and `show(step, drawn)`,
 * where `drawn` is false for a step that is only passed.
 */
export const playerOf = (film, ended) => {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let turn = 0; // a play that was paused or begun anew ends where its turn is over
  let playing = false;

  const reach = async (run, step) => {
    if (step > taken(run) && !burst(run)) await film.ahead(run);
    return step <= taken(run);
  };

  const play = async () => {
    const [mine, run] = [++turn, film.run()];
    const end = () => film.shown() >= film.goal() || (burst(run) && film.shown() >= taken(run));
    playing = true;
    film.show(end() ? 0 : film.shown(), true);
    let seen = performance.now();
    while (mine === turn && !end()) {
      const next = film.shown() + 1;
      const there = await reach(run, next);
      if (mine !== turn) return;
      if (!there) break;
      const due = !calm.matches || performance.now() - seen > CALM;
      film.show(next, due || end());
      if (due) seen = performance.now();
      if (!calm.matches && !end()) await wait(pauseAfter(next));
    }
    if (mine === turn) pause();
  };
  const pause = () => {
    turn += 1;
    playing = false;
    film.show(film.shown(), true);
  };
  /** One step on, learnt if need be. */
  const step = async () => {
    const [mine, run] = [++turn, film.run()];
    playing = false;
    const next = film.shown() + 1;
    if ((await reach(run, next)) && mine === turn) film.show(next, true);
  };
  ended.addEventListener("abort", () => {
    turn += 1;
  });
  return { play, pause, step, playing: () => playing };
};
