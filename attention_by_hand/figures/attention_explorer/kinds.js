// Which attention is shown, and whether the true alignment is outlined.

import { choicesOf } from "../kit/parts/choices.js";
import { h } from "../kit/parts/dom.js";
import { put } from "../kit/runtime/model.js";

/** @import { Model } from "./figure.js" */

const SHORT = { encoder: "encoder", decoder: "decoder", cross: "cross-attention" };

/** @param {Model} model */
export const kindsOf = (model) => {
  const kinds = model.get("kinds");
  const names = kinds.map((kind) => SHORT[kind]);
  const { node, update } = choicesOf("attention", names, (kind) => put(model, { kind }));
  node.hidden = kinds.length < 2;
  node.classList.add("ui");
  return { node, update: () => update(model.get("kind")) };
};

/** @param {Model} model */
export const goldOf = (model) => {
  const name = "outline the true alignment";
  const node = h("button", { type: "button", role: "switch", className: "ui gold" }, h("i"), name);
  node.addEventListener("click", () => put(model, { gold: !model.get("gold") }));
  const update = () => {
    node.hidden = !model.get("sentences").some(({ alignment }) => alignment.length);
    node.setAttribute("aria-checked", model.get("gold"));
  };
  return { node, update };
};
