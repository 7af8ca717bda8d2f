// A game of telephone: the message as it is heard after so many steps, letter by letter; those that
// are wrong are marked.

import { svgNode } from "../kit/parts/dom.js";

const ASIDE = 14; // pixels: from the message to its letters

/** The letters beside the message: {node, to(word, x, y, width)}. */
export const toldOf = (message) => {
  const letters = [...message].map(() => svgNode("tspan"));
  const place = { class: "told", lang: "de", y: 5 };
  const text = svgNode("text", place, ...letters);
  const halo = svgNode("text", { ...place, class: "halo", "aria-hidden": "true" }); // under all letters
  const node = svgNode("g", { class: "teller" }, halo, text);
  const to = (word, x, y, width) => {
    [...word].forEach((letter, i) => {
      letters[i].textContent = letter;
      letters[i].classList.toggle("wrong", letter !== message[i]);
    });
    const isRight = x > width / 2;
    halo.textContent = word;
    for (const one of [halo, text]) {
      one.setAttribute("x", isRight ? -ASIDE : ASIDE);
      one.setAttribute("text-anchor", isRight ? "end" : "start");
    }
    node.style.transform = `translate(${x}px, ${y}px)`;
  };
  return { node, to };
};
