// What stands under the picture: write it again, another way of looking, another sentence.

import { h } from "../kit/dom.js";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/** A row of dots to choose one of: {node, show(index)}. Hidden where there is no choice. */
const dotsOf = (className, title, names, choose) => {
  const dots = names.map((name, index) => {
    const dot = h("button", { type: "button", className: "dot", title: name, "aria-label": name });
    dot.addEventListener("click", () => choose(index));
    return dot;
  });
  const node = h(
    "div",
    {
      className: `dots ${className}`,
      role: "group",
      "aria-label": title,
      hidden: names.length < 2,
    },
    h("span", {}, title),
    ...dots,
  );
  const show = (chosen) => {
    dots.forEach((dot, index) => dot.setAttribute("aria-pressed", index === chosen));
  };
  return { node, show };
};

export const barOf = (shown, { write, head, sentence }) => {
  const play = h("button", { type: "button", className: "play" });
  play.addEventListener("click", write);
  const ways = Array.from({ length: shown.heads }, (_, n) => `way of looking ${n + 1}`);
  const looks = dotsOf(
    "looks",
    `its ${NUMBERS[ways.length] ?? ways.length} ways of looking`,
    ways,
    head,
  );
  const texts = shown.sources.map((source) => source.join(" "));
  const others = dotsOf("others", "other sentences", texts, sentence);
  return {
    node: h("div", { className: "ui bar" }, play, looks.node, others.node),
    show(busy) {
      play.textContent = busy ? "❚❚" : "▶";
      play.setAttribute("aria-label", busy ? "show the whole" : "watch it write");
      looks.show(shown.head);
      others.show(shown.sentence);
    },
  };
};
