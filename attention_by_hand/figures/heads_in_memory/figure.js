// Heads in memory: the blocks of a sentence's numbers, and which head is given which.

import { atWidth } from "../kit/parts/charts.js";
import { choicesOf } from "../kit/parts/choices.js";
import { h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { getter, listen, put } from "../kit/runtime/model.js";
import { untilGuessed } from "../kit/shared/guess.js";
import { signed } from "../kit/parts/numbers.js";
import { numbersTable } from "../kit/parts/tables.js";
import { boardsOf } from "./boards.js";
import { comparedOf } from "./compared.js";
import { memoryOf } from "./memory.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   steps: any[],
 *   step: number,
 *   numbers: DataView,
 *   most: number,
 *   n_tokens: number,
 *   n_heads: number,
 *   d_model: number,
 *   head: number,
 *   token: number,
 *   last_head: number,
 *   last_token: number,
 *   prediction: string,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/** The code of the step, the shape that torch gives it, and where the chosen block is read. */
const codeOf = ({ d }) => {
  const code = h("p", { className: "title" });
  const facts = h("p", { className: "terms" });
  const list = h("p", { className: "terms" });
  const nameOf = (step, head, token) => {
    if (step === "projected") return `y[${token}, ${head * d}:${(head + 1) * d}]`;
    return step === "view" ? `[${token}, ${head}]` : `[${head}, ${token}]`;
  };
  const update = (layout, { step, head, token, offset }) => {
    const { shape, strides, copied } = layout;
    code.textContent = layout.code;
    const sizes = `shape (${shape.join(", ")}), strides (${strides.join(", ")})`;
    facts.textContent = `${sizes}${copied ? ", new memory" : ", same memory"}`;
    const places = `places ${offset} to ${offset + d - 1}`;
    list.replaceChildren(h("b", {}, nameOf(step, head, token)), ` is ${places}`);
    return places;
  };
  return { node: h("div", { className: "work" }, code, facts, list), update };
};

/**
 * Whether the heads are given what belongs to them: where a question asks that, not before its
 * answer.
 */
const verdictOf = ({ T, H, d }, answer) => {
  const text = h("p", { className: "title" });
  const node = h("div", { className: "verdict" }, text, answer.button);
  const update = (agree, head) => {
    const all = T * H;
    const isKnown = agree === all || answer.known();
    const share = ((100 * agree) / all).toFixed(2);
    const reads = `Head ${head} reads ${T} blocks in a row.`;
    answer.button.hidden = isKnown;
    node.classList.toggle("leaks", agree < all);
    if (agree === all)
      text.textContent = `Head ${head} has numbers ${head * d} to ${(head + 1) * d - 1} of every token.`;
    else if (isKnown)
      text.textContent = `${agree} of ${all} blocks (${share}\u00a0%) are where they belong (■). ${reads}`;
    else text.textContent = `${reads} How many are where they belong?`;
    return isKnown;
  };
  return { node, update };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say, constants } = base;
    const at = getter(model);
    const sizes = { tokens: at("n_tokens"), heads: at("n_heads"), width: at("d_model") };
    const memory = memoryOf({ stored: at("numbers"), most: at("most"), ...sizes });
    const { T, H, D, d, first } = memory;
    const steps = choicesOf("step", at("steps"), (step) => put(model, { step }));
    const code = codeOf(memory);
    const boards = boardsOf(memory, root, (values) => put(model, values));
    const answer = untilGuessed(base, model, () => update());
    const verdict = verdictOf(memory, answer);
    const same = memory.agreeing(constants["wrong view"]);
    const compared = comparedOf(base, model, same, T * H);
    body.classList.add("heads-in-memory");
    body.append(steps.node, code.node, boards.node, verdict.node, compared.node);
    const slice = numbersTable(
      "the numbers of the chosen head and token",
      Array.from({ length: d }, (_, k) => `${k}`),
      ["offset", "read", "should be"],
    );
    base.numbers.append(slice.node);

    const update = () => {
      const step = at("steps")[at("step")];
      const [head, token] = [at("head"), at("token")];
      const layout = constants[step];
      const numbers = memory.inMemory(layout);
      const offset = memory.offsetOf(layout, head, token);
      const read = Array.from({ length: d }, (_, k) => numbers[offset + k]);
      const agree = memory.agreeing(layout);
      steps.update(at("step"));
      const places = code.update(layout, { step, head, token, offset });
      const isKnown = verdict.update(agree, head);
      boards.update(layout, { head, token, isTold: isKnown && agree < T * H });
      read.forEach((value, k) => {
        slice.texts[3 * k].data = `${offset + k}`;
        slice.texts[3 * k + 1].data = signed(value);
        slice.texts[3 * k + 2].data = signed(first[token * D + head * d + k]);
      });
      compared.update();
      Object.assign(root.dataset, { step, head, token, offset, agree: isKnown ? agree : "?" });
      say(`${step}, head ${head}, token ${token}: ${places}`);
    };
    listen(model, ["step", "head", "token"], update);
    atWidth(base, body, { least: 260, most: 440 }, (width) => {
      compared.fit(width);
      update();
    });
    return () => base.dispose();
  },
};

export default figure;
