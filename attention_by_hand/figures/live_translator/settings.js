// Whose threads are drawn, and how the next word is chosen.

import { h } from "../kit/parts/dom.js";
import { dotsOf } from "../kit/parts/dots.js";
import { put } from "../kit/runtime/model.js";
import { headOf, shortNameOf } from "./parts.js";

/** @import { Model } from "./figure.js" */

/**
 * Which attention: one of each layer, in one list.
 *
 * @param {Model} model
 */
const lookListOf = (model) => {
  const kinds = model.get("kinds");
  const { layers } = model.get("sizes");
  const looks = kinds.flatMap((kind, n) =>
    Array.from({ length: layers }, (_, i) => layers - 1 - i).map((layer) => {
      const box = headOf({ kind, layer, head: 0 }).replace(/\.0$/, "");
      return { kind: n, layer, name: shortNameOf(box, model.get("sizes")) };
    }),
  );
  const options = looks.map(({ name }) => h("option", {}, name));
  // On a phone the words of the label are not shown
  const select = h("select", { name: "look", "aria-label": "threads of" }, ...options);
  select.addEventListener("change", () => {
    const { kind, layer } = looks[select.selectedIndex];
    put(model, { kind, layer });
  });
  const show = () => {
    select.selectedIndex = looks.findIndex(
      ({ kind, layer }) => kind === model.get("kind") && layer === model.get("layer"),
    );
  };
  return { node: h("label", {}, h("span", {}, "threads of"), select), show };
};

/** @param {Model} model */
export const looksOf = (model) => {
  const list = lookListOf(model);
  const names = Array.from({ length: model.get("sizes").heads }, (_, head) => `head ${head}`);
  const dots = dotsOf("looks", "head", names, (head) => put(model, { head }));
  dots.dots.forEach((dot, head) => dot.style.setProperty("--dot", `var(--head${head % 4})`));
  return {
    node: h("div", { className: "ui looking" }, list.node, dots.node),
    show() {
      list.show();
      dots.show(model.get("head"));
    },
  };
};

/** @param {Model} model */
const sliderOf = (model, trait, label, props, text) => {
  const range = h("input", { type: "range", name: trait, ...props });
  const value = h("b");
  range.addEventListener("input", () => put(model, { [trait]: Number(range.value) }));
  const show = () => {
    range.value = model.get(trait);
    value.textContent = text(model.get(trait));
  };
  return { node: h("label", {}, h("span", {}, `${label} `, value), range), show };
};

/**
 * How the next word is chosen: by lot at a temperature, and from how wide a beam; folded until
 * somebody wants to know.
 *
 * @param {Model} model
 */
export const choosingOf = (model, { choices, beams, hottest }) => {
  const heat = { min: 0, max: hottest, step: 0.1 };
  const temperature = sliderOf(model, "temperature", choices.temperature[0], heat, (t) =>
    t.toFixed(1),
  );
  const kept = { min: 1, max: beams, step: 1 };
  const beam = sliderOf(model, "beam", choices.beam[0], kept, String);
  const again = h("button", { type: "button", name: "again" }, "Draw again");
  again.addEventListener("click", () => put(model, { seed: model.get("seed") + 1 }));
  const sliders = h("div", { className: "choosing" }, temperature.node, beam.node, again);
  const summary = h("summary", {}, "How it chooses words");
  const node = h("details", { className: "fold ui" }, summary, sliders);
  return {
    node,
    show() {
      node.open ||= model.get("temperature") > 0 || model.get("beam") > 1;
      temperature.show();
      beam.show();
      again.hidden = model.get("temperature") === 0;
    },
  };
};
