// Heads in lanes: X, a lane for each head, the strips side by side, and the output as a sum of the heads' parts.

import { chart } from "../kit/charts.js";
import { tint } from "../kit/colour.js";
import { h, quoted, svgNode, token } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { signed } from "../kit/numbers.js";
import { numbersTable, table } from "../kit/tables.js";

const STAGES = ["x", "queries", "strips"];

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => paintAll() });
    const { root, body } = base;
    const at = (trait) => model.get(trait);
    const [source, read, tokens, most] = ["source_tokens", "decoder_tokens", "tokens", "most"].map(
      at,
    );
    const { n_heads: H, d_model: D } = at("sizes");
    const [T, S, d] = [read.length, source.length, D / H];
    const heads = Array.from({ length: H }, (_, head) => head);
    const isOn = (head) => at(`head_${head}`);

    // ---- What the traits hold

    /** The columns of a stage that belong to one head, or all of them, row after row. */
    const stage = (name, head = null) => {
      const [first, width] = head === null ? [0, D] : [head * d, d];
      const start = STAGES.indexOf(name) * T * D;
      return Array.from({ length: T * width }, (_, i) => {
        const place = Math.floor(i / width) * D + first + (i % width);
        return (at("painted").getInt8(start + place) / 127) * most[name];
      });
    };
    const map = (head) =>
      Array.from({ length: T * S }, (_, i) => at("weights").getUint8(head * T * S + i) / 255);
    const maps = heads.map(map);
    const parts = heads.map((head) =>
      Array.from(
        { length: T * D },
        (_, i) => (at("parts").getInt16(2 * (head * T * D + i), true) / 32767) * most.parts,
      ),
    );
    /** What the translator then says with this choice of heads: the word of all heads, and its likeliest rival. */
    const odds = (choice, row) => {
      const [chosen, rival, other] = [0, 1, 2].map((i) =>
        at("odds").getUint16(2 * ((choice * T + row) * 3 + i), true),
      );
      return { chosen: chosen / 65535, rival: at("rivals")[rival], other: other / 65535 };
    };
    // All choices, from all heads to none.
    const size = (choice) => heads.filter((head) => (choice >> head) & 1).length;
    const choices = Array.from({ length: 2 ** H }, (_, choice) => choice).sort(
      (a, b) => size(b) - size(a) || a - b,
    );
    const named = (choice) => {
      const on = heads.filter((head) => (choice >> head) & 1);
      return on.length ? `${on.length > 1 ? "heads" : "head"} ${on.join(", ")}` : "no head";
    };

    // ---- The lanes

    const blocks = []; // [canvas, values, columns, the largest value, whether signed]
    const block = (values, columns, largest, { kind = "", label, sign = true } = {}) => {
      const canvas = h("canvas", { className: "pixels" });
      blocks.push([canvas, values, columns, largest, sign]);
      const node = h(
        "div",
        { className: `block ${kind}`, role: "img", "aria-label": label },
        canvas,
        h("i"),
      );
      node.addEventListener("click", ({ clientY }) => {
        const { top, height } = canvas.getBoundingClientRect();
        put(model, {
          row: Math.max(0, Math.min(T - 1, Math.floor((T * (clientY - top)) / height))),
        });
      });
      return node;
    };
    const coloured = (node, head) => {
      node.style.setProperty("--own", `var(--head${head})`);
      return node;
    };
    const step = (...text) => h("p", { className: "step" }, "↓ ", ...text);
    const name = (text) => h("p", { className: "name" }, text);
    const lanes = (make) => heads.map((head) => coloured(make(head), head));
    const words = read.map((word) => token(word));
    const sides = lanes((head) =>
      block(() => (isOn(head) ? stage("strips", head) : Array(T * d).fill(0)), d, most.strips),
    );
    const output = () =>
      parts[0].map((_, i) =>
        heads.reduce((sum, head) => sum + (isOn(head) ? parts[head][i] : 0), 0),
      );
    const largest = Math.max(
      ...parts[0].map((_, i) => Math.abs(parts.reduce((sum, part) => sum + part[i], 0))),
    );
    const drawn = h(
      "div",
      { className: "lanes" },
      name("X"),
      block(() => stage("x"), D, most.x, { kind: "whole", label: `X: ${T} rows of ${D} numbers` }),
      step("a projection for each head"),
      name("head"),
      ...lanes((head) => h("p", { className: "head" }, `${head}`)),
      name("queries"),
      ...lanes((head) =>
        block(() => stage("queries", head), d, most.queries, {
          label: `head ${head}: ${T} queries`,
        }),
      ),
      step("compared with the German keys"),
      h("div", { className: "words" }, ...words),
      ...lanes((head) =>
        block(() => maps[head], S, 1, {
          kind: "map",
          sign: false,
          label: `head ${head}: its map, ${T} rows by ${S}`,
        }),
      ),
      step("times the German values"),
      name("strips"),
      ...lanes((head) =>
        block(() => stage("strips", head), d, most.strips, { label: `head ${head}: its strip` }),
      ),
      step("side by side"),
      name("joined"),
      h("div", { className: "whole joined" }, ...sides),
      step("times W", h("sup", {}, "O")),
      name("output"),
      block(output, D, largest, { kind: "whole", label: `the output: ${T} rows of ${D} numbers` }),
    );

    // ---- What the chosen row looks at, and what is then written

    const asked = token("");
    const looks = table(
      source.map((word) => token(word)),
      heads.map((head) => coloured(h("span", { className: "head" }, `${head}`), head)),
      { className: "looks" },
    );
    const bars = [0, 1].map(() => {
      const [word, bar, value] = [h("bdi", { className: "token", dir: "auto" }), h("i"), h("b")];
      return { word, bar, value, node: h("li", {}, word, h("span", {}, bar), value) };
    });
    const all = chart({
      label: "its probability for each choice of heads",
      x: [0, choices.length],
      y: [0, 1],
      yTicks: [0, 0.5, 1],
      height: 110,
    });
    const wide = all.px(1) - all.px(0);
    const spot = (head) => 118 + 12 * head;
    all.node.setAttribute("viewBox", `0 0 320 ${spot(H)}`);
    const columns = choices.map((choice, i) => {
      const left = all.px(i);
      const dots = heads.map((head) => {
        const shape = { cx: left + wide / 2, cy: spot(head), r: 3.6 };
        return svgNode("circle", {
          ...shape,
          class: (choice >> head) & 1 ? `on head${head}` : "off",
        });
      });
      const ground = svgNode("rect", {
        x: left,
        y: 0,
        width: wide,
        height: spot(H),
        class: "ground",
      });
      const bar = svgNode("rect", { x: left + 0.18 * wide, width: 0.64 * wide });
      const node = svgNode("g", { class: "choice" }, ground, bar, ...dots);
      node.addEventListener("click", () => {
        put(
          model,
          Object.fromEntries(heads.map((head) => [`head_${head}`, Boolean((choice >> head) & 1)])),
        );
      });
      return { node, bar };
    });
    all.node.append(
      ...columns.map(({ node }) => node),
      ...heads.map((head) =>
        svgNode("text", { x: 29, y: spot(head) + 4, "text-anchor": "end" }, `${head}`),
      ),
    );
    const [next, chosen] = [h("p", { className: "title next" }), token("")];
    const side = h(
      "div",
      { className: "side" },
      h("p", { className: "title" }, "Where ", asked, " looks, head by head"),
      looks.node,
      h("p", { className: "title" }, "Probability of ", chosen),
      all.node,
      h(
        "p",
        { className: "note" },
        "Each column is a choice of heads; a full dot is a head that is on. An empty bar: another word is likelier.",
      ),
    );

    // ---- The chosen row of the output, as a sum

    const partOf = (head) => parts[head].slice(at("row") * D, (at("row") + 1) * D);
    const sumOf = (some) =>
      Array.from({ length: D }, (_, i) => some.reduce((sum, head) => sum + partOf(head)[i], 0));
    const addend = (text, make, kind = "") => {
      const canvas = h("canvas", { className: "pixels" });
      blocks.push([canvas, make, D, most.parts, true]);
      return h(
        "div",
        { className: `addend ${kind}` },
        h("span", {}, text),
        h("div", { className: "block" }, canvas),
      );
    };
    const addends = lanes((head) =>
      addend(`${head ? "+ " : ""}head ${head}`, () =>
        isOn(head) ? partOf(head) : Array(D).fill(0),
      ),
    );
    const summed = token("");
    const sum = h(
      "div",
      { className: "sum" },
      h("p", { className: "title" }, "The output row of ", summed, " is a sum"),
      ...addends,
      addend("= output", () => sumOf(heads.filter(isOn)), "total"),
      addend("with all", () => sumOf(heads)),
    );
    body.className = "body head-lanes";
    body.style.cssText = `--heads: ${H}; --rows: ${T}`;
    const written = h("ul", { className: "bars" }, ...bars.map(({ node }) => node));
    body.append(h("div", { className: "work" }, next, written), drawn, side, sum);

    // ---- The numbers

    const ofHeads = heads.map((head) => `head ${head}`);
    const weightsTable = numbersTable("weights of the query", source, ofHeads);
    const sumTable = numbersTable(
      "the output row, part by part",
      Array.from({ length: D }, (_, i) => `${i}`),
      [...ofHeads, "sum of those on", "with all"],
    );
    base.numbers.append(weightsTable.node, sumTable.node);

    const paintAll = () => {
      for (const [canvas, values, cols, mostHere, sign] of blocks) {
        const found = values();
        base.paint(canvas, found, found.length / cols, cols, { most: mostHere, signed: sign });
      }
    };
    const update = () => {
      const row = at("row");
      const choice = heads.reduce((bits, head) => bits + (isOn(head) ? 2 ** head : 0), 0);
      body.style.setProperty("--row", row);
      paintAll();
      heads.forEach((head) => {
        sides[head].classList.toggle("off", !isOn(head));
        addends[head].classList.toggle("off", !isOn(head));
        sides[head].setAttribute(
          "aria-label",
          `head ${head}: ${isOn(head) ? "its strip" : "off, zeros"}`,
        );
      });
      words.forEach((word, i) => word.classList.toggle("on", i === row));
      for (const node of [asked, summed])
        Object.assign(node, { textContent: read[row], title: read[row] });
      Object.assign(chosen, { textContent: tokens[row], title: tokens[row] });
      source.forEach((_, key) =>
        heads.forEach((head) => {
          const weight = maps[head][row * S + key];
          looks.cells[key][head].textContent = weight.toFixed(2);
          looks.cells[key][head].style.background = tint(weight);
          weightsTable.texts[key * H + head].data = weight.toFixed(3);
        }),
      );

      const now = odds(choice, row);
      next.textContent = `Written next, with ${named(choice)}`;
      [
        [tokens[row], now.chosen],
        [now.rival, now.other],
      ].forEach(([word, probability], i) => {
        Object.assign(bars[i].word, { textContent: word, title: word });
        bars[i].bar.style.width = `${100 * probability}%`;
        bars[i].value.textContent = probability.toFixed(2);
        bars[i].node.classList.toggle("likeliest", probability === Math.max(now.chosen, now.other));
      });
      const told = choices.map((each) => odds(each, row));
      columns.forEach(({ node, bar }, i) => {
        const top = all.py(told[i].chosen);
        bar.setAttribute("y", top);
        bar.setAttribute("height", Math.max(0.5, all.py(0) - top));
        node.setAttribute("class", `choice ${told[i].chosen > told[i].other ? "wins" : "loses"}`);
        node.classList.toggle("now", choices[i] === choice);
      });

      const sums = [sumOf(heads.filter(isOn)), sumOf(heads)];
      const every = [...heads.map(partOf), ...sums];
      sumTable.texts.forEach((text, i) => {
        text.data = signed(every[i % every.length][Math.floor(i / every.length)], 3);
      });
      const oddsTable = numbersTable(
        "probability of the next word, for each choice of heads",
        choices.map((each, i) => `${named(each)}; rival: ${told[i].rival}`),
        [tokens[row], "rival"],
      );
      oddsTable.texts.forEach((text, i) => {
        text.data = told[i >> 1][i % 2 ? "other" : "chosen"].toFixed(4);
      });
      base.numbers.querySelector(".odds")?.remove();
      oddsTable.node.classList.add("odds");
      base.numbers.prepend(oddsTable.node);

      Object.assign(root.dataset, { row, on: heads.map((head) => Number(isOn(head))).join("") });
      const rival = `${quoted(now.rival)} ${now.other.toFixed(2)}`;
      base.say(
        `After ${quoted(read[row])}, with ${named(choice)}: ${quoted(tokens[row])} ${now.chosen.toFixed(2)}, ${rival}`,
      );
    };
    for (const trait of ["row", ...heads.map((head) => `head_${head}`)])
      model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
