// The reader's guess, drawn into the figure that shows what is so: dashed, and called "your guess".

import { CHANGED, kept } from "./guesses.js";
import { h, svgNode } from "../parts/dom.js";

/**
 * The mark of the guess that the reader made of the question named by the trait `prediction`: an
 * SVG group of a shape, such as "circle", and its words. `place(guess)` is given what is kept of it
 * (`guess`, the answer as it is written, and `share`, how far along its scale a number lies, from 0
 * to 1) and returns where it belongs: the shape's attributes and the words' (without these, the
 * words are elsewhere), or null where it has no place now. The figure puts `node` into a chart, and
 * calls `draw` as it draws itself; an answer that comes or goes draws it too. Without a guess it is
 * hidden, and so is its `company`.
 */
export const guessMark = (base, model, shape, place, ...company) => {
  const parts = [
    svgNode(shape, { class: "guess" }),
    svgNode("text", { class: "guess" }, "your guess"),
  ];
  const node = svgNode("g", {}, ...parts);
  const spoken = h("p", { className: "sr" }); // a chart is one picture to a screen reader: this stands behind it
  const draw = () => {
    const guess = kept(model.get("prediction"));
    const places = guess && place(guess);
    for (const element of [node, ...company]) element.toggleAttribute("hidden", !places);
    spoken.textContent = places
      ? `${guess.question} Your guess: ${guess.guess}. The answer: ${guess.right}.`
      : "";
    const chart = node.ownerSVGElement;
    if (chart.nextSibling !== spoken) chart.after(spoken);
    if (!places) return;
    parts.forEach((part, i) => {
      part.toggleAttribute("hidden", !places[i]);
      for (const [name, value] of Object.entries(places[i] ?? {})) part.setAttribute(name, value);
    });
  };
  document.addEventListener(CHANGED, draw, { signal: base.ended });
  return { node, draw };
};

/**
 * Whether the answer to the question named by the trait `prediction` may be seen: there is no
 * question, or a guess, or the reader has pressed `button`. `changed()` is called as that may have
 * changed.
 */
export const untilGuessed = (base, model, changed) => {
  let asked = false;
  const number = () => model.get("prediction");
  const button = h("button", { type: "button", className: "ui" }, "Show it without a guess");
  button.addEventListener("click", () => {
    asked = true;
    changed();
  });
  document.addEventListener(CHANGED, changed, { signal: base.ended });
  return { known: () => asked || !number() || kept(number()) !== null, button };
};
