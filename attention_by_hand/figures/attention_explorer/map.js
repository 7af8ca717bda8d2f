// One head large: its words at the edges, the cells, and marks on them.

import { h, svgNode, token, widthOf } from "../kit/parts/dom.js";
import { drag } from "../kit/parts/drag.js";
import { arrow } from "../kit/parts/rove.js";
import { viewOf } from "./state.js";

/** @import { Model } from "./figure.js" */

const LARGEST = 52; // pixels, of a cell
const TALLEST = 512; // pixels, of a map
const GRID = 400; // of more cells no lines are drawn between them
const INSET = 0.1; // of a cell, from its edge to the outline of the true one

const rowLabel = (name, emits) => {
  const then = emits === undefined ? [] : [h("span", { className: "emits" }, " → ", token(emits))];
  return h("div", { className: "row label" }, token(name), ...then);
};
const colLabel = (name) =>
  h("div", { className: "col label" }, h("span", { className: "turned" }, token(name)));

/**
 * How large everything is, in pixels, where there is so much room; `spacing` a reader may have set
 * between letters.
 */
const sizesOf = ({ names, cols, shape }, room, spacing) => {
  const widths = names.map((name) => widthOf(name, 700) + 10); // the marked one is bold
  const most = Math.min(0.42 * room, 190) * (1 + spacing / 7);
  const left = Math.ceil(Math.min(Math.max(...widths), most));
  const long = Math.min(Math.max(...cols.map((name) => widthOf(name))), 96);
  const right = Math.ceil(0.71 * long * 0.8);
  const fits = Math.min((room - left - right) / shape.cols, TALLEST / shape.rows, LARGEST);
  const cell = Math.max(2, Math.floor(fits));
  const top = Math.ceil(0.71 * long + 18);
  return { widths, left, cell, top, height: top + shape.rows * cell + 6 };
};

/**
 * As tall as the map with the most rows, where it has the least room: what is below must not move.
 *
 * @param {Model} model
 */
const tallest = (model, room, spacing) => {
  const views = model
    .get("sentences")
    .flatMap((_, sentence) => model.get("kinds").map((_, kind) => viewOf(model, sentence, kind)));
  const most = Math.max(...views.map(({ shape }) => shape.rows));
  const longest = views.filter(({ shape }) => shape.rows === most);
  return Math.min(...longest.map((view) => sizesOf(view, room, spacing).height));
};

/**
 * Marks one label; where they would touch, shows every second, third, ... and none too near the
 * marked one.
 */
const choose = (labels, chosen, least, cell) => {
  const every = Math.ceil(least / cell);
  labels.forEach((label, i) => {
    label.classList.toggle("on", i === chosen);
    label.hidden = i !== chosen && (i % every !== 0 || Math.abs(i - chosen) * cell < least);
  });
};

const marksOf = (state, gold) => {
  const { view, row, col } = state;
  const { rows, cols } = view.shape;
  const box = (x, y, width, height, name) => svgNode("rect", { x, y, width, height, class: name });
  let lines = "";
  for (let i = 1; i < cols; i++) lines += `M${i} 0V${rows}`;
  for (let i = 1; i < rows; i++) lines += `M0 ${i}H${cols}`;
  const grid = rows * cols <= GRID ? [svgNode("path", { d: lines, class: "grid" })] : [];
  const size = 1 - 2 * INSET;
  const bytes = gold ? state.bytes() : [];
  const truth = view.gold.map(([s, t]) => {
    const strong = bytes[t * cols + s] > 127 ? " strong" : ""; // to be seen on a strong colour too
    return box(s + INSET, t + INSET, size, size, `truth${strong}`);
  });
  const chosen = [box(0, row, cols, 1, "chosen row"), box(col, row, 1, 1, "chosen")];
  return [...grid, ...(gold ? truth : []), ...chosen];
};

/**
 * Pointer and keys on the cells: `point(cell)` while they are only looked at, `lock(row, column)`.
 */
const listen = (plot, map, state, { point, lock }) => {
  const indexAt = (value, size) => Math.min(size - 1, Math.max(0, Math.floor(value * size)));
  const under = ({ clientX, clientY }) => {
    const { left, top, width, height } = map.getBoundingClientRect();
    const { rows, cols } = state.view.shape;
    return [indexAt((clientY - top) / height, rows), indexAt((clientX - left) / width, cols)];
  };
  plot.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") point(under(event));
  });
  plot.addEventListener("pointerleave", () => point(null));
  drag(plot, {
    move: (event) => point(under(event)),
    done(event) {
      if (event.type === "pointercancel") return point(null); // the finger scrolls the page
      lock(...under(event));
      plot.focus({ preventScroll: true });
    },
  });
  plot.addEventListener("keydown", (event) => {
    if (state.hover) point(null); // keys start from the cell that is locked, not from where the pointer rests
    const { rows, cols } = state.view.shape;
    const { row, col } = state;
    const cell = arrow(event, row, col, rows, cols);
    if (!cell) return;
    event.preventDefault();
    lock(cell[0], cell[1] === col ? state.column : cell[1]);
  });
};

/** @param {Model} model */
export const mapOf = (base, model, state, hand) => {
  const map = h("canvas", { className: "pixels" });
  const marks = svgNode("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
  const plot = h(
    "div",
    { className: "plot", tabIndex: 0, role: "application", "aria-roledescription": "heat map" },
    map,
    marks,
  );
  const field = h("div", { className: "field" });
  let rowLabels = [];
  let colLabels = [];
  let cell = 20;
  listen(plot, map, state, hand);

  const fill = () => {
    const { rows, cols, emitted, shape } = state.view;
    rowLabels = rows.map((name, i) => rowLabel(name, emitted?.[i]));
    colLabels = cols.map(colLabel);
    rowLabels.forEach((label, i) => label.addEventListener("click", () => hand.lock(i, null)));
    colLabels.forEach((label, i) =>
      label.addEventListener("click", () => hand.lock(model.get("row"), i)),
    );
    for (const labels of [rowLabels, colLabels])
      labels.forEach((label, i) => label.style.setProperty("--i", i));
    field.replaceChildren(...rowLabels, ...colLabels, plot);
    marks.setAttribute("viewBox", `0 0 ${shape.cols} ${shape.rows}`);
  };
  /** The size of a cell follows from the room there is; the style sheet does the rest. */
  const place = () => {
    const { shape } = state.view;
    const room = field.clientWidth;
    if (!room) return;
    const spacing = parseFloat(getComputedStyle(field).letterSpacing) || 0;
    const sizes = sizesOf(state.view, room, spacing);
    const height = tallest(model, room, spacing);
    cell = Math.max(2, Math.min(sizes.cell, Math.floor((height - sizes.top - 6) / shape.rows)));
    rowLabels.forEach((label, i) => label.classList.toggle("tight", sizes.widths[i] > sizes.left));
    const lengths = { cell, height, left: sizes.left, top: sizes.top };
    const look = { rows: shape.rows, cols: shape.cols };
    for (const [name, value] of Object.entries(lengths)) look[name] = `${value}px`;
    for (const [name, value] of Object.entries(look))
      field.parentElement.style.setProperty(`--${name}`, value);
  };
  const update = (label) => {
    choose(rowLabels, state.row, 12, cell);
    choose(colLabels, state.col, 15, cell);
    marks.replaceChildren(...marksOf(state, model.get("gold")));
    plot.setAttribute("aria-label", `${label}. Arrow keys move.`);
  };
  return {
    ...{ node: field, fill, place, update },
    paint() {
      const { rows, cols } = state.view.shape;
      base.paint(map, state.bytes(), rows, cols, { most: 255 });
    },
  };
};
