// Beside the picture: the machine, and how the next word is chosen.

import { h } from "../kit/parts/dom.js";
import { getter, put } from "../kit/runtime/model.js";
import { split } from "../kit/shared/words.js";
import { machineOf } from "./machine.js";
import { cutOf, headOf } from "./parts.js";
import { choosingOf } from "./settings.js";
import { changesOf } from "./remarks.js";
import { isIndex } from "./view.js";

/** @import { Model } from "./figure.js" */

const WHOLE = { off: [], beam: 1, temperature: 0 };

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/**
 * `touched()` is called when the reader cuts a part or puts it back, `point(part)` when one is
 * pointed at.
 *
 * @param {Model} model
 */
export const panelOf = (model, view, constants, { touched, point }) => {
  const at = getter(model);
  const machine = machineOf(model, constants, {
    cut(part) {
      const by = cutOf(part, at("off"));
      touched();
      put(model, { off: by ? at("off").filter((one) => one !== by) : [...at("off"), part] });
    },
    point,
  });
  const back = h("button", { type: "button", className: "back ui" }, "put everything back");
  back.addEventListener("click", () => {
    touched();
    put(model, WHOLE);
    machine.focus(); // the button is gone
  });
  const choosing = choosingOf(model, constants);
  return {
    node: h("div", { className: "side" }, machine.node, choosing.node, back),
    /** Takes out of the traits what an address may have, and this machine has not. */
    tidy() {
      const { beams, hottest } = constants;
      const off = [...new Set(at("off"))].filter(machine.has);
      if (off.length < at("off").length) put(model, { off });
      const read = at("source_word");
      put(model, {
        beam: Math.round(clamp(at("beam"), 1, beams)),
        temperature: clamp(at("temperature"), 0, hottest),
        seed: Number.isSafeInteger(at("seed")) ? at("seed") : 0,
        source_word: isIndex(read, split(at("source"))) ? read : -1,
      });
    },
    show() {
      machine.show(at("off"), headOf(view.look));
      choosing.show();
      back.classList.toggle("away", !changesOf(model, constants));
    },
  };
};
