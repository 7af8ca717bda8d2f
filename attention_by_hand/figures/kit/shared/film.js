// The film of a run: slow as long as something new is to be seen, then ever faster.

const SLOW = 800; // milliseconds a step
const MOST = 12; // slow steps: who has learnt nothing by then may take long
const FASTER = 0.8; // each later step takes so much of the one before it
const QUICK = 30;
const CALM = 500; // without motion: milliseconds between two pictures, and no waiting

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * {play(), pause(), playing(), further()}. `film` has `step()`, the step that is shown; `ended()`,
 * whether it is the last; `reach(step)`, which learns what is not known yet and promises whether
 * there is such a step; `show(step, drawn)`, where `drawn` is false for a step that is only passed;
 * `isLearnt(step)`, whether all is learnt there, so that what follows may be fast; and `rests(step)`,
 * whether the film is to pause there. What is played after the last step begins anew.
 */
export const filmOf = (film, signal) => {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let turn = 0; // a play that was paused or begun anew ends where its turn is over
  let playing = false;

  const pause = () => {
    turn += 1;
    playing = false;
    film.show(film.step(), true);
  };
  const play = async () => {
    const thisTurn = ++turn;
    playing = true;
    film.show(film.ended() ? 0 : film.step(), true);
    let seen = performance.now();
    let stay = SLOW;
    while (thisTurn === turn && !film.ended()) {
      const next = film.step() + 1;
      const there = await film.reach(next);
      if (thisTurn !== turn) return;
      if (!there) break;
      const due = !calm.matches || performance.now() - seen > CALM;
      film.show(next, due || film.ended());
      if (due) seen = performance.now();
      if (film.rests?.(next)) break;
      if (next > MOST || film.isLearnt(next)) stay = Math.max(QUICK, stay * FASTER);
      if (!calm.matches && !film.ended()) await wait(stay);
    }
    if (thisTurn === turn) pause();
  };
  /** One step on, learnt if need be. */
  const further = async () => {
    const thisTurn = ++turn;
    playing = false;
    const next = film.step() + 1;
    if ((await film.reach(next)) && thisTurn === turn) film.show(next, true);
  };
  signal.addEventListener("abort", () => {
    turn += 1;
  });
  return { play, pause, further, playing: () => playing };
};
