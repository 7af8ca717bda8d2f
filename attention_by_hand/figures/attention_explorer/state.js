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

/** @param {Model} model */
export const stateOf = (model) => {
  const at = getter(model);
  const state = {
    view: viewOf(model),
    peek: null, // the head under the pointer: {layer, head}
    hover: null, // the cell under the pointer: [row, column]
    column: null, // the column that was chosen in this row, or null: the key with the most weight
    get layer() {
      return state.peek?.layer ?? at("layer");
    },
    get head() {
      return state.peek?.head ?? at("head");
    },
    get row() {
      return state.hover?.[0] ?? at("row");
    },
    get col() {
      return state.hover?.[1] ?? state.column ?? state.order()[0];
    },
    /** The weights of a head, row after row, as bytes. */
    bytes(layer = state.layer, head = state.head) {
      const { start, heads, rows, cols } = state.view.shape;
      const first = start + (layer * heads + head) * rows * cols;
      return sharesFrom(at("weights"), first, rows * cols);
    },
    /** The weights of the row that asks, from 0 to 1. */
    weights() {
      const { cols } = state.view.shape;
      const row = state.bytes().subarray(state.row * cols, (state.row + 1) * cols);
      return Array.from(row, (byte) => byte / 255);
    },
    /** The keys, that with the most weight first. */
    order() {
      const weights = state.weights();
      return [...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b);
    },
    read() {
      Object.assign(state, { view: viewOf(model), hover: null, column: null });
    },
    /** Keeps a cell; `column` null stands for the key with the most weight. */
    lock(row, column) {
      state.hover = null;
      put(model, { row }); // where it is another, this forgets the column
      state.column = column;
    },
  };
  return state;
};
