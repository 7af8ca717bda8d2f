// A word on its way from the bars to its place in the text.

import { h } from "../kit/parts/dom.js";

const TIME = 350; // milliseconds

/** From a rectangle to an element: the word stands there already, and is seen when it arrives. */
export const fly = (room, word, from, to) => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const [home, end] = [room, to].map((node) => node.getBoundingClientRect());
  const flying = h("span", { className: "flying", "aria-hidden": true }, word);
  flying.style.left = `${from.left - home.left}px`;
  flying.style.top = `${from.top - home.top}px`;
  room.append(flying);
  const way = `translate(${end.left - from.left}px, ${end.top - from.top}px)`;
  const over = flying.animate({ transform: ["none", way] }, { duration: TIME, easing: "ease-in" });
  over.onfinish = () => flying.remove();
  to.animate({ opacity: [0, 0] }, TIME);
};
