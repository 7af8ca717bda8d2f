// The probability of the word for every choice of heads; a click on a column makes the choice.

import { h, token } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";

const columnOf = (data, choice) => {
  const value = h("b");
  const bar = h("i");
  const dots = data.heads.map((head) => {
    const dot = h("u", { className: (choice >> head) & 1 ? "on" : "" });
    dot.style.setProperty("--own", `var(--head${head})`);
    return dot;
  });
  const node = h(
    "button",
    { type: "button", className: "choice", role: "radio" },
    h("span", { className: "column" }, value, bar),
    ...dots,
  );
  node.addEventListener("click", () => data.choose(choice));
  return { node, value, bar };
};

export const columnsOf = (data) => {
  const word = token("");
  const columns = data.choices.map((choice) => columnOf(data, choice));
  const title = h(
    "summary",
    { className: "title" },
    word,
    h("span", { className: "plain" }, `, with each of the ${columns.length} choices of heads`),
  );
  const list = h(
    "div",
    { className: "combinations", role: "radiogroup", "aria-label": "the choice of heads" },
    ...columns.map(({ node }) => node),
  );
  const stop = rove([columns.map(({ node }) => node)], (_, i) => data.choose(data.choices[i]));
  const update = () => {
    const row = data.row();
    Object.assign(word, { textContent: data.tokens[row], title: data.tokens[row] });
    columns.forEach(({ node, value, bar }, i) => {
      const { chosen, other } = data.odds(data.choices[i], row);
      const now = data.choices[i] === data.choice();
      value.textContent = chosen.toFixed(2);
      bar.style.setProperty("--share", chosen);
      node.classList.toggle("wins", chosen > other);
      node.setAttribute("aria-checked", now);
      node.setAttribute("aria-label", `${data.named(data.choices[i])}: ${chosen.toFixed(2)}`);
    });
    stop(0, data.choices.indexOf(data.choice()));
  };
  return { node: h("details", { className: "fold all" }, title, list), update };
};
