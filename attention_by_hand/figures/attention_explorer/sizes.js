// How large the maps of the grid are: as large as there is room, for all heads of a view.

import { widthOf } from "../kit/parts/dom.js";

const CELL = { least: 2, wanted: 11, most: 26 }; // pixels
const TALLEST = 160; // pixels, of a map with few rows
const EDGE = 10; // pixels, at the right of bare maps, for the outline of the last
const GAP = { least: 16, most: 56 }; // pixels, between maps
const NARROW = 560; // pixels: in less, two maps stand beside each other, and otherwise four
const FEW = 4; // heads, which stand beside each other even there, then without the words
const SMALLEST = 8; // pixels, of a cell where the words are left out
const NAME = { most: 30, bare: 46 }; // pixels, for the name under a map, which may take two lines

/**
 * How large all is where so many maps stand beside each other, and how high it is together: as
 * `height` says, or as high as is enough.
 */
const sizesAt = (view, across, { room, spacing, height, isBare = false }) => {
  const { names, rows, emitted, cols, shape } = view;
  const isShort = room < NARROW; // then a query is named by the word that it writes
  const named = isShort ? (emitted ?? rows) : names;
  const widths = named.map((name) => widthOf(name, 700) + 12); // the marked one is bold
  const name = isBare ? NAME.bare : NAME.most;
  const words = Math.min(Math.max(...widths), Math.min(0.34 * room, 220) * (1 + spacing / 7));
  const left = isBare ? 8 : Math.ceil(words);
  const long = cols.map((word) => (isBare ? 0 : Math.ceil(0.71 * Math.min(widthOf(word), 96))));
  const top = isBare ? 4 : Math.max(...long) + 16;
  const leaning = long.map((wide, i) => wide - (cols.length - i - 0.5) * CELL.wanted);
  if (isBare) leaning.push(EDGE);
  const free = room - left - Math.max(0, ...leaning);
  const each = (free - (across - 1) * GAP.least) / across;
  const lines = shape.layers * Math.ceil(shape.heads / across);
  const enough = Math.min(Math.max(TALLEST / shape.rows, CELL.wanted), CELL.most);
  const high = height ? ((height - top) / lines - name) / shape.rows : enough;
  const cell = Math.max(CELL.least, Math.floor(Math.min(each / shape.cols, high)));
  const rest = (free - across * cell * shape.cols) / Math.max(1, across - 1);
  const gap = Math.floor(Math.min(GAP.most, Math.max(GAP.least, rest)));
  const own = top + lines * (cell * shape.rows + name);
  return { widths, isShort, isBare, across, left, top, cell, gap, name, height: height ?? own };
};

/** With as many maps beside each other as can be read: all of a layer, if they can. */
const bestOf = (view, given) => {
  const { heads } = view.shape;
  if (given.room < NARROW && heads > 2 && heads <= FEW) {
    const bare = sizesAt(view, heads, { ...given, isBare: true });
    if (bare.cell >= SMALLEST) return bare;
  }
  const most = Math.min(heads, given.room < NARROW ? 2 : 4);
  const tries = Array.from({ length: most }, (_, n) => sizesAt(view, most - n, given));
  return tries.find(({ cell }) => cell >= CELL.wanted) ?? tries.at(-1);
};

/**
 * The sizes of a view in so much room, as high as the one of `views` that needs most: what is below
 * must not move. `spacing` a reader may have set between letters.
 */
export const sizesOf = (view, views, room, spacing) => {
  const heights = views.map((one) => bestOf(one, { room, spacing }).height);
  const { across, isBare } = bestOf(view, { room, spacing });
  return sizesAt(view, across, { room, spacing, isBare, height: Math.max(...heights) });
};
