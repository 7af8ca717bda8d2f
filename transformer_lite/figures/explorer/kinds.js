// Which attention is shown, and whether the true alignment is outlined.

import { h } from "../kit/dom.js";
import { arrow, put } from "../kit/frame.js";

const SHORT = { encoder: "encoder", decoder: "decoder", cross: "cross-attention" };

export const kindsOf = (model) => {
  const kinds = model.get("kinds");
  const tabs = kinds.map((kind, index) => {
    const tab = h("button", { type: "button", role: "radio" }, SHORT[kind]);
    tab.addEventListener("click", () => put(model, { kind: index }));
    return tab;
  });
  const node = h(
    "div",
    {
      className: "ui kinds",
      role: "radiogroup",
      "aria-label": "attention",
      hidden: kinds.length < 2,
    },
    ...tabs,
  );
  node.addEventListener("keydown", (event) => {
    const to = arrow(event, 0, model.get("kind"), 1, kinds.length);
    if (!to) return;
    event.preventDefault();
    put(model, { kind: to[1] });
    tabs[to[1]].focus();
  });
  const update = () => {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-checked", index === model.get("kind"));
      tab.tabIndex = index === model.get("kind") ? 0 : -1;
    });
  };
  return { node, update };
};

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
