// The strip that lots fall on: all words end to end, the likeliest first. A line in it is top-p.

import { drag } from "../kit/parts/drag.js";
import { h, widthOf } from "../kit/parts/dom.js";

const DRAWN = 0.004; // and one with less is not drawn alone

/** A piece of the strip, from one share to another. */
const pieceOf = (from, to, className) => {
  const node = h("span", { className });
  node.style.cssText = `left:${100 * from}%;width:${100 * Math.max(0, to - from)}%`;
  return node;
};

/** `moved(share)` is called while the line is dragged. */
export const distributionOf = (words, moved) => {
  const pieces = h("div", { className: "pieces" });
  const dart = h("div", { className: "dart", hidden: true });
  const tag = h("b");
  const line = h("div", { className: "line" }, h("i"), tag);
  const node = h("div", { className: "lot", "aria-hidden": true }, pieces, dart, line);
  drag(line, {
    move(event) {
      const { left, width } = node.getBoundingClientRect();
      const share = (event.clientX - left) / width;
      moved(Math.round(100 * Math.min(1, Math.max(0.01, share))) / 100);
    },
  });

  return {
    node,
    show(choice, topP, landed) {
      const shown = choice.words.filter(({ before }) => before >= DRAWN);
      let at = 0;
      const drawn = shown.map(({ id, before, drawn }) => {
        const fits = before * node.clientWidth > 1.1 * widthOf(words[id]) + 8;
        const name = fits ? h("bdi", {}, words[id]) : "";
        const isHit = id === landed?.id;
        const kind = drawn ? "" : "gone";
        const place = pieceOf(at, at + before, isHit ? "hit" : kind);
        at += before;
        place.append(name);
        return place;
      });
      const cut = Math.max(at, choice.kept);
      const rest = [pieceOf(at, cut, "rest"), pieceOf(cut, 1, "rest gone")];
      pieces.replaceChildren(...drawn, ...rest);
      line.style.left = `${100 * topP}%`;
      line.classList.toggle("far", topP > 0.8);
      tag.textContent = topP < 1 ? `↔ top-p ${topP.toFixed(2)}` : "↔ top-p: all";
      dart.hidden = landed === null;
      if (landed !== null) dart.style.left = `${100 * landed.at}%`;
    },
  };
};
