// The heads as cards: each with its threads from the word that asks, and a wire to the matrix that
// adds them up.

import { h, svgNode, token } from "../kit/parts/dom.js";

const LEAST = 0.02; // a thinner thread is not drawn
const SEEN = 0.1; // a word from which less is taken stays in the background
const THICK = 11; // pixels, of a thread of weight 1

const cardOf = (data, head) => {
  const asker = token("", "asker");
  const words = data.source.map((word) => h("span", { className: "word" }, token(word)));
  // As wide as its room and a unit high for each word: the threads end at the middle of the words.
  const svg = svgNode("svg", {
    viewBox: `0 0 100 ${data.S}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const name = h("span");
  const node = h(
    "button",
    { type: "button", className: "card", role: "switch" },
    h("span", { className: "name" }, h("i"), name),
    h("span", { className: "look" }, asker, svg, h("span", { className: "words" }, ...words)),
  );
  node.addEventListener("click", () => data.cut(head));
  const thread = (weight, key) => {
    const from = data.S / 2;
    const to = key + 0.5;
    const look = {
      "stroke-width": (THICK * weight).toFixed(2),
      "vector-effect": "non-scaling-stroke",
    };
    return svgNode("path", { d: `M2 ${from}C50 ${from} 50 ${to} 98 ${to}`, ...look });
  };
  const update = () => {
    const row = data.row();
    const on = data.isOn(head);
    const weights = data.source.map((_, key) => data.weight(head, row, key));
    const best = data.best(head, row);
    name.textContent = `head ${head}${on ? "" : " off"}`;
    Object.assign(asker, { textContent: data.read[row], title: data.read[row] });
    svg.replaceChildren(...weights.flatMap((w, key) => (w < LEAST ? [] : [thread(w, key)])));
    words.forEach((word, key) => {
      word.classList.toggle("seen", weights[key] >= SEEN);
      word.classList.toggle("best", key === best);
    });
    node.setAttribute("aria-checked", on);
    const most = `${data.source[best].slice(0, 40)} ${weights[best].toFixed(2)}`;
    node.setAttribute("aria-label", `head ${head}, takes most of ${most}`);
  };
  return { node, update };
};

export const cardsOf = (data) => {
  const cards = data.heads.map((head) => cardOf(data, head));
  const lanes = cards.map(({ node }, head) => {
    const lane = h("div", { className: "lane" }, node, h("i", { className: "wire" }));
    lane.style.setProperty("--own", `var(--head${head})`);
    return lane;
  });
  const node = h("div", { className: "cards" }, ...lanes);
  node.classList.toggle("two-rows", data.H > 2);
  return {
    node,
    update() {
      for (const { update } of cards) update();
      lanes.forEach((lane, head) => lane.classList.toggle("off", !data.isOn(head)));
    },
  };
};
