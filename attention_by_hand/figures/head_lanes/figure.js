// The heads of one cross-attention: a card for each with its threads, or, as numbers, a lane for
// each.

import { h, quoted } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { signed } from "../kit/parts/numbers.js";
import { numbersTable } from "../kit/parts/tables.js";
import { listen } from "../kit/runtime/model.js";
import { queryOf } from "./query.js";
import { blocksOf } from "./blocks.js";
import { cardsOf } from "./cards.js";
import { columnsOf } from "./columns.js";
import { dataOf, HEADS } from "./data.js";
import { nextOf } from "./next.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   source_tokens: string[],
 *   decoder_tokens: string[],
 *   tokens: string[],
 *   rivals: string[],
 *   sizes: any,
 *   row: number,
 *   last_row: number,
 *   head_0: boolean,
 *   head_1: boolean,
 *   head_2: boolean,
 *   head_3: boolean,
 *   numbers: boolean,
 *   most: any,
 *   painted: DataView,
 *   parts: DataView,
 *   weights: DataView,
 *   odds: DataView,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/** A table for the menu, of what `value(i, j)` says. */
const filled = (caption, rows, columns, value, digits) => {
  const { node, texts } = numbersTable(caption, rows, columns);
  texts.forEach((text, i) => {
    text.data = signed(value(Math.floor(i / columns.length), i % columns.length), digits);
  });
  return node;
};

const tablesOf = (data) => {
  const row = data.row();
  const ofHeads = data.heads.map((head) => `head ${head}`);
  const told = data.choices.map((choice) => data.odds(choice, row));
  const sums = [...data.heads.map((head) => [head]), data.on(), data.heads].map((some) =>
    data.output(some, row, row + 1),
  );
  return [
    filled(
      "probability of the next word, for each choice of heads",
      data.choices.map((choice, i) => `${data.named(choice)}; rival: ${told[i].rival}`),
      [data.tokens[row], "rival"],
      (i, j) => (j ? told[i].other : told[i].chosen),
      4,
    ),
    filled("weights of the query", data.source, ofHeads, (i, j) => data.weight(j, row, i), 3),
    filled(
      "the output row, part by part",
      sums[0].map((_, i) => `${i}`),
      [...ofHeads, "sum of those on", "with all"],
      (i, j) => sums[j][i],
      3,
    ),
  ];
};

const report = (base, data) => {
  const row = data.row();
  const now = data.odds(data.choice(), row);
  const on = data.heads.map((head) => Number(data.isOn(head))).join("");
  Object.assign(base.root.dataset, { row, on });
  const chosen = `${quoted(data.tokens[row])} ${now.chosen.toFixed(2)}`;
  const rival = `${quoted(now.rival)} ${now.other.toFixed(2)}`;
  base.say(
    `After ${quoted(data.read[row])}, with ${data.named(data.choice())}: ${chosen}, ${rival}`,
  );
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { line: false, redraw: () => update() });
    const data = dataOf(model);
    const query = queryOf(data);
    const next = nextOf(data);
    const cards = cardsOf(data);
    const columns = columnsOf(data);
    const blocks = blocksOf(base, data);
    const join = h(
      "div",
      { className: "join" },
      h("p", {}, "W", h("sup", {}, "O"), " adds up what they found"),
      h("i", { className: "wire" }),
    );
    base.body.className = "body head-lanes";
    base.body.style.cssText = `--heads: ${data.H}; --rows: ${data.T}; --keys: ${data.S}; --choices: ${2 ** data.H}`;

    const update = () => {
      base.body.style.setProperty("--row", data.row());
      for (const part of [query, cards, columns, blocks, next]) part.update();
      base.numbers.replaceChildren(...tablesOf(data));
      report(base, data);
    };
    const arrange = () => {
      const parts = model.get("numbers")
        ? [query.node, blocks.lanes, next.node, blocks.sum]
        : [query.node, columns.node, cards.node, join, next.node];
      base.body.replaceChildren(...parts);
    };
    listen(model, ["row", ...HEADS], update);
    model.on("change:numbers", arrange);
    arrange();
    update();
    return () => base.dispose();
  },
};

export default figure;
