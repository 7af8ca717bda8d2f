// The words that are looked at, and the threads to them: one colour for each head.

import { h, svgNode, token } from "../kit/parts/dom.js";
import { placeOf } from "./overlay.js";

const LEAST = 0.02; // a thinner thread is not drawn
const THICK = 4; // of a thread of weight 1
const SPREAD = 3; // from head to head

const colourOf = (head) => `var(--head${head % 4})`;

/** Which arrow carries what, and the colours of the heads. */
const legendOf = (data) => {
  const word = (name, text) => h("span", { className: name }, text);
  const heads = Array.from({ length: data.heads }, (_, head) => {
    const dot = h("span", { className: "head" });
    dot.style.background = colourOf(head);
    return h("span", {}, dot, `${head}`);
  });
  return h(
    "div",
    { className: "legend" },
    h("p", {}, word("query", "query → "), word("key", "key")),
    h("p", {}, word("value", "← value")),
    h("p", { className: "heads" }, h("span", {}, "head"), ...heads),
  );
};

export const threadsOf = (data) => {
  const list = h("ol", { className: "seen" });
  const longest = Math.max(data.words.source.length, data.words.target.length);
  list.style.setProperty("--words", longest);
  const beside = h("div", { className: "looked" }, legendOf(data), list);
  const node = svgNode("g", { class: "threads" });

  const write = () => {
    const stop = data.stop();
    const chosen = data.wordOf(stop.side);
    const looks = data.looks(stop, chosen);
    beside.classList.toggle("away", looks === null);
    if (looks === null) return list.replaceChildren();
    const [tokens, open] = data.seenFrom(stop, chosen);
    const sums = tokens.map((_, i) => looks.reduce((sum, weights) => sum + weights[i], 0));
    const best = sums.indexOf(Math.max(...sums.slice(0, open)));
    list.replaceChildren(
      ...tokens.map((text, i) => {
        const item = h("li", {}, token(text));
        item.classList.toggle("best", i === best);
        item.classList.toggle("blocked", i >= open);
        if (i >= open) item.title = "hidden by the mask";
        return item;
      }),
    );
  };
  const thread = (from, to, head, weight) => {
    const aside = head - (data.heads - 1) / 2;
    const y = to.middle + SPREAD * aside;
    const x = from.x + 1.5 * SPREAD * aside; // near the rail first, so that they cross no text
    const start = `M${from.x + 9} ${(from.y + SPREAD * aside).toFixed(1)}`;
    const d = `${start}C${x + 34} ${from.y} ${x + 6} ${y} ${to.left - 4} ${y}`;
    const look = { "stroke-width": (THICK * weight).toFixed(2), pathLength: 1 };
    return svgNode("path", { d, stroke: colourOf(head), ...look });
  };
  /** Draws the threads from the ball; none while the strip is on its way. */
  const draw = (from) => {
    node.replaceChildren();
    const stop = data.stop();
    const looks = data.looks(stop, data.wordOf(stop.side));
    if (looks === null || from === null) return;
    [...list.children].forEach((item, i) => {
      const to = placeOf(item);
      looks.forEach((weights, head) => {
        if (weights[i] >= LEAST) node.append(thread(from, to, head, weights[i]));
      });
    });
  };
  return { node, beside, write, draw };
};
