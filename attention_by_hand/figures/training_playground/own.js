// Where the reader writes two pairs of sentences, by typing or with tiles.

import { h } from "../kit/parts/dom.js";
import { problemIn } from "./lesson.js";

const END = "."; // the tile that ends a pair

const lineOf = (name, pair) => {
  const input = h("input", {
    type: "text",
    dir: "auto",
    maxLength: 200,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    "aria-label": `pair ${pair + 1}, ${name}`,
  });
  return { node: h("label", {}, h("span", { "aria-hidden": "true" }, name), input), input };
};

/** Tiles of a word and its translation: `press(read, written)`. */
const tilesOf = (tiles, press) => {
  const buttons = tiles.map(([read, written]) => {
    const button = h("button", { type: "button" }, h("bdi", {}, read), h("small", {}, written));
    button.setAttribute("aria-label", `${read}, ${written}`);
    button.addEventListener("click", () => press(read, written));
    return button;
  });
  return h("div", { className: "tiles", role: "group", "aria-label": "words" }, ...buttons);
};

const buttonOf = (text, act) => {
  const button = h("button", { type: "button" }, text);
  button.addEventListener("click", act);
  return button;
};

/** The four fields, and the pair that the tiles go to: the one that was last in hand. */
const fieldsOf = () => {
  const lines = [0, 1].flatMap((pair) => [lineOf("it reads", pair), lineOf("it writes", pair)]);
  const inputs = lines.map(({ input }) => input);
  const pairs = [0, 1].map((pair) =>
    h("div", { className: "twin" }, lines[2 * pair].node, lines[2 * pair + 1].node),
  );
  const node = h("div", { className: "twins" }, ...pairs);
  let active = 0;
  const hold = (pair) => {
    active = pair;
    pairs.forEach((one, i) => one.classList.toggle("held", i === active));
  };
  inputs.forEach((input, i) => input.addEventListener("focus", () => hold(Math.floor(i / 2))));
  const write = (words) =>
    words.forEach((word, side) => {
      const input = inputs[2 * active + side];
      input.value = `${input.value} ${word}`.trim();
    });
  const show = (texts) =>
    inputs.forEach((input, i) => Object.assign(input, { value: texts[i] ?? "" }));
  hold(0);
  return { node, inputs, hold, write, show, values: () => inputs.map(({ value }) => value.trim()) };
};

/**
 * {node, show(texts, isOwn)}: `teach(lines)` is called with four lines that can be learnt, `giveBack()`
 * where the book's pairs are wanted again, and `say(text)` with what is to be spoken.
 */
export const ownPairsOf = ({ tiles, most }, { teach, giveBack, say }) => {
  const fields = fieldsOf();
  const { inputs, hold } = fields;
  const note = h("p", { className: "problem" });
  const complain = (problem) => {
    note.textContent = problem?.text ?? "";
    inputs.forEach((input, i) => input.setAttribute("aria-invalid", i === problem?.line));
    if (!problem) return;
    inputs[problem.line].focus();
    say(problem.text);
  };
  const press = (read, written) => {
    fields.write([read, written]);
    if (read === END) hold(1);
    complain(null);
  };
  const empty = () => {
    fields.show([]);
    hold(0);
    complain(null);
  };
  const submit = () => {
    const lines = fields.values();
    const problem = problemIn(lines, most);
    complain(problem);
    if (!problem) teach(lines);
  };
  for (const input of inputs) {
    input.addEventListener("keydown", ({ key, isComposing }) => {
      if (key === "Enter" && !isComposing) submit();
    });
    input.addEventListener("input", () => complain(null));
  }
  const back = buttonOf("The first ones again", giveBack);
  const row = h(
    "div",
    { className: "acts" },
    buttonOf("Teach it these", submit),
    buttonOf("Empty the lines", empty),
    back,
  );
  const hint = "Type in any two languages, or press words: each goes into both lines of a pair.";
  const content = h(
    "div",
    {},
    h("p", { className: "note" }, hint),
    fields.node,
    tilesOf(tiles, press),
    row,
    note,
  );
  const summary = h("summary", { className: "ui" }, "Teach it two sentences of your own");
  const node = h("details", { className: "fold own ui" }, summary, content);
  const show = (texts, isOwn) => {
    fields.show(texts);
    complain(null);
    back.hidden = !isOwn;
  };
  return { node, show };
};
