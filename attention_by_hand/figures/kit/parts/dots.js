// A row of dots to choose one of a few.

import { h } from "./dom.js";

/** {node, show(index)}, with a name for each dot. Hidden where there is no choice. */
export const dotsOf = (className, title, names, choose) => {
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
  node.style.setProperty("--dots", dots.length);
  const show = (chosen) => {
    dots.forEach((dot, index) => dot.setAttribute("aria-pressed", index === chosen));
  };
  return { node, dots, show };
};
