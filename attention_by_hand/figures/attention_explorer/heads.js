// All heads small. A click opens one large; while a mouse rests on one, it is seen large already.

import { h } from "../kit/parts/dom.js";
import { put } from "../kit/runtime/model.js";
import { rove } from "../kit/parts/rove.js";

/** @import { Model } from "./figure.js" */

const thumbOf = (base, state, layer, head) => {
  const { rows, cols } = state.view.shape;
  const small = h("canvas", { className: "pixels" });
  base.paint(small, state.bytes(layer, head), rows, cols, { most: 255 });
  const longest = Math.max(rows, cols);
  Object.assign(small.style, {
    width: `${(100 * cols) / longest}%`,
    height: `${(100 * rows) / longest}%`,
  });
  const name = `layer ${layer}, head ${head}`;
  const look = { type: "button", role: "radio", "aria-label": name, title: name };
  return Object.assign(h("button", look, small), { layer, head });
};

/** @param {Model} model */
export const headsOf = (base, model, state, { peek }) => {
  const all = "all heads: layer by row, head by column";
  const list = h("div", { className: "heads", role: "radiogroup", "aria-label": all });
  let thumbs = [];
  let stop = null;
  const thumbAt = (event) => event.target.closest?.("[role=radio]");
  list.addEventListener("click", (event) => {
    const thumb = thumbAt(event);
    if (!thumb) return;
    peek(null);
    put(model, { layer: thumb.layer, head: thumb.head });
  });
  list.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") peek(thumbAt(event) ?? null);
  });
  list.addEventListener("pointerleave", () => peek(null));
  const fill = () => {
    const { layers, heads } = state.view.shape;
    const rows = Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => thumbOf(base, state, layer, head)),
    );
    thumbs = rows.flat();
    stop = rove(rows, (layer, head) => put(model, { layer, head }));
    list.style.setProperty("--heads", heads);
    list.replaceChildren(
      h("span"),
      ...rows[0].map((_, head) => h("span", {}, `${head}`)),
      ...rows.flatMap((row, layer) => [h("span", {}, `${layer}`), ...row]),
    );
  };
  const update = () => {
    for (const thumb of thumbs) {
      const on = thumb.layer === model.get("layer") && thumb.head === model.get("head");
      thumb.setAttribute("aria-checked", on);
    }
    stop(model.get("layer"), model.get("head"));
  };
  const title = h(
    "p",
    { className: "title" },
    "All heads",
    h("span", { className: "plain" }, ": layer by row"),
  );
  return { node: h("div", { className: "all" }, title, list), fill, update };
};
