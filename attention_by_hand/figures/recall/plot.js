// The plot: a line for each model, named at its end, up to as many letters as there are to be
// remembered.

import { chart } from "../kit/parts/charts.js";
import { svgNode } from "../kit/parts/dom.js";

const KINDS = ["vector", "attention"];
const HEIGHT = 230;
const NAMES = 76; // the room that a line's name takes behind its end, in pixels
export const percent = (share) => `${(100 * share).toFixed(0)}\u00a0%`;

const text = (x, y, words, attributes = {}) => svgNode("text", { x, y, ...attributes }, words);

/** What does not change: how far the models were trained, and what guessing gives. */
const marks = (lines, { lengths, trained, guess }) => {
  const edge = lines.px(trained + 0.5);
  const level = lines.py(guess);
  const left = lines.px(lengths[0] - 0.5);
  const right = lines.px(lengths.at(-1) + 0.5);
  return [
    svgNode("line", { x1: edge, x2: edge, y1: lines.py(1.14), y2: lines.py(0), class: "axis" }),
    text(edge - 5, 14, `trained on up to ${trained}`, { "text-anchor": "end" }),
    svgNode("line", { x1: left, x2: right, y1: level, y2: level, class: "cursor" }),
    text(left + 4, level - 4, `guessing: ${percent(guess)}`),
    text(lines.px(lengths.at(-1)) + 30, HEIGHT - 10, "letters"),
    text(0, 14, "% right"),
  ];
};

/**
 * A model's line, the dots of its seeds, and its name: `to(n)` draws it up to the length at index
 * n.
 */
const lineOf = (lines, kind, name, { lengths, means, shares }) => {
  const path = svgNode("path", { class: `line ${kind}` });
  const end = svgNode("circle", { class: `mark solid ${kind}`, r: 6 });
  const value = svgNode("tspan", { dy: 15 });
  const label = svgNode("text", { class: `name ${kind}` }, svgNode("tspan", {}, name), value);
  const dots = means.map((mean, j) => {
    const place = { class: `mark ${kind}`, cx: lines.px(lengths[j]) };
    const seeds = shares[j].map((share) =>
      svgNode("circle", { ...place, r: 2.5, cy: lines.py(share) }),
    );
    const middle = svgNode("circle", {
      ...place,
      class: `mark solid ${kind}`,
      r: 3,
      cy: lines.py(mean),
    });
    return svgNode("g", {}, ...seeds, middle);
  });
  const to = (n, highest, known) => {
    const corners = means.slice(0, n + 1).map((mean, j) => [lines.px(lengths[j]), lines.py(mean)]);
    const [x, y] = corners.at(-1);
    path.setAttribute("d", `M${corners.map((corner) => corner.join(" ")).join("L")}`);
    dots.forEach((group, j) => group.setAttribute("visibility", j <= n ? "visible" : "hidden"));
    end.setAttribute("cx", x);
    end.setAttribute("cy", y);
    const top = Math.max(y, highest);
    label.setAttribute("y", top);
    for (const part of label.children) part.setAttribute("x", x + 12);
    value.textContent = known ? percent(means[n]) : "?";
    return top + 34; // where the next name may stand
  };
  return { node: svgNode("g", {}, path, ...dots, end, label), to };
};

/** The number of letters, on the axis, as something to take hold of. */
const gripOf = (lines) => {
  const line = svgNode("line", { y1: lines.py(1.1), y2: lines.py(0), class: "hold" });
  const box = svgNode("rect", { y: HEIGHT - 26, width: 48, height: 24, rx: 12, class: "hold" });
  const number = text(0, HEIGHT - 10, "", { class: "hold", "text-anchor": "middle" });
  const to = (length) => {
    const x = lines.px(length);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    box.setAttribute("x", x - 24);
    lines.makeRoom(x, 48);
    number.setAttribute("x", x);
    number.textContent = `◂ ${length} ▸`;
  };
  return { nodes: [line, box, number], to };
};

/** The share of a round in which all these marks were given. */
const shareOf = (marks) => marks.filter((mark) => mark === "right").length / marks.length;

/** The reader's rounds as dots that stay; the last one is named where its length is the chosen. */
const roundsOf = (lines) => {
  const dots = svgNode("g", {});
  const name = svgNode("text", { class: "reader", "text-anchor": "end" }, "you");
  const to = (rounds, length) => {
    rounds.slice(dots.children.length).forEach(({ marks }) => {
      const place = { cx: lines.px(marks.length), cy: lines.py(shareOf(marks)), r: 6 };
      dots.append(svgNode("circle", { ...place, class: "reader" }));
    });
    const { marks = [] } = rounds.at(-1) ?? {};
    name.toggleAttribute("hidden", marks.length !== length);
    if (marks.length !== length) return;
    const y = lines.py(shareOf(marks));
    name.setAttribute("x", lines.px(length) + 8); // the models' names begin a little further
    // Below the dot where it is high, and over what stands along the foot where it is low
    name.setAttribute("y", y < lines.py(0.8) ? y + 21 : Math.min(y - 11, lines.py(0.17)));
  };
  return { nodes: [dots, name], to };
};

/**
 * The plot of what was measured, `width` pixels wide. `update(length, ends, rounds)` draws each
 * model's line up to the index in `ends`, and the reader's rounds; where an end is short of the
 * length, its share is not said.
 */
export const plotOf = (measured, models, width) => {
  const { lengths, means, shares } = measured;
  const room = ((lengths.length + 0.5) * NAMES) / (width - 44 - NAMES); // in letters
  const lines = chart({
    label: "share of letters written right, by how many letters there are",
    x: [lengths[0] - 0.5, lengths.at(-1) + 0.5 + room],
    y: [0, 1.14],
    yTicks: [0, 0.25, 0.5, 0.75, 1],
    yText: (share) => `${100 * share}`,
    xTicks: lengths.filter((length) => length % 4 === 0),
    height: HEIGHT,
    width,
  });
  lines.node.classList.add("recall");
  const drawn = models.map((name, i) =>
    lineOf(lines, KINDS[i], name, { lengths, means: means[i], shares: shares[i] }),
  );
  const grip = gripOf(lines);
  const reader = roundsOf(lines);
  const curves = drawn.map(({ node }) => node);
  lines.node.append(...marks(lines, measured), ...grip.nodes, ...curves, ...reader.nodes);
  const lengthAt = (x) => Math.round((x - lines.px(0)) / (lines.px(1) - lines.px(0)));
  const update = (length, ends, rounds) => {
    const last = lengths.indexOf(length);
    grip.to(length);
    reader.to(rounds, length);
    // Attention is above the other, or they are one: its name comes first
    const below = drawn[1].to(ends[1], lines.py(1), ends[1] === last);
    drawn[0].to(ends[0], ends[0] === ends[1] ? below : lines.py(0.87), ends[0] === last);
  };
  return { node: lines.node, px: lines.px, py: lines.py, lengthAt, update };
};
