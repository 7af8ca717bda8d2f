// A camera that keeps the ball in the picture: where the ball is, and how many times as much as at
// first is seen. From state to state both glide, at the same pace along both axes, so that the ball
// never leaves the picture on its way.

const GLIDE = 600; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");
const eased = (t) => t * t * (3 - 2 * t);

/**
 * `film(shot)` is called with each {weight, height, zoom} on the way; `to(shot, glides)` sets out
 * for the next. The signal `ended` stops it.
 */
export const cameraOf = (film, ended) => {
  let now = null;
  let frame = 0;
  const show = (shot) => {
    now = shot;
    film(shot);
  };
  const to = (goal, glides) => {
    cancelAnimationFrame(frame);
    if (!now || !glides || still.matches) return show(goal);
    const from = now;
    let began = null;
    const next = (time) => {
      began ??= time;
      const share = Math.min(1, (time - began) / GLIDE);
      const between = (name) => from[name] + eased(share) * (goal[name] - from[name]);
      if (share === 1) return show(goal);
      show({ weight: between("weight"), height: between("height"), zoom: between("zoom") });
      frame = requestAnimationFrame(next);
    };
    frame = requestAnimationFrame(next);
  };
  ended.addEventListener("abort", () => cancelAnimationFrame(frame));
  return { to };
};
