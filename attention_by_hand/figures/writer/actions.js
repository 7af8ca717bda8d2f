// What a reader does to the text and to the model.

import { put } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

/** @param {Model} model */
export const actionsOf = (model, text, says) => {
  const written = () => model.get("written");
  const actions = {
    begin(beginning) {
      says.quiet();
      put(model, { text: beginning, written: [] });
    },
    /** Takes typed words behind all others, or says which of them is not known. */
    type(words) {
      const typed = text.typed(words);
      const strange = typed.find((word) => !text.known(word));
      if (strange !== undefined) says.refuse(strange, text.like(strange));
      if (strange !== undefined || text.over || !text.roomFor(typed.length)) return false;
      says.quiet();
      const all = [...text.tokens.slice(1), ...typed.map(text.known)];
      put(model, { text: text.join(all), written: [] });
      return true;
    },
    back() {
      says.quiet();
      if (written().length) return put(model, { written: written().slice(0, -1) });
      put(model, { text: text.join(text.typed(model.get("text")).slice(0, -1)) });
    },
    write(word) {
      if (!text.over) put(model, { written: [...written(), word] });
    },
    choose(word) {
      if (!text.over) says.chose(word);
      actions.write(word);
    },
    /** Other lots, from the beginning on. */
    again() {
      says.quiet();
      put(model, { seed: model.get("seed") + 1, written: [] });
    },
    turn(part) {
      const off = model.get("off");
      const others = off.filter((one) => one !== part);
      put(model, { off: off.includes(part) ? others : [...off, part] });
    },
  };
  return actions;
};
