// The numbers behind the picture, as tables.

import { numbersTable } from "../kit/parts/tables.js";

const WIDTHS = {
  cross: ({ source }) => source,
  decoder: ({ target }) => ["<bos>", ...target.slice(0, -1)],
  encoder: ({ source }) => source,
};
const MOST = 24; // rows and columns

/** The weights that are drawn, and how sure it was of each word. */
export const weightTables = (view) => {
  const { kind, layer, head } = view.look;
  const rows = (kind === "encoder" ? view.source : view.target).slice(0, MOST);
  const columns = WIDTHS[kind](view).slice(0, MOST);
  const weights = numbersTable("weights (rows: queries, columns: keys)", rows, columns);
  weights.texts.forEach((text, n) => {
    const row = Math.floor(n / columns.length);
    const column = n % columns.length;
    text.data = view.weight({ kind, layer, head }, row, column).toFixed(2);
  });
  const written = view.target.slice(0, MOST);
  const sure = numbersTable("how sure it was of each word", written, ["probability"]);
  sure.texts.forEach((text, i) => {
    text.data = view.sure(i).toFixed(3);
  });
  return [weights.node, sure.node];
};
