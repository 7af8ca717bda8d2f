// The text as it stands: a column for each token with its keys and values in the cache, and a field
// to type in.

import { h, token } from "../kit/parts/dom.js";

/** A token over what the cache has of it: a cell for each layer, the upper one on top. */
const columnOf = (word, layers) =>
  h(
    "span",
    {},
    token(word),
    h("span", { className: "cells" }, ...Array.from({ length: layers }, () => h("i"))),
  );

/** `type(words)` is called for what is typed, `back()` where there is nothing left to delete. */
export const stripOf = ({ layers, type, back }) => {
  const field = h("input", {
    className: "ui field",
    size: 6,
    "aria-label": "type the next word",
    autocapitalize: "off",
    autocomplete: "off",
    spellcheck: false,
    placeholder: "type …",
  });
  const tokens = h("span", { className: "tokens" });
  const node = h(
    "div",
    { className: "text", lang: "", tabIndex: 0, role: "group", "aria-label": "the text" },
    tokens,
    field,
  );
  const send = () => {
    const words = field.value.trim();
    if (words && type(words)) field.value = "";
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      send();
    } else if (event.key === "Backspace" && !field.value) {
      event.preventDefault();
      back();
    }
  });
  field.addEventListener("change", send);

  const columns = [];
  return {
    node,
    field,
    get newest() {
      return columns.at(-1).column;
    },
    /**
     * words; how many of them the reader began with; how many the model has read; how many at the
     * end were read anew; where a head looks.
     */
    show(words, { began, read, fresh, look }) {
      // What stands there already stays, so that only what is new is lit
      const same = words.findIndex((word, i) => columns[i]?.word !== word);
      const kept = same < 0 ? words.length : same;
      for (const { column } of columns.splice(kept)) column.remove();
      for (const word of words.slice(kept)) {
        const column = columnOf(word, layers);
        columns.push({ word, column });
        tokens.append(column);
      }
      columns.forEach(({ column }, i) => {
        column.className = `column ${i < began ? "given" : "wrote"}`;
        column.classList.toggle("fresh", i >= words.length - fresh);
        column.classList.toggle("unread", i >= read);
        column.classList.toggle("looked", Boolean(look));
        if (look) column.style.setProperty("--share", look[i] ?? 0);
      });
      node.scrollTop = node.scrollHeight;
    },
  };
};
