// What the number stands for: the sentence, the word that is written, and the thread between them,
// which is longer and thicker after each step.

import { h, svgNode, token } from "../kit/parts/dom.js";

const THICKEST = 13; // pixels, as on the front page
const LEAST = 0.01;
const LABEL = 72; // pixels, for the share beside the thread

/** @param {{ words: string[], writes: string, shares: number[] }} given */
export const threadOf = ({ words, writes, shares }) => {
  const best = shares.indexOf(Math.max(...shares));
  const svg = svgNode("svg", { "aria-hidden": "true" });
  const above = words.map((word) => h("span", { className: "word" }, token(word)));
  const below = h("span", { className: "word" }, token(writes));
  const share = h("span", { className: "share", "aria-hidden": "true" });
  const node = h(
    "div",
    { className: "thread" },
    svg,
    h("div", { className: "line" }, ...above),
    h("div", { className: "line target" }, below),
    share,
  );
  const guide = svgNode("path", { class: "guide" });
  const spun = shares.map((_, i) => [i, svgNode("path", { class: "spun", pathLength: 1 })]);
  const middle = ({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth / 2;
  const place = () => {
    const [to, bottom] = [middle(below), below.offsetTop - 3];
    for (const [i, path] of [[best, guide], ...spun]) {
      const [from, top] = [middle(above[i]), above[i].offsetTop + above[i].offsetHeight + 2];
      const turn = (top + bottom) / 2;
      path.setAttribute("d", `M${from} ${top}C${from} ${turn} ${to} ${turn} ${to} ${bottom}`);
    }
    const beside = (middle(above[best]) + to) / 2 + 22;
    share.style.left = `${Math.min(beside, node.clientWidth - LABEL)}px`;
  };
  /** So much of it, from 0 to 1; at 1 the other words have their threads too. */
  const update = (grown) => {
    const there = spun.filter(([i]) => (i === best ? grown > 0 : grown === 1 && shares[i] > LEAST));
    for (const [i, path] of there) {
      path.setAttribute("stroke-width", `${THICKEST * shares[i] * grown}`);
      path.setAttribute("stroke-dashoffset", `${1 - grown}`);
    }
    const paths = [...(grown < 1 ? [guide] : []), ...there.map(([, path]) => path)];
    for (const path of [guide, ...spun.map(([, path]) => path)]) {
      if (!paths.includes(path)) path.remove();
      else if (path.parentNode !== svg) svg.append(path);
    }
    share.textContent = `${grown === 1 ? Math.round(100 * shares[best]) : "?"}\u00a0%`;
    share.classList.toggle("known", grown === 1);
  };
  return { node, place, update };
};
