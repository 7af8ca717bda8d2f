// Arithmetic in the reader's hand, in steps of one or more boxes: one step is open, the boxes of
// those before it are filled in, those after it wait. A box is judged when it is left.

import { h } from "../parts/dom.js";
import { signed } from "../parts/numbers.js";
import { numberIn, unread } from "../parts/typed.js";
import { put } from "../runtime/model.js";

const two = (value) => signed(value, 2);

/** A box: what it asks for, what is right, how near is near enough, and what known slips give. */
export const field = (label, right, within, slips, otherwise) => ({
  label,
  right,
  within,
  slips,
  otherwise,
});

const hasOneDigit = (value) => Math.abs(10 * value - Math.round(10 * value)) < 1e-9;

/**
 * Whether a number is right, and what is said of it. To one digit is right too, but the next line
 * needs two. A share may also be given as a part of 1.
 */
const judged = (value, { right, within, slips, otherwise, isShare }) => {
  const given = isShare && value <= 1 ? 100 * value : value;
  if (Math.abs(given - right) <= within) return { isRight: true, says: "Right." };
  if (hasOneDigit(given) && Math.abs(right) > 0.1 && Math.abs(given - right) <= 0.055) {
    return { isRight: true, says: `Right, to one digit: take two, ${two(right)}.` };
  }
  const known = slips.find(
    ([wrong]) => Math.abs(given - wrong) <= Math.max(within, 0.01 * Math.abs(wrong)),
  );
  return { isRight: false, says: `Not yet: ${known ? known[1] : otherwise}` };
};

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
 * The boxes of `tasks`, a list of inputs for each: {inputs, update(step)}.
 * `say(text, isWrong)` is told what is said of a number, nothing while one types; `done(n, praise)`
 * that n steps are done.
 */
const stepsOf = (tasks, { done, say }) => {
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
  return { inputs: steps.map((boxes) => boxes.map(({ input }) => input)), update };
};

/** What is said under the boxes, beside the button that fills them in: {node, tell, give}. */
const balloonOf = (say, { prompt, fill }) => {
  const verdict = h("p", { className: "verdict" });
  const give = h("button", { type: "button", className: "give ui" }, "fill it in");
  give.addEventListener("click", () => {
    fill();
    give.focus({ preventScroll: true }); // it has gone to the next boxes
  });
  const tell = (text, isWrong) => {
    verdict.textContent = text || prompt();
    verdict.classList.toggle("wrong", isWrong);
    if (text) say(text);
  };
  return { node: h("div", { className: "said" }, verdict, give), tell, give };
};

/**
 * A computation by pencil: {inputs, node, update()}, a list of boxes for each task, what is said of
 * them, and what shows the model's `step`, which is how many are done. `prompt()` is what is said
 * before the reader does anything.
 */
export const byPencil = (model, say, tasks, prompt) => {
  let praise = ""; // of the step that has just been done
  const done = (step, says) => {
    praise = says;
    put(model, { step });
    praise = "";
  };
  const balloon = balloonOf(say, { prompt, fill: () => done(model.get("step") + 1, "") });
  const steps = stepsOf(tasks, { say: balloon.tell, done });
  const update = () => {
    const step = model.get("step");
    steps.update(step);
    balloon.give.disabled = step === tasks.length;
    balloon.tell(step ? [praise, prompt()].filter(Boolean).join(" ") : "", false);
  };
  return { inputs: steps.inputs, node: balloon.node, update };
};
