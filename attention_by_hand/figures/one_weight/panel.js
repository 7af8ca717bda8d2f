// What is worked out at the ball, and the button for one more step.

import { h } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";

export const counted = (n) => `${n} step${n === 1 ? "" : "s"}`;
const two = (value) => signed(value, 2);
const factor = (value) => (value < 0 ? `(${two(value)})` : two(value));

/** How far the weight has come that is `times` as far from the valley as where it began. */
export const farOf = (now, times) =>
  `The weight stands at ${two(now)}, ${times.toFixed(times < 10 ? 1 : 0)} times as far from the ` +
  "valley as at the start.";

export const panelOf = ({ input, wanted }, { step, restart }) => {
  const work = h("div", { className: "sums" });
  const left = h("p", { className: "left" });
  const one = h("button", { type: "button", className: "step" }, "One step");
  const again = h("button", { type: "button" }, "From the start");
  one.addEventListener("click", step);
  again.addEventListener("click", restart);
  const node = h(
    "div",
    { className: "beside" },
    h("p", { className: "buttons ui" }, one, again),
    work,
    left,
  );
  const update = ({ steps, now, height, rise, rate, next, times, last }) => {
    const shown = Number(now.toFixed(2));
    const equals = two(input * shown) === two(input * now) ? "=" : "≈";
    const lines = [
      `answer ${input} · ${two(now)} ${equals} ${two(input * now)}, wanted ${wanted}`,
      `loss ${two(height)}, slope ${two(rise)}`,
      `next weight ${two(now)} − ${rate.toFixed(2)} · ${factor(rise)} = ${two(next)}`,
    ];
    work.replaceChildren(
      h("p", { className: "title" }, `after ${counted(steps)}: weight ${two(now)}`),
      ...lines.map((line) => h("p", {}, line)),
    );
    one.disabled = last;
    again.disabled = steps === 0;
    left.textContent = times === null ? "" : farOf(now, times);
  };
  return { node, update };
};
