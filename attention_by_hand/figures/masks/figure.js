// Masks: the weights that a mask leaves, and how far each output moves when one word changes.

import { choicesOf } from "../kit/parts/choices.js";
import { h, quoted, token } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { numbersTable } from "../kit/parts/tables.js";
import { lookAt, maskOf } from "./attention.js";
import { rowsOf } from "./rows.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   kinds: any[],
 *   kind: number,
 *   tokens: any[],
 *   x: any[],
 *   length: number,
 *   changed: number,
 *   last: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/**
 * What the mask does, in a sentence: how many outputs notice the changed word, and whether that is
 * a leak.
 */
const verdictOf = (tokens, { changed, moved }) => {
  const noticed = moved.map((far, i) => [far, i]).filter(([far]) => far > 0);
  const early = noticed.filter(([, i]) => i < changed).length;
  const notice = noticed.length === 1 ? "1 output notices" : `${noticed.length} outputs notice`;
  const comes = early === 1 ? "1 comes" : `${early} come`;
  const leak = early ? ` A leak: ${comes} before it.` : " None of them comes before it.";
  const text = [
    `Word ${changed}, `,
    token(tokens[changed]),
    `, is turned round: ${notice}.${noticed.length ? leak : ""}`,
  ];
  return { text, notice, early };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say, numbers } = base;
    const at = getter(model);
    const tokens = at("tokens");
    const x = at("x");
    const kinds = choicesOf("mask", at("kinds"), (kind) => put(model, { kind }));
    const rows = rowsOf(tokens, {
      pad: (i) => put(model, { length: i < at("length") ? Math.max(1, i) : i + 1 }),
      turn: (i) => put(model, { changed: i }),
    });
    const key = h(
      "p",
      { className: "note legend" },
      h("span", {}, "× forbidden"),
      h("span", {}, h("i", { className: "free" }), "without a mask"),
      h("span", {}, h("i", { className: "dot" }), "with this one"),
    );
    const verdict = h("p", { className: "title verdict" });
    body.classList.add("masks");
    body.append(kinds.node, rows.node, key, verdict);
    const weightsTable = numbersTable("weights after the mask", tokens, tokens);
    const movesTable = numbersTable("how far each output moves", tokens, ["moves by"]);
    numbers.append(weightsTable.node, movesTable.node);
    const write = ({ texts }, values) =>
      values.forEach((value, i) => {
        texts[i].data = value.toFixed(6);
      });

    const update = () => {
      const kind = at("kinds")[at("kind")];
      const length = at("length");
      const changed = at("changed");
      const allowed = maskOf(kind, length);
      const { weights, moved } = lookAt(x, changed, allowed);
      const [free, ...masked] = at("kinds").map(
        (one) => lookAt(x, changed, maskOf(one, length)).moved,
      );
      const others = [free, ...masked].flatMap((far) => far.filter((_, i) => i !== changed));
      const most = Math.max(1e-9, ...others); // the axis is the same under each mask
      kinds.update(at("kind"));
      rows.update({ length, changed, weights, moved, free, most, allowed });
      write(weightsTable, weights.flat());
      write(movesTable, moved);
      const { text, notice, early } = verdictOf(tokens, { changed, moved });
      verdict.replaceChildren(...text);
      verdict.classList.toggle("leaks", early > 0);
      Object.assign(root.dataset, { kind, length, changed });
      say(
        `mask ${kind}, true length ${length}: ${quoted(tokens[changed])} is turned round, ${notice}` +
          (early ? `, ${early} before it` : ""),
      );
    };
    listen(model, ["kind", "length", "changed"], update);
    update();
    return () => base.dispose();
  },
};

export default figure;
