// What the explorer shows now: what the traits select, and what the pointer rests on.

import { sharesFrom } from "../kit/parts/packed.js";
import { getter, put } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

const NAMES = {
  encoder: "Encoder self-attention",
  decoder: "Decoder self-attention",
  cross: "Cross-attention",
};

/**
 * The words and the shape of a sentence's maps of one kind.
 *
 * @param {Model} model
 */
export const viewOf = (model, sentence = model.get("sentence"), index = model.get("kind")) => {
  const kind = model.get("kinds")[index];
  const { source, target, emits, alignment, maps } = model.get("sentences")[sentence];
  const rows = kind === "encoder" ? source : target;
  const emitted = kind === "cross" && emits.length ? emits : null;
  return {
    ...{ kind, rows, emitted },
    shape: maps[kind],
    name: NAMES[kind],
    cols: kind === "decoder" ? target : source,
    names: rows.map((name, i) => (emitted ? `${name} → ${emitted[i]}` : name)),
    gold: kind === "cross" ? alignment : [],
  };
};

/**
 * The views of all sentences and kinds, which are given room together: what is below must not move.
 *
 * @param {Model} model
 */
export const viewsOf = (model) =>
  model
    .get("sentences")
    .flatMap((_, sentence) => model.get("kinds").map((_, kind) => viewOf(model, sentence, kind)));

/**
 * A word is {side, index}: a query is a "target", a key a "source", as threads call them.
 *
 * @param {Model} model
 */
export const stateOf = (model) => {
  const at = getter(model);
  const state = {
    view: viewOf(model),
    peek: null, // the head under the pointer: {layer, head}
    hover: null, // what the pointer or the focus rests on: a word; of a cell, the query and its `key`
    key: null, // the key that was pressed, or null: then the query is picked out
    get layer() {
      return state.peek?.layer ?? at("layer");
    },
    get head() {
      return state.peek?.head ?? at("head");
    },
    /** The word that is picked out. */
    get lit() {
      if (state.hover) return state.hover;
      if (state.key !== null) return { side: "source", index: state.key };
      return { side: "target", index: at("row") };
    },
    /** The weights of a head, row after row, as bytes. */
    bytes(layer = state.layer, head = state.head) {
      const { start, heads, rows, cols } = state.view.shape;
      const first = start + (layer * heads + head) * rows * cols;
      return sharesFrom(at("weights"), first, rows * cols);
    },
    /** The weights at a word, from 0 to 1: a query's row, or a key's column. */
    weights({ side, index }, layer = state.layer, head = state.head) {
      const { cols } = state.view.shape;
      const bytes = Array.from(state.bytes(layer, head), (byte) => byte / 255);
      if (side === "source") return bytes.filter((_, i) => i % cols === index);
      return bytes.slice(index * cols, (index + 1) * cols);
    },
    read() {
      Object.assign(state, { view: viewOf(model), peek: null, hover: null, key: null });
    },
    /** Keeps a word. */
    take({ side, index }) {
      state.hover = null;
      if (side === "target") put(model, { row: index });
      state.key = side === "source" ? index : null;
    },
  };
  return state;
};
