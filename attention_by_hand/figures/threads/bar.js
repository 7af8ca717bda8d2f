// What stands under the picture: write it again, another way of looking, another sentence.

import { h } from "../kit/parts/dom.js";
import { dotsOf } from "../kit/parts/dots.js";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
const ORDERS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
const counted = (n) => NUMBERS[n] ?? `${n}`;
const ordered = (n) => ORDERS[n] ?? `number ${n + 1}`;

export const TOUCH = [" Touch any word.", "touch ui"]; // no more on paper

/** What one of the ways is, where no word is picked out. */
export const wayOf = ({ heads, head }) => [
  [`It looks in ${counted(heads)} ways at once, and this is the ${ordered(head)}.`],
  TOUCH,
];

export const barOf = (view, { write, head, sentence }) => {
  const play = h("button", { type: "button", className: "play" });
  play.addEventListener("click", write);
  const ways = Array.from({ length: view.heads }, (_, n) => `way of looking ${n + 1}`);
  const looks = dotsOf("looks", `its ${counted(ways.length)} ways of looking`, ways, head);
  const texts = view.sources.map((source) => source.join(" "));
  const others = dotsOf("others", "other sentences", texts, sentence);
  return {
    node: h("div", { className: "ui bar" }, play, looks.node, others.node),
    show(busy) {
      play.textContent = busy ? "❚❚" : "▶";
      play.setAttribute("aria-label", busy ? "show the whole" : "watch it write");
      looks.show(view.head);
      others.show(view.sentence);
    },
  };
};
