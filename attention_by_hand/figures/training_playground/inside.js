// A look inside the model at one step: what it expects next, where its heads look, how alike its
// vectors are.

import { tint } from "../kit/parts/colour.js";
import { choicesOf } from "../kit/parts/choices.js";
import { h, token } from "../kit/parts/dom.js";
import { dot, signed } from "../kit/parts/numbers.js";
import { rove } from "../kit/parts/rove.js";
import { numbersTable, table } from "../kit/parts/tables.js";
import { likeness, nextWords, vectorsOf } from "./measures.js";

const CAPTIONS = {
  next: "probability of each word (columns) at each place (rows)",
  cross: "cross-attention",
  alone: "attention",
  alike: "cosine of the encoder's vectors",
};
const percent = (value) => (Number.isFinite(value) ? signed(Math.round(100 * value) || 0, 0) : "–");
const turned = (text) =>
  h("span", { className: "col" }, h("span", { className: "turned" }, token(text)));
const plain = (text) => h("span", { className: "plain" }, text);

/** A grid of percentages, and the same numbers as a table. */
const gridOf = (name, rows, cols) => {
  const { node, cells } = table(
    rows.map((word) => token(word)),
    cols.map(turned),
  );
  const texts = cells.map((row) =>
    row.map((cell) => cell.appendChild(document.createTextNode(""))),
  );
  const numbers = numbersTable(CAPTIONS[name], rows, cols);
  const put = (i, j, value) => {
    texts[i][j].data = percent(value);
    cells[i][j].style.background = Number.isFinite(value) ? tint(value) : "";
    numbers.texts[i * cols.length + j].data = Number.isFinite(value) ? value.toFixed(5) : "–";
  };
  /** Fills it with value(i, j). */
  const fill = (value) => {
    cells.forEach((row, i) => row.forEach((_, j) => put(i, j, value(i, j))));
  };
  return { node, cells, numbers: numbers.node, fill };
};

const panelOf = (name, label) => {
  const title = h("p", { className: "title" });
  const place = h("div", { className: "place" });
  const of = { className: `panel ${name}`, tabIndex: 0, "aria-label": label };
  return { node: h("section", of, title, place), title, place };
};

/** A small map for each head of each layer; one is chosen with a click or the arrow keys. */
const headsOf = (paint, choose) => {
  const node = h("div", { className: "maps ui", role: "group", "aria-label": "heads" });
  let buttons = [];
  let stop = (..._place) => {};
  const lay = (layers, heads) => {
    if (buttons.length === layers && buttons[0].length === heads) return;
    buttons = Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => {
        const name = `layer ${layer}, head ${head}`;
        const of = { type: "button", title: name, "aria-label": name };
        const button = h("button", of, h("canvas", { className: "pixels" }));
        button.addEventListener("click", () => choose(layer, head));
        return button;
      }),
    );
    const rows = buttons.map((row, layer) => h("p", {}, plain(`layer ${layer}`), ...row));
    node.replaceChildren(...rows);
    stop = rove(buttons, choose);
  };
  const show = (cross, sentence, chosen) => {
    const [, heads, rows, cols] = cross[0].shape;
    lay(cross.length, heads);
    stop(chosen.layer, chosen.head);
    buttons.forEach((row, layer) =>
      row.forEach((button, head) => {
        const here = layer === chosen.layer && head === chosen.head;
        button.setAttribute("aria-pressed", here);
        const from = (sentence * heads + head) * rows * cols;
        const values = cross[layer].data.slice(from, from + rows * cols);
        paint(button.firstChild, values, rows, cols);
      }),
    );
  };
  return { node, show };
};

/** The grids of a sentence, whose ids are `read` and `written`. */
const gridsOf = (read, written, { sourceWords, targetWords, alone }) => {
  const readWords = read.map((id) => sourceWords[id]);
  const writtenWords = written.map((id) => targetWords[id]);
  const before = writtenWords.slice(0, -1);
  const places = before.map((word, t) => `${word} → ${writtenWords[t + 1]}`); // read → to write
  const grids = {
    next: gridOf("next", places, targetWords),
    cross: alone
      ? gridOf("alone", places, [...readWords, ...before])
      : gridOf("cross", places, readWords),
    alike: alone ? null : gridOf("alike", readWords, readWords),
  };
  grids.next.cells.forEach((row, t) => row[written[t + 1]].classList.add("chosen"));
  return grids;
};

/** Fills the grids with what a model looks like; with no numbers where there is no look yet. */
const fillGrids = (grids, look, { sentence, layer, head }, read, written) => {
  const rows = look && written.map((_, t) => nextWords(look.logits, sentence, t));
  grids.next.fill((t, id) => rows?.[t][id]);

  const map = look?.cross[layer];
  const rowAt = ([, heads, queries, keys], t) => ((sentence * heads + head) * queries + t) * keys;
  grids.cross.fill((t, s) => map?.data[rowAt(map.shape, t) + s]);

  if (!grids.alike) return;
  const vectors = look && vectorsOf(look.memory, sentence, read);
  grids.alike.fill((i, j) => (vectors ? dot(vectors[i], vectors[j]) : NaN));
};

/**
 * The fold: {node, numbers(), update(look, {sentence, layer, head})}. `choose(values)` is told of a
 * sentence, a layer and a head that are clicked.
 */
export const insideOf = (words, paint, choose) => {
  const { sources, targets, sourceWords, alone } = words;
  const texts = sources.map((ids) => ids.map((id) => sourceWords[id]).join(" "));
  const which = choicesOf("sentence", texts, (sentence) => choose({ sentence }));
  const next = panelOf("next", "what comes next");
  const attention = CAPTIONS[alone ? "alone" : "cross"];
  const cross = panelOf("cross", attention);
  const alike = panelOf("alike", "how alike the encoder's vectors are");
  const heads = headsOf(paint, (layer, head) => choose({ layer, head }));
  cross.place.before(heads.node);
  const panels = h("div", { className: "panels" }, next.node, cross.node);
  if (!alone) panels.append(alike.node);
  const content = h("div", {}, which.node, panels);
  const summary = h("summary", { className: "ui" }, "Look inside at this step");
  const node = h("details", { className: "fold inside" }, summary, content);
  which.node.hidden = sources.length < 2;
  content.hidden = true; // what is folded is not to be seen, nor saved
  let last = null;
  node.addEventListener("toggle", () => {
    content.hidden = !node.open;
    if (last) update(...last);
  });
  next.title.append(
    "what comes next ",
    plain("in percent; rows: word read → word to write, which is outlined"),
  );
  let grids = null;

  const lay = (sentence) => {
    grids = { sentence, ...gridsOf(sources[sentence], targets[sentence], words) };
    next.place.replaceChildren(grids.next.node);
    cross.place.replaceChildren(grids.cross.node);
    if (!alone) alike.place.replaceChildren(grids.alike.node);
  };

  const update = (look, chosen) => {
    const { sentence, layer, head } = chosen;
    if (grids?.sentence !== sentence) lay(sentence);
    which.update(sentence);
    cross.title.replaceChildren(
      `${attention} `,
      plain(`layer ${layer}, head ${head}; the same rows`),
    );
    const mean = look?.memory ? percent(likeness(look.memory, sources)) : "–";
    alike.title.replaceChildren(
      "how alike the words are ",
      plain(`cosines in hundredths, on average ${mean}`),
    );
    fillGrids(grids, look, chosen, sources[sentence], targets[sentence]);
    last = [look, chosen];
    if (look && node.open) heads.show(look.cross, sentence, chosen);
  };
  const numbers = () =>
    [grids.next, grids.cross, grids.alike].filter(Boolean).map((grid) => grid.numbers);
  return { node, numbers, update };
};
