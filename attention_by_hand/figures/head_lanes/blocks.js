// The numbers themselves: X, a lane for each head, the strips side by side, and the output as a sum
// of the heads' parts.

import { h, token } from "../kit/parts/dom.js";

const coloured = (node, head) => {
  node.style.setProperty("--own", `var(--head${head})`);
  return node;
};
const step = (...text) => h("p", { className: "step" }, "↓ ", ...text);
const name = (text) => h("p", { className: "title-of" }, text);

/** Makes painted blocks, and remembers whose head each is and how to paint it. */
const painterOf = (base, data) => {
  const blocks = [];
  const add = (values, columns, most, { head = null, sign = true } = {}) => {
    const canvas = h("canvas", { className: "pixels" });
    const block = {
      canvas,
      values,
      columns,
      most,
      head,
      sign,
      node: h("div", { className: "block" }, canvas),
    };
    if (head !== null) coloured(block.node, head);
    blocks.push(block);
    return block.node;
  };
  const paint = () => {
    for (const { canvas, values, columns, most, head, sign, node } of blocks) {
      const off = head !== null && !data.isOn(head);
      const numbers = off ? values().fill(0) : values();
      base.paint(canvas, numbers, numbers.length / columns, columns, { most, signed: sign || off });
      node.classList.toggle("off", off);
    }
  };
  return { add, paint };
};

/** A block of a row for each English word, in which a click chooses the row. */
const rowsOf = (painter, data) => (values, columns, most, label, options) => {
  const node = painter.add(values, columns, most, options);
  node.append(h("i"));
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", label);
  node.addEventListener("click", ({ clientY }) => {
    const { top, height } = node.getBoundingClientRect();
    data.ask(Math.floor((data.T * (clientY - top)) / height));
  });
  return node;
};

/** A switch for each head at the top of its lane. */
const switchesOf = (data) => {
  const nodes = data.heads.map((head) => {
    const node = h(
      "button",
      { type: "button", className: "head", role: "switch", "aria-label": `head ${head}` },
      h("i"),
      `head ${head}`,
    );
    node.addEventListener("click", () => data.cut(head));
    return coloured(node, head);
  });
  const update = () => {
    nodes.forEach((node, head) => node.setAttribute("aria-checked", data.isOn(head)));
  };
  return { nodes, update };
};

/** The German words under a map. */
const keysOf = (data) =>
  h(
    "div",
    { className: "keys", "aria-hidden": "true" },
    ...data.source.map((word) => h("span", {}, h("span", { className: "turned" }, token(word)))),
  );

const lanesOf = (data, rows, switches) => {
  const { T, D, S, d, most, heads } = data;
  const words = data.read.map((word) => token(word));
  const each = (stage, label) =>
    heads.map((head) =>
      rows(() => data.stage(stage, head), d, most[stage], `head ${head}: ${label}`, { head }),
    );
  const maps = heads.map((head) => {
    const values = () =>
      Array.from({ length: T * S }, (_, i) => data.weight(head, Math.floor(i / S), i % S));
    const map = rows(values, S, 1, `head ${head}: its map, ${T} rows by ${S}`, {
      head,
      sign: false,
    });
    map.classList.add("map");
    return h("div", {}, map, keysOf(data));
  });
  const whole = (node) => {
    node.classList.add("whole");
    return node;
  };
  const largest = Math.max(...data.output(heads).map(Math.abs));
  const node = h(
    "div",
    { className: "lanes" },
    name("X"),
    whole(rows(() => data.stage("x"), D, most.x, `X: ${T} rows of ${D} numbers`)),
    step("a projection for each head"),
    name(""),
    ...switches.nodes,
    name("queries"),
    ...each("queries", `${T} queries`),
    step("compared with the German keys"),
    h("div", { className: "rows" }, ...words),
    ...maps,
    step("times the German values"),
    name("strips"),
    ...each("strips", "its strip"),
    step("side by side"),
    name("joined"),
    h("div", { className: "whole joined" }, ...each("strips", "its strip, joined")),
    step("times W", h("sup", {}, "O")),
    name("output"),
    whole(rows(() => data.output(data.on()), D, largest, `the output: ${T} rows of ${D} numbers`)),
  );
  const update = () => words.forEach((word, i) => word.classList.toggle("on", i === data.row()));
  return { node, update };
};

/** The chosen row of the output, part by part. */
const sumOf = (data, painter) => {
  const summed = token("");
  const row = (some) => data.output(some, data.row(), data.row() + 1);
  const addend = (text, some, options = {}) =>
    h(
      "div",
      { className: "addend" },
      h("span", {}, text),
      painter.add(() => row(some()), data.D, data.most.parts, options),
    );
  const parts = data.heads.map((head) =>
    coloured(
      addend(`${head ? "+ " : ""}head ${head}`, () => [head], { head }),
      head,
    ),
  );
  const total = addend("= output", data.on);
  total.classList.add("total");
  const title = h("p", { className: "title" }, "The output row of ", summed, " is a sum");
  const node = h(
    "div",
    { className: "sum" },
    title,
    ...parts,
    total,
    addend("with all", () => data.heads),
  );
  const update = () => {
    const word = data.read[data.row()];
    Object.assign(summed, { textContent: word, title: word });
  };
  return { node, update };
};

export const blocksOf = (base, data) => {
  const painter = painterOf(base, data);
  const switches = switchesOf(data);
  const lanes = lanesOf(data, rowsOf(painter, data), switches);
  const sum = sumOf(data, painter);
  return {
    lanes: lanes.node,
    sum: sum.node,
    update() {
      for (const part of [switches, lanes, sum]) part.update();
      painter.paint();
    },
  };
};
