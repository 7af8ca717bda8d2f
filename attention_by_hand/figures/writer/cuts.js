// What can be cut out: positions, and each head. A head that is pointed at shows where the newest
// token looks.

import { h } from "../kit/parts/dom.js";
import { roveAmong } from "../kit/parts/rove.js";

/** `turn(part)` is called when a part is pressed, `point(layer, head)` when one is pointed at. */
export const cutsOf = ({ layers, heads }, { turn, point }) => {
  const buttons = new Map();
  const button = (part, className, name, ...children) => {
    const node = h(
      "button",
      { type: "button", role: "switch", className, "aria-label": name },
      ...children,
    );
    node.addEventListener("click", () => turn(part));
    buttons.set(part, node);
    return node;
  };
  const headOf = (layer, head) => {
    const part = `layers.${layer}.self_attention.${head}`;
    const node = button(part, "head", `head ${head} of layer ${layer}`, h("i"));
    node.style.setProperty("--dot", `var(--head${head % 4})`);
    for (const kind of ["pointerenter", "focus"])
      node.addEventListener(kind, () => point(layer, head));
    for (const kind of ["pointerleave", "blur"]) node.addEventListener(kind, () => point());
    return node;
  };
  const groups = Array.from({ length: layers }, (_, i) => layers - 1 - i).map((layer) =>
    h(
      "span",
      { className: "group" },
      h("span", {}, `layer ${layer}`),
      ...Array.from({ length: heads }, (_, head) => headOf(layer, head)),
    ),
  );
  const positions = button("positions", "switch", "positions", "positions");
  const inside = h("div", { className: "cuts" }, positions, ...groups);
  const node = h("details", { className: "fold ui" }, h("summary", {}, "Cut parts out"), inside);
  roveAmong(inside, () => [...inside.querySelectorAll("button")]);
  return {
    node,
    has: (part) => buttons.has(part),
    show(off) {
      node.open ||= off.length > 0;
      for (const [part, node] of buttons) node.setAttribute("aria-checked", !off.includes(part));
    },
  };
};
