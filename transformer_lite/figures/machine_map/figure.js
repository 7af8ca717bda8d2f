// The map of the machine: two towers, a vector in each box, one box opened beside them.

import { tint } from "../kit/colour.js";
import { chapterLink, h, quoted, svgNode, token, widthOf } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { signed, softmax } from "../kit/numbers.js";
import { heading, numbersTable, table } from "../kit/tables.js";

const MOST = 3; // a vector's colours are full at ±3
const SHOWN = 4; // candidates for the next word
const TOWERS = { encoder: "source", decoder: "target" };

/** A word that fits into so many pixels, cut by an ellipsis. */
const fitting = (text, room) => {
  if (widthOf(text) <= room) return text;
  const letters = [...text];
  while (letters.length && widthOf(`${letters.join("")}…`) > room) letters.pop();
  return `${letters.join("")}…`;
};

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => update() });
    const { root, body, constants } = base;
    const at = (trait) => model.get(trait);
    const { boxes, width, height, box: boxWidth, frames, wires } = constants;
    const [source, read, vocabulary] = ["source_tokens", "decoder_tokens", "vocabulary"].map(at);
    const { heads, d_model: size } = at("sizes");
    const layers = at("last_layer") + 1;
    const bytes = at("numbers"); // all whole parts, then all 256ths
    const amount = bytes.byteLength / 2;
    const number = (i) => bytes.getInt8(i) + bytes.getUint8(amount + i) / 256;

    // ---- What the traits hold

    const words = { source, target: read };
    const chosenWord = (side) => at(side === "source" ? "source_word" : "decoder_word");
    const columns = (stage) =>
      stage === "scores" || stage === "softmax" ? vocabulary.length : size;
    const vector = (stage, word) => {
      if (stage === "softmax") return softmax(vector("scores", word));
      const start = at("stages")[stage] + word * columns(stage);
      return Array.from({ length: columns(stage) }, (_, i) => number(start + i));
    };
    const shapes = {
      encoder: [source.length, source.length],
      decoder: [read.length, read.length],
      cross: [read.length, source.length],
    };
    const mapOf = {
      "encoder self-attention": "encoder",
      "masked self-attention": "decoder",
      "cross-attention": "cross",
    };
    /** The weights of one query, a list for each head. */
    const weightsOf = (kind, layer, query) => {
      let start = 0;
      for (const [name, [rows, cols]] of Object.entries(shapes)) {
        if (name === kind) break;
        start += layers * heads * rows * cols;
      }
      const [rows, cols] = shapes[kind];
      const { buffer, byteOffset } = at("weights");
      return Array.from({ length: heads }, (_, head) => {
        const first = start + ((layer * heads + head) * rows + query) * cols;
        return Array.from(new Uint8Array(buffer, byteOffset + first, cols), (v) => v / 255);
      });
    };
    const nextWords = (word) => {
      const probabilities = vector("softmax", word);
      const order = probabilities
        .map((_, i) => i)
        .sort((a, b) => probabilities[b] - probabilities[a] || a - b);
      return order.slice(0, SHOWN).map((i) => [vocabulary[i], probabilities[i]]);
    };

    // ---- The towers

    const pen = (kind, d) => svgNode("path", { d, class: `wire ${kind}` });
    const tag = (x, y, text, more = {}) => svgNode("text", { x, y, class: "tag", ...more }, text);
    const frameNodes = frames.map(([x, y, w, hh]) => {
      return svgNode("rect", { x, y, width: w, height: hh, rx: 6, class: "layer" });
    });
    const names = Object.keys(TOWERS).map((tower, i) => {
      const [x, y, w] = frames[i];
      const end = i ? { "text-anchor": "end" } : {};
      return tag(i ? x + w - 1 : x + 1, y - 5, layers > 1 ? `${tower} × ${layers}` : tower, end);
    });
    const nodes = boxes.map((box) => {
      const { part, label, role, x, y, height: tall } = box;
      const strip = svgNode("image", {
        x: x + 8,
        y: y + tall - 8,
        width: boxWidth - 16,
        height: 5,
        preserveAspectRatio: "none",
        style: "image-rendering: pixelated",
      });
      const place = { x, y, width: boxWidth, height: tall, rx: 4 };
      const under = svgNode("rect", {
        x: x + 8,
        y: y + tall - 8,
        width: boxWidth - 16,
        height: 5,
        class: "under",
      });
      const name = svgNode(
        "text",
        { x: x + boxWidth / 2, y: y + tall / 2 + 0.5, "text-anchor": "middle" },
        label,
      );
      const attributes = {
        class: `box ${role}`,
        role: "radio",
        "aria-label": part,
        "data-part": part,
      };
      return svgNode(
        "g",
        attributes,
        svgNode("rect", { ...place, class: "face" }),
        name,
        under,
        strip,
      );
    });
    const strips = nodes.map((node) => [h("canvas"), node.lastChild]);
    const candidates = svgNode("g", { class: "next", "aria-hidden": "true" });
    const drawn = svgNode(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: "towers",
        role: "radiogroup",
        "aria-label": "the parts of the machine: arrow keys move",
        "font-family": "system-ui, sans-serif",
      },
      svgNode(
        "g",
        { "aria-hidden": "true" },
        ...frameNodes,
        ...wires.map(([kind, d]) => pen(kind, d)),
        ...names,
      ),
      candidates,
      ...nodes,
    );

    const chips = {};
    for (const side of ["source", "target"]) {
      chips[side] = words[side].map((word, i) => {
        const chip = h("button", { type: "button", className: "chip" }, token(word));
        chip.addEventListener("click", () =>
          put(model, { [side === "source" ? "source_word" : "decoder_word"]: i }),
        );
        return chip;
      });
    }
    const sentence = (side, name, what) =>
      h(
        "div",
        { className: `words ${side}`, role: "group", "aria-label": name },
        h("p", {}, what),
        ...chips[side],
      );
    const plan = h(
      "div",
      { className: "plan" },
      drawn,
      h(
        "div",
        { className: "sentences" },
        sentence("source", "source words", "the encoder reads"),
        sentence("target", "words written so far", "the decoder reads, so far"),
      ),
    );

    // ---- The opened box

    const title = h("p", { className: "title" });
    const says = h("p", { className: "says" });
    const links = h("p", { className: "links" });
    const shape = h("p", { className: "note shape" });
    const lines = h("div", { className: "lines" });
    const slice = h("div", { className: "slice" });
    const field = h(
      "div",
      { className: "field", tabIndex: 0, role: "slider", "aria-valuemin": "0" },
      lines,
      slice,
    );
    const numbersOf = heading("");
    const readout = h("p", { className: "readout" });
    const below = h("div", { className: "below" });
    below.style.minHeight = `${22 * (Math.max(source.length, read.length) + 1) + 52}px`;
    body.className = "body machine";
    body.append(
      plan,
      h(
        "div",
        { className: "opened" },
        title,
        h("div", { className: "about" }, says, links, shape),
        h("div", { className: "numbers" }, numbersOf, field, readout),
        below,
      ),
    );

    let [locked, hover] = [0, null]; // a column of the strips
    let rows = []; // of the opened box: [caption, stage, values]

    const most = (stage, values) => {
      if (stage === "softmax") return { most: 1 };
      return { most: stage === "scores" ? Math.max(...values.map(Math.abs)) : MOST, signed: true };
    };
    const scale = (stage) => (["scores", "softmax"].includes(stage) ? "" : `full at ±${MOST}`);
    const stripOf = (stage, values) => {
      const strip = h("canvas", { className: "pixels" });
      base.paint(strip, values, 1, values.length, most(stage, values));
      return strip;
    };
    const opened = () => {
      const index = at("part");
      const [box, layer] = [boxes[index], at("layer")];
      const inLayer = !["plain", "memory", "out"].includes(box.role);
      return { box, layer, inLayer, word: chosenWord(box.side), index };
    };

    /** One column of the strips, in figures. */
    const point = () => {
      const { box, word } = opened();
      const count = Math.max(...rows.map(([, , values]) => values.length));
      const column = Math.min(hover ?? locked, count - 1);
      const wide = rows.filter(([, , values]) => values.length === count);
      const parts = wide.map(([caption, stage, values]) => {
        return `${caption} ${stage === "softmax" ? values[column].toPrecision(3) : signed(values[column], 2)}`;
      });
      const name =
        count === size ? [`number ${column}`] : [`word ${column}, `, token(vocabulary[column])];
      readout.replaceChildren(...name, `: ${parts.join(", ")}`);
      slice.style.left = `calc(var(--label) + (100% - var(--label)) * ${column / count})`;
      slice.style.width = `max(3px, (100% - var(--label)) / ${count})`;
      slice.style.top = `${24 * (rows.length - wide.length)}px`;
      slice.style.height = `${24 * wide.length}px`;
      field.setAttribute("aria-valuemax", count - 1);
      field.setAttribute("aria-valuenow", column);
      field.setAttribute("aria-valuetext", readout.textContent);
      field.setAttribute(
        "aria-label",
        `${box.part}, the numbers of ${quoted(words[box.side][word])}`,
      );
    };

    /** The weights of the chosen word, head by head. */
    const showWeights = (kind, layer, query) => {
      const all = weightsOf(kind, layer, query);
      const keys = kind === "decoder" ? read.slice(0, at("written") + 1) : source;
      const cell = (key, head) => {
        if (kind === "decoder" && key > query) return h("td", { className: "blocked" }, "×");
        const weight = all[head][key];
        const node = h("td", {}, weight.toFixed(2));
        node.style.background = tint(weight);
        return node;
      };
      const heads = all.map((_, head) => `head ${head}`);
      const { node } = table(
        keys.map((key) => token(key)),
        heads,
        { cell, className: "heads" },
      );
      below.replaceChildren(
        heading("Its weights.", "A column for each head; each adds up to 1."),
        node,
      );
      const values = numbersTable("weights", keys, heads);
      values.texts.forEach((text, i) => {
        text.data = all[i % all.length][Math.floor(i / all.length)].toFixed(3);
      });
      base.numbers.append(values.node);
    };

    /** All words' vectors as they leave the box: its whole output. */
    const showAll = (stage, side, chosen) => {
      const shown = words[side].slice(0, side === "source" ? source.length : at("written") + 1);
      const list = shown.map((word, i) => {
        return h(
          "li",
          { className: i === chosen ? "on" : "" },
          token(word),
          stripOf(stage, vector(stage, i)),
        );
      });
      const how = `All it gives, ${shown.length} × ${columns(stage)}:`;
      below.replaceChildren(
        heading(how, "a row for each word."),
        h("ol", { className: "all" }, ...list),
      );
    };

    const open = () => {
      const { box, layer, inLayer, word, index } = opened();
      const name = words[box.side][word];
      const count = box.side === "source" ? source.length : at("written") + 1;
      title.textContent = `${box.part[0].toUpperCase()}${box.part.slice(1)}${inLayer && layers > 1 ? `, layer ${layer}` : ""}`;
      says.textContent = box.says;
      links.replaceChildren(
        ...box.chapters.map((chapter) =>
          chapterLink(constants.site, constants.pages[chapter], `chapter ${chapter}`),
        ),
      );
      rows = at("reads")[index][layer].map(([caption, stage]) => [
        caption,
        stage,
        vector(stage, word),
      ]);
      const [first, last] = [rows[0][1], rows.at(-1)[1]];
      const kind = mapOf[box.part];
      const from = rows.length > 1 ? `(${count}, ${columns(first)}) → ` : `${count} words → `;
      const square = kind
        ? `, weights (${heads}, ${count}, ${kind === "cross" ? source.length : count})`
        : "";
      shape.textContent = `Shape: ${rows.length > 1 || box.role === "plain" ? from : ""}(${count}, ${columns(last)})${square}`;
      numbersOf.replaceChildren(
        "The numbers of ",
        token(name),
        h("span", { className: "plain" }, scale(last)),
      );
      lines.replaceChildren(
        ...rows.map(([caption, stage, values]) =>
          h("div", { className: "line" }, h("span", {}, caption), stripOf(stage, values)),
        ),
      );
      base.numbers.replaceChildren();
      const same = rows.filter(([, , values]) => values.length === rows.at(-1)[2].length);
      const labels =
        last === "scores" || last === "softmax" ? vocabulary : same[0][2].map((_, i) => `${i}`);
      const digits = last === "softmax" ? 4 : 2;
      const figures = numbersTable(
        "numbers",
        labels,
        same.map(([caption]) => caption),
      );
      figures.texts.forEach((text, i) => {
        text.data = signed(same[i % same.length][2][Math.floor(i / same.length)], digits);
      });
      if (kind) showWeights(kind, layer, word);
      else showAll(last, box.side, word);
      base.numbers.append(figures.node);
      point();
    };

    const update = () => {
      const { box, layer, index, word } = opened();
      const written = at("written");
      boxes.forEach(({ side, part }, i) => {
        const [canvas, image] = strips[i];
        const stage = at("reads")[i][layer].at(-1)[1];
        const values = vector(stage, chosenWord(side));
        base.paint(canvas, values, 1, values.length, most(stage, values));
        image.setAttribute("href", canvas.toDataURL());
        nodes[i].setAttribute("aria-checked", i === index);
        nodes[i].setAttribute("tabindex", i === index ? 0 : -1);
        nodes[i].classList.toggle("on", part === box.part);
      });
      const kind = mapOf[box.part];
      const looks = kind ? weightsOf(kind, layer, word) : [];
      for (const side of ["source", "target"]) {
        const looked = kind && side === (kind === "decoder" ? "target" : "source");
        chips[side].forEach((chip, i) => {
          const mean = looked ? looks.reduce((sum, head) => sum + head[i], 0) / heads : 0; // a bar under what it looks at
          chip.style.boxShadow =
            mean > 0.02 ? `inset 0 -${(4 * mean).toFixed(1)}px var(--weight)` : "";
          chip.setAttribute("aria-pressed", i === chosenWord(side));
          chip.classList.toggle("unwritten", side === "target" && i > written);
        });
      }
      const next = nextWords(written);
      candidates.replaceChildren(
        tag(4, 12, "next word"),
        ...next.flatMap(([text, probability], i) => {
          const y = 30 + 21 * i;
          const bar = { x: 62, y: y - 6, height: 12, class: "bar" };
          return [
            svgNode("text", { x: 4, y: y + 4, class: i ? "" : "likeliest" }, fitting(text, 52)),
            svgNode("rect", { ...bar, width: Math.max(1, 50 * probability) }),
            svgNode(
              "text",
              { x: 147, y: y + 4, "text-anchor": "end", class: i ? "" : "likeliest" },
              probability.toFixed(3),
            ),
          ];
        }),
      );
      open();
      Object.assign(root.dataset, {
        part: box.part,
        layer,
        written,
        sourceWord: at("source_word"),
        decoderWord: at("decoder_word"),
        next: next[0][0],
        probability: next[0][1].toFixed(3),
      });
      const likely = next
        .map(([text, probability]) => `${quoted(text)} ${probability.toFixed(3)}`)
        .join(", ");
      base.say(
        `${title.textContent}, ${quoted(words[box.side][word])}. ${written} written, next: ${likely}`,
      );
    };

    // ---- Hands

    const choose = (index) => {
      put(model, { part: index });
      nodes[index].focus();
    };
    nodes.forEach((node, i) => {
      node.addEventListener("click", () => choose(i));
    });
    const held = ({ altKey, ctrlKey, metaKey }) => altKey || ctrlKey || metaKey; // for the browser
    drawn.addEventListener("keydown", (event) => {
      if (held(event)) return;
      const index = at("part");
      const { side, y } = boxes[index];
      const tower = boxes.map((_, i) => i).filter((i) => boxes[i].side === side);
      const across = boxes.map((_, i) => i).filter((i) => boxes[i].side !== side);
      const distance = (i) => Math.abs(boxes[i].y - y);
      const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      let to = null;
      if (step) to = tower[Math.min(tower.length - 1, Math.max(0, tower.indexOf(index) + step))];
      if (event.key === (side === "source" ? "ArrowRight" : "ArrowLeft")) {
        to = across.reduce((a, b) => (distance(b) < distance(a) ? b : a));
      }
      if (event.key === "Home") to = tower[0];
      if (event.key === "End") to = tower.at(-1);
      if (to === null) return;
      event.preventDefault();
      choose(to);
    });
    const under = (event) => {
      const { left, width: wide } = lines.lastChild.lastChild.getBoundingClientRect();
      const count = Math.max(...rows.map(([, , values]) => values.length));
      return Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - left) / wide) * count)));
    };
    field.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") return;
      hover = under(event);
      point();
    });
    field.addEventListener("pointerleave", () => {
      hover = null;
      point();
    });
    field.addEventListener("click", (event) => {
      locked = under(event);
      hover = null;
      point();
    });
    field.addEventListener("keydown", (event) => {
      if (held(event)) return;
      const last = Number(field.getAttribute("aria-valuemax"));
      const now = Number(field.getAttribute("aria-valuenow"));
      const step = {
        ArrowRight: 1,
        ArrowUp: 1,
        ArrowLeft: -1,
        ArrowDown: -1,
        PageUp: 16,
        PageDown: -16,
      }[event.key];
      const to = { Home: 0, End: last }[event.key] ?? (step ? now + step : null);
      if (to === null) return;
      event.preventDefault();
      hover = null;
      locked = Math.min(last, Math.max(0, to));
      point();
    });

    model.on("change:written", () => put(model, { decoder_word: at("written") })); // it decides what is written next
    for (const trait of ["part", "layer", "written", "source_word", "decoder_word"])
      model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
