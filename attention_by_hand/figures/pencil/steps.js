// The steps as boxes: one step is open, the boxes of those before it are filled in, those after it
// wait. A box is judged when it is left.

import { h } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { numberIn, unread } from "../kit/parts/typed.js";
import { judged } from "./tasks.js";

const shown = ({ right, isShare }) => signed(right, right >= 100 ? 0 : isShare ? 1 : 2);

const boxOf = (field) => {
  const input = h("input", {
    type: "text",
    className: "box",
    autocomplete: "off",
    inputMode: "decimal",
    "aria-label": field.label,
  });
  const settle = (right) => {
    input.readOnly = right;
    input.className = right ? "box right" : "box";
    input.value = right ? shown(field) : "";
  };
  return { input, field, settle };
};

const opened = (boxes) => boxes.filter(({ input }) => !input.readOnly);

/**
 * The boxes of `tasks`, a list of inputs for each: {inputs, update(step), focus()}.
 * `say(text, isWrong)` is told what is said of a number, nothing while one types; `done(n, praise)`
 * that n steps are done.
 */
export const stepsOf = (tasks, { done, say }) => {
  const steps = tasks.map(({ fields }) => fields.map(boxOf));
  let open = -1;
  const focus = () => opened(steps[open] ?? [])[0]?.input.focus();
  const judge = ({ input, field, settle }) => {
    if (input.readOnly || input.disabled || !input.value.trim()) return false;
    const value = numberIn(input.value);
    const { isRight, says } = Number.isNaN(value)
      ? { isRight: false, says: unread(input.value) }
      : judged(value, field);
    input.classList.toggle("wrong", !isRight);
    if (!isRight) {
      say(says, true);
      return false;
    }
    settle(true);
    if (opened(steps[open]).length) say(`${says} Now the next one.`, false);
    else done(open + 1, says);
    return true;
  };
  for (const box of steps.flat()) {
    const { input } = box;
    input.addEventListener("change", () => judge(box));
    input.addEventListener("input", () => {
      input.classList.remove("wrong");
      say("", false);
    });
    // Before the focus moves, so that the next box is there to be moved to
    input.addEventListener("keydown", ({ key }) => {
      if (key === "Tab") judge(box);
      if (key === "Enter" && judge(box)) focus();
    });
  }
  const update = (step) => {
    if (step === open) return;
    open = step;
    steps.forEach((boxes, n) => {
      for (const { input, settle } of boxes) {
        settle(n < step);
        input.disabled = n > step;
      }
    });
  };
  return { inputs: steps.map((boxes) => boxes.map(({ input }) => input)), update, focus };
};
