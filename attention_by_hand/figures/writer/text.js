// The text: what the reader began with, what has been written since, and as the model reads it.

import { put } from "../kit/runtime/model.js";
import { nearest } from "../kit/shared/words.js";
import { cuttingOf } from "./pieces.js";

/** @import { Model } from "./figure.js" */

/** @param {Model} model */
export const textOf = (model, { begin, end, n_special_ids }) => {
  const words = model.get("words");
  const { longest } = model.get("sizes");
  const ids = new Map(words.map((word, id) => [word, id]));

  /** A typed word as the model knows it: also with its first letter in the other case. */
  const known = (word) => {
    const [first, rest] = [word.slice(0, 1), word.slice(1)];
    const forms = [word, first.toLowerCase() + rest, first.toUpperCase() + rest];
    return forms.find(
      (form) => ids.has(form) && (ids.get(form) >= n_special_ids || form === begin),
    );
  };
  const { cut, join, told } = cuttingOf(model, begin);
  const typed = (text) =>
    text.split(begin).flatMap((part, i) => (i ? [begin, ...cut(part)] : cut(part)));

  return {
    known,
    /** What a reader has typed, token by token. */
    typed,
    join,
    told,
    /** The words that are most like one that it does not know; of a letter there are none. */
    like: (word) => (model.get("pieces") ? [] : nearest(word, words.slice(n_special_ids))),
    get tokens() {
      return [begin, ...typed(model.get("text")), ...model.get("written")];
    },
    /** Takes out of the traits what an address may have, and this model does not know or read. */
    tidy() {
      const all = typed(model.get("text"));
      const read = all.filter(known).slice(0, longest - 2);
      if (read.length < all.length) put(model, { text: join(read) });
      const written = model.get("written").filter((word) => ids.has(word));
      written.length = Math.min(written.length, longest - this.began);
      if (written.length < model.get("written").length) put(model, { written });
    },
    get ids() {
      return this.tokens.map((token) => ids.get(known(token) ?? token));
    },
    get began() {
      return 1 + typed(model.get("text")).length;
    },
    get ended() {
      return this.tokens.at(-1) === end;
    },
    roomFor(more) {
      return this.tokens.length + more < longest;
    },
    /** Nothing more can be written. */
    get over() {
      return this.ended || !this.roomFor(0);
    },
  };
};
