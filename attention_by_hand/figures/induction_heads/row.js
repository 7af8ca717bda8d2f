// The reader's row of letters: from the letter that looks, an arc to each that it looks at, as thick
// as the weight.

import { atWidth } from "../kit/parts/charts.js";
import { h, svgNode } from "../kit/parts/dom.js";
import { drag, pointIn } from "../kit/parts/drag.js";

const ROOM = { least: 280, most: 760 }; // pixels
const WIDEST = 36; // pixels a letter
const HIGH = 104; // pixels over the letters, for the arcs
const FEET = 46; // pixels for the letters and what stands under them
const LEAST = 0.04; // weights below that have no arc
const WORTH_SAYING = 0.1;
const THICK = 9; // pixels, for a weight of 1

/** From the letter at x to one further left; a letter that looks at itself has a ring. */
const arc = (x, to, pitch) => {
  const rise = Math.min(HIGH - 8, 18 + ((x - to) / pitch) * 9);
  if (x === to) return `M${x - 5} ${HIGH}a7 9 0 1 1 10 0`;
  return `M${x} ${HIGH}C${x} ${HIGH - 1.3 * rise} ${to} ${HIGH - 1.3 * rise} ${to} ${HIGH}`;
};

/**
 * {node, update(row)}, where a row is {text, place, weights, kind, next}: `weights` are those of the
 * chosen head, from the letter at `place`, or null while they are not known; `next` is what would
 * be written after the row. `go(place)` is called by a drag and by the keyboard.
 */
export const rowOf = (base, go) => {
  const scrub = h("input", {
    ...{ type: "range", className: "sr scrub", min: 0, "aria-label": "letter that looks" },
  });
  scrub.addEventListener("input", () => go(Number(scrub.value)));
  const svg = svgNode("svg", { role: "img" });
  const node = h("div", { className: "row" }, scrub, svg);
  let shown = null;
  let width = ROOM.most;

  const pitch = () => Math.min(WIDEST, (width - 8) / (shown.text.length + 1));
  const at = (i) => 4 + (i + 0.5) * pitch();
  const word = (i, y, kinds, text) =>
    svgNode("text", { x: at(i), y, "text-anchor": "middle", class: kinds }, text);
  const box = (i, kinds) => {
    const size = { y: HIGH + 2, width: pitch() - 2, height: 26, rx: 4 };
    return svgNode("rect", { ...size, x: at(i) - pitch() / 2 + 1, class: kinds });
  };
  const looks = ({ place, weights }) =>
    [...(weights ?? [])].flatMap((weight, i) => {
      if (weight < LEAST) return [];
      const look = { d: arc(at(place), at(i), pitch()), class: "arc" };
      const line = svgNode("path", { ...look, "stroke-width": (THICK * weight).toFixed(1) });
      if (weight < WORTH_SAYING) return [line];
      return [line, word(i, HIGH + 42, "share", `${Math.round(100 * weight)}`)];
    });
  const draw = () => {
    if (!shown) return;
    const { text, place, kind, next } = shown;
    svg.setAttribute("viewBox", `0 0 ${width} ${HIGH + FEET}`);
    svg.setAttribute("class", `chart arcs draggable ${kind}`);
    const told = text ? `the row ${text}, and where its letter ${place + 1} looks` : "no row yet";
    svg.setAttribute("aria-label", told);
    const letters = [...text].map((letter, i) =>
      word(i, HIGH + 21, i > place ? "letter later" : "letter", letter),
    );
    const isLast = text && place === text.length - 1;
    svg.replaceChildren(
      ...looks(shown),
      ...(text ? [box(place, "asks")] : []),
      ...letters,
      ...(next && isLast
        ? [box(text.length, "next"), word(text.length, HIGH + 21, "letter next", next)]
        : []),
    );
  };
  drag(svg, {
    move: (event) => {
      const i = Math.floor((pointIn(svg, event).x - 4) / pitch());
      if (shown.text) go(Math.max(0, Math.min(shown.text.length - 1, i)));
    },
  });
  const update = (row, told) => {
    shown = row;
    scrub.max = String(Math.max(0, row.text.length - 1));
    scrub.value = String(row.place);
    scrub.setAttribute("aria-valuetext", told);
    draw();
  };
  const fit = () =>
    atWidth(base, node, ROOM, (now) => {
      width = now;
      draw();
    });
  return { node, update, fit };
};
