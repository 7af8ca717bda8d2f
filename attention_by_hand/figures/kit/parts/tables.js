// Tables of words and numbers, under a title.

import { h, token } from "./dom.js";

/**
 * A table with a header for each row and each column: text, a node, or a list of them. `cell(i, j)`
 * makes a cell, an empty one unless given. Returns the table and its cells, row by row.
 *
 * @param {any[]} rowHeads
 * @param {any[]} colHeads
 * @param {{ caption?: any, cell?: (i: number, j: number) => HTMLElement, [property: string]: any }} options
 */
export const table = (rowHeads, colHeads, { caption, cell = () => h("td"), ...props } = {}) => {
  const header = (scope, content) => h("th", { scope }, ...[content].flat());
  const cells = rowHeads.map((_, i) => colHeads.map((_, j) => cell(i, j)));
  const top = h("tr", {}, h("td"), ...colHeads.map((content) => header("col", content)));
  const rows = cells.map((row, i) => h("tr", {}, header("row", rowHeads[i]), ...row));
  const node = h("table", props, h("thead", {}, top), h("tbody", {}, ...rows));
  if (caption !== undefined) node.prepend(h("caption", {}, caption));
  return { node, cells };
};

/**
 * A table of numbers for "Show the numbers", rows and columns named by tokens; returns it and its
 * text nodes.
 */
export const numbersTable = (caption, rowNames, colNames) => {
  const texts = [];
  const cell = () => {
    texts.push(document.createTextNode(""));
    return h("td", {}, texts.at(-1));
  };
  const tokens = (names) => names.map((name) => token(name));
  return { node: table(tokens(rowNames), tokens(colNames), { caption, cell }).node, texts };
};

/** A title for a picture, and how it came to be. */
export const heading = (title, how = "") =>
  h("p", { className: "title" }, title, " ", h("span", { className: "plain" }, how));

/** A matrix of cells that are only read, under a title, appended to `parent`; returns the cells. */
export const matrix = (parent, title, how, rowHeads, colHeads) => {
  const { node, cells } = table(rowHeads, colHeads);
  // On a phone a matrix may be wider than the figure: the keyboard can scroll it.
  parent.append(
    h(
      "section",
      { className: "panel", tabIndex: 0, "aria-label": title },
      heading(title, how),
      node,
    ),
  );
  return cells;
};
