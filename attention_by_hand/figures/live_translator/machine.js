// The machine at the side. A press on a part cuts it out, and another puts it back.

import { h } from "../kit/parts/dom.js";
import { roveAmong } from "../kit/parts/rove.js";
import { STACKS, boxesOf, cutOf, labelOf, nameOf } from "./parts.js";

/** @import { Model } from "./figure.js" */

/** A switch for one part, and its name. */
const partOf = (part, className, text, name) => {
  const node = h(
    "button",
    { type: "button", role: "switch", className: `part ${className}` },
    text,
  );
  node.setAttribute("aria-label", name);
  node.title = name;
  node.dataset.part = part;
  return node;
};

/** The towers of encoder and decoder, and below them what can be cut out of both. */
const drawn = (sizes, switches) => {
  const add = (part, className, text) =>
    partOf(part, className, text, nameOf(part, sizes, switches));
  const headsOf = (box) =>
    Array.from({ length: sizes.heads }, (_, head) => {
      const dot = add(`${box}.${head}`, "head", h("i"));
      dot.style.setProperty("--dot", `var(--head${head % 4})`);
      return dot;
    });
  const boxOf = (layer, box) => {
    const part = `${layer}.${box}`;
    const [kind, ...rest] = labelOf(box).split("-");
    const label = add(part, "label", kind);
    label.append(h("span", { className: box === "feed_forward" ? "" : "long" }, `-${rest}`));
    const heads =
      box === "feed_forward" ? [] : [h("div", { className: "heads" }, ...headsOf(part))];
    return h("div", { className: `box ${box}` }, label, ...heads);
  };
  const layerOf = (stack, n) => {
    const layer = `${stack}.${n}`;
    const label = add(layer, "layer-label", `layer ${n}`);
    const boxes = [...boxesOf(stack)].reverse().map((box) => boxOf(layer, box));
    return h("div", { className: "layer" }, label, ...boxes);
  };
  const towerOf = (stack) => {
    const layers = Array.from({ length: sizes.layers }, (_, n) => sizes.layers - 1 - n);
    return h(
      "div",
      { className: `tower ${stack}` },
      ...layers.map((n) => layerOf(stack, n)),
      h("div", { className: "box" }, add("positions", "label", "+ positions")),
      h("div", { className: "box table" }, "embedding"),
      h("span", { className: "foot" }, stack),
    );
  };
  const elsewhere = ["residuals", "scaling", "causal mask"].map((part) =>
    add(part, "extra", switches.find(([name]) => name === part)[1]),
  );
  return {
    towers: h("div", { className: "towers" }, ...STACKS.map(towerOf)),
    extras: h("div", { className: "extras" }, ...elsewhere),
  };
};

/** What a press cuts out, and what the pointer or the focus is on. */
const handle = (node, { cut, point }) => {
  node.addEventListener("click", ({ target }) => {
    const part = target.closest(".part")?.dataset.part;
    if (part) cut(part);
  });
  const over = ({ target }) => point(target.closest?.(".part")?.dataset.part ?? null);
  node.addEventListener("pointerover", (event) => event.pointerType === "mouse" && over(event));
  node.addEventListener("pointerleave", () => point(null));
  node.addEventListener("focusin", over);
  node.addEventListener("focusout", () => point(null));
};

/** @param {Model} model */
export const machineOf = (model, { switches }, { cut, point }) => {
  const { towers, extras } = drawn(model.get("sizes"), switches);
  // A first visit has enough of boxes to cut; what is finer waits, and so do the dots of the heads.
  const summary = h("summary", {}, "Cut finer, heads too");
  const finer = h("details", { className: "fold finer" }, summary, extras);
  const node = h("div", { className: "machine", role: "group" }, towers, finer);
  node.setAttribute("aria-label", "the machine: parts that can be cut out");
  const inOrder = [...node.querySelectorAll(".part")];
  // On a narrow screen one of the two boxes "+ positions" is enough.
  const isThere = (part) => !part.isConnected || part.checkVisibility();
  finer.addEventListener(
    "toggle",
    roveAmong(node, () => inOrder.filter(isThere)),
  );
  handle(node, { cut, point });

  return {
    node,
    /** Shows what is cut out, and whose threads are drawn: the head named `seen`. */
    show(off, seen) {
      const isFine = (part) => part.matches(".head, .extra") && off.includes(part.dataset.part);
      finer.open ||= inOrder.some(isFine);
      for (const part of inOrder) {
        const cutBy = cutOf(part.dataset.part, off);
        part.setAttribute("aria-checked", !cutBy);
        part.classList.toggle("drawn", part.dataset.part === seen);
        part.parentElement.classList.toggle("out", part.matches(".label") && Boolean(cutBy));
      }
      for (const layer of towers.querySelectorAll(".layer")) {
        layer.classList.toggle("out", layer.firstChild.getAttribute("aria-checked") === "false");
      }
    },
    has: (part) =>
      [...switches.map(([name]) => name), ...inOrder.map(({ dataset }) => dataset.part)].includes(
        part,
      ),
    focus: () => inOrder.find((part) => part.tabIndex === 0).focus(),
  };
};
