// All heads as maps in a grid: a layer is a row of it, and where there is little room a row has
// several lines. The words stand once, beside each line and over the first. The query or the key
// that is picked out is marked in every head.

import { h, quoted, svgNode, token } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";
import { whenSized } from "../kit/parts/sized.js";
import { put } from "../kit/runtime/model.js";
import { strongest } from "./readout.js";
import { sizesOf } from "./sizes.js";
import { viewsOf } from "./state.js";

/** @import { Model } from "./figure.js" */

const GRID = 400; // of more cells no lines are drawn between them
const FINE = 8; // pixels, of a cell: in smaller ones neither
const INSET = 0.1; // of a cell, from its edge to the outline of the true one
const LEAST = { row: 12, col: 15 }; // pixels, from label to label

const rowLabel = (name, emits) => {
  const then = emits === undefined ? [] : [h("span", { className: "emits" }, " → ", token(emits))];
  return h("div", { className: "row label" }, token(name), ...then);
};
const colLabel = (name) =>
  h("div", { className: "col label" }, h("span", { className: "turned" }, token(name)));

/** Labels in a box, each of which knows its place; `pressed(i)` is called. */
const labelled = (className, labels, pressed) => {
  labels.forEach((label, i) => {
    label.style.setProperty("--i", i);
    label.addEventListener("click", () => pressed(i));
  });
  return Object.assign(h("div", { className, "aria-hidden": "true" }, ...labels), { labels });
};

/**
 * Marks one label; where they would touch, shows every second, third, ... and none too near the
 * marked one.
 */
const choose = (labels, chosen, least, cell) => {
  const every = Math.ceil(least / cell);
  labels.forEach((label, i) => {
    const isNear = chosen >= 0 && Math.abs(i - chosen) * cell < least;
    label.classList.toggle("on", i === chosen);
    label.hidden = i !== chosen && (i % every !== 0 || isNear);
  });
};

const box = (x, y, width, height, name) => svgNode("rect", { x, y, width, height, class: name });

/** What is drawn over a map: lines between cells, the true alignment, and what is picked out. */
const marksOf = ({ view, lit, bytes }, { layer, head }, cell, gold) => {
  const { rows, cols } = view.shape;
  let lines = "";
  for (let i = 1; i < cols; i++) lines += `M${i} 0V${rows}`;
  for (let i = 1; i < rows; i++) lines += `M0 ${i}H${cols}`;
  const isFine = rows * cols > GRID || cell < FINE;
  const grid = isFine ? [] : [svgNode("path", { d: lines, class: "grid" })];
  const size = 1 - 2 * INSET;
  const weights = bytes(layer, head);
  const truth = view.gold.map(([s, t]) => {
    const strong = weights[t * cols + s] > 127 ? " strong" : ""; // to be seen on a strong colour too
    return box(s + INSET, t + INSET, size, size, `truth${strong}`);
  });
  const { side, index, key } = lit;
  const line = side === "target" ? [0, index, cols, 1] : [index, 0, 1, rows];
  const one = key === undefined ? [] : [box(key, index, 1, 1, "chosen")];
  return [...grid, ...(gold ? truth : []), box(...line, "chosen line"), ...one];
};

const mapOf = (base, state, layer, head) => {
  const { rows, cols } = state.view.shape;
  const pixels = h("canvas", { className: "pixels" });
  base.paint(pixels, state.bytes(layer, head), rows, cols, { most: 255 });
  const look = { viewBox: `0 0 ${cols} ${rows}`, preserveAspectRatio: "none" };
  const marks = svgNode("svg", { ...look, "aria-hidden": "true" });
  const plot = h("div", { className: "plot" }, pixels, marks);
  const name = `layer ${layer}, head ${head}`;
  const said = name.split(/(?<=, )/).map((part) => h("span", {}, part));
  const node = h("div", { className: "map", role: "gridcell" }, plot, h("p", {}, ...said));
  return Object.assign(node, { layer, head, name, plot, marks });
};

/** A map as it is heard: its head, and where the word that is picked out has most weight in it. */
const heard = (state, { name, layer, head }) => {
  const { view, lit } = state;
  const weights = state.weights(lit, layer, head);
  const [best] = strongest(weights);
  const isQuery = lit.side === "target";
  const word = quoted(isQuery ? view.names[lit.index] : view.cols[lit.index]);
  if (best === undefined) return `${name}: ${word}, nothing`;
  const other = quoted(isQuery ? view.cols[best] : view.names[best]);
  return `${name}: ${word}, most ${isQuery ? "from" : "to"} ${other}, ${weights[best].toFixed(2)}`;
};

/** Boxes of labels: of queries for each line of each layer, of keys for each column of maps. */
const labelsOf = (
  { rows, cols, emitted, shape },
  { across, widths, left, isShort, isBare },
  layers,
  word,
) => {
  const times = (length, make) => Array.from({ length }, make);
  const query = (name, i) => {
    const label = isShort ? rowLabel(emitted?.[i] ?? name) : rowLabel(name, emitted?.[i]);
    label.classList.toggle("tight", widths[i] > left);
    return label;
  };
  const [asking, asked] = isBare ? [[], []] : [rows, cols]; // the words stand above, once
  const queries = () =>
    labelled("names", asking.map(query), (index) => word({ side: "target", index }));
  const keys = () =>
    labelled("header", asked.map(colLabel), (index) => word({ side: "source", index }));
  const lines = Math.ceil(shape.heads / across);
  return { row: times(layers, () => times(lines, queries)), col: times(across, keys) };
};

/** A layer's maps and labels in their places. */
const lay = (layer, maps, boxes, across) => {
  layer.replaceChildren(...boxes, ...maps);
  boxes.forEach((one, line) => {
    one.style.gridArea = `${line + 1} / 1`;
  });
  maps.forEach((map, i) => {
    map.style.gridArea = `${Math.floor(i / across) + 1} / ${(i % across) + 2}`;
  });
};

/** The sizes, for the style sheet. */
const measure = (node, { shape }, { left, top, cell, gap, name, across, height, isBare }) => {
  node.classList.toggle("bare", isBare);
  const lengths = { left, top, cell, gap, height, name };
  Object.assign(lengths, { wide: shape.cols * cell, tall: shape.rows * cell });
  for (const [what, value] of Object.entries(lengths))
    node.style.setProperty(`--${what}`, `${value}px`);
  node.style.setProperty("--across", across);
};

/** Calls `point({layer, head, row, col})` while a mouse rests on a cell, and `take` at a press. */
const listen = (node, state, { point, take }) => {
  const indexAt = (value, size) => Math.min(size - 1, Math.max(0, Math.floor(value * size)));
  const under = (event) => {
    const map = event.target.closest?.(".map");
    if (!map) return null;
    const { left, top, width, height } = map.plot.getBoundingClientRect();
    const { rows, cols } = state.view.shape;
    const row = indexAt((event.clientY - top) / height, rows);
    const col = indexAt((event.clientX - left) / width, cols);
    return { layer: map.layer, head: map.head, row, col };
  };
  let last = null; // where the mouse was told to be
  const rest = (cell) => {
    if (JSON.stringify(cell) === JSON.stringify(last)) return;
    last = cell;
    point(cell);
  };
  node.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") rest(under(event));
  });
  node.addEventListener("pointerleave", () => rest(null));
  node.addEventListener("click", (event) => {
    const cell = under(event);
    if (cell) take(cell);
  });
};

/** @param {Model} model */
export const headsOf = (base, model, state, { point, take, word }) => {
  const about = "all heads: a layer in each row, a head in each column";
  const node = h("div", { className: "heads", role: "grid", "aria-label": about });
  let maps = []; // row by row
  let layers = [];
  let labels = { row: [], col: [] }; // boxes of them, those of queries by layer
  let sizes = null;
  let stop = null;
  listen(node, state, { point, take });

  const place = () => {
    const room = node.clientWidth;
    if (!room) return;
    const spacing = parseFloat(getComputedStyle(node).letterSpacing) || 0;
    sizes = sizesOf(state.view, viewsOf(model), room, spacing);
    measure(node, state.view, sizes);
    labels = labelsOf(state.view, sizes, layers.length, word);
    layers.forEach((layer, n) => lay(layer, maps[n], labels.row[n], sizes.across));
    const top = h("div", { className: "top", "aria-hidden": "true" }, h("span"), ...labels.col);
    node.replaceChildren(top, ...layers);
    update();
  };
  const fill = () => {
    const { layers: many, heads } = state.view.shape;
    const count = (length, make) => Array.from({ length }, (_, i) => make(i));
    maps = count(many, (layer) => count(heads, (head) => mapOf(base, state, layer, head)));
    layers = maps.map(() => h("div", { className: "layer", role: "row" }));
    stop = rove(maps, (layer, head) => put(model, { layer, head }));
    place();
  };
  const update = () => {
    if (!sizes) return;
    const { side, index, key = -1 } = state.lit;
    const [row, col] = side === "target" ? [index, key] : [-1, index];
    for (const one of labels.row.flat()) choose(one.labels, row, LEAST.row, sizes.cell);
    for (const one of labels.col) choose(one.labels, col, LEAST.col, sizes.cell);
    for (const map of maps.flat()) {
      const isChosen = map.layer === model.get("layer") && map.head === model.get("head");
      map.setAttribute("aria-selected", isChosen);
      map.setAttribute("aria-label", heard(state, map));
      map.marks.replaceChildren(...marksOf(state, map, sizes.cell, model.get("gold")));
    }
    stop(model.get("layer"), model.get("head"));
  };
  whenSized(base, node, place);
  return { node, fill, update };
};
