// The attention explorer: one head large, all heads small, one query's weights in words and bars.

import { h, quoted, svgNode, token, widthOf } from "../kit/dom.js";
import { arrow, frame, put } from "../kit/frame.js";
import { numbersTable } from "../kit/tables.js";

const ROWS = {
  encoder: "a source word",
  decoder: "a decoder input word",
  cross: "a decoder input word → the word it emits",
};
const NAMES = {
  encoder: "Encoder self-attention",
  decoder: "Decoder self-attention",
  cross: "Cross-attention",
};
const COLUMNS = {
  encoder: "a source word",
  decoder: "a decoder input word",
  cross: "a source word",
};
const SHOWN = 6; // keys listed for a query

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => fit() });
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);

    const title = h("p", { className: "title" });
    const axes = h("p", { className: "note" });
    const hint = h("span"); // why no cell is outlined
    const map = h("canvas", { className: "pixels" });
    const marks = svgNode("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
    const plot = h("div", {
      className: "plot",
      tabIndex: 0,
      role: "application",
      "aria-roledescription": "heat map",
    });
    const field = h("div", { className: "field" });
    const ticks = ["0", "0.25", "0.5", "0.75", "1"].map((tick) => h("span", {}, tick));
    const bar = h("canvas", { className: "pixels" });
    const scale = h("div", { className: "scale" }, bar, ...ticks, h("em", {}, "weight"));
    const all = "all heads: layer by row, head by column";
    const heads = h("div", { className: "heads", role: "radiogroup", "aria-label": all });
    const query = h("p", { className: "title query" });
    const bars = h("ol", { className: "bars" });
    body.className = "body explorer";
    body.append(
      h("div", { className: "main" }, title, axes, field, scale),
      h(
        "div",
        { className: "side" },
        h("div", {}, h("p", { className: "title" }, "All heads"), heads),
        h("div", {}, query, bars),
      ),
    );
    const main = body.firstChild;

    // What the traits select.
    let kind, sentence, shape, rowNames, colNames, emitted, numbers, gold;
    let rowLabels = [],
      colLabels = [],
      thumbs = [];
    let column = null; // the locked column, or null: the key with the most weight; the locked row is the trait `row`
    let hover = null; // the cell under the pointer
    let shown = 0; // the column now marked
    const bytes = (layer, head) => {
      const { start, heads, rows, cols } = shape;
      const { buffer, byteOffset } = at("weights");
      return new Uint8Array(
        buffer,
        byteOffset + start + (layer * heads + head) * rows * cols,
        rows * cols,
      );
    };

    /** A new sentence or kind: other labels, other thumbnails, other ends of the sliders. */
    const fit = () => {
      sentence = at("sentences")[at("sentence")];
      kind = at("kinds")[at("kind")];
      shape = sentence.maps[kind];
      if (column >= shape.cols) column = null;
      hover = null;
      rowNames = kind === "encoder" ? sentence.source : sentence.target;
      colNames = kind === "decoder" ? sentence.target : sentence.source;
      emitted = kind === "cross" && sentence.emits.length ? sentence.emits : null;
      gold = kind === "cross" ? sentence.alignment : [];
      axes.replaceChildren(
        "Row: a query, ",
        ROWS[kind].replace(emitted ? "" : " → the word it emits", ""),
        ". Column: a key, ",
        COLUMNS[kind],
        ".",
        hint,
      );

      rowLabels = rowNames.map((name, i) => {
        const emits = emitted ? [h("span", { className: "emits" }, " → ", token(emitted[i]))] : [];
        return h("div", { className: "row label" }, token(name), ...emits);
      });
      colLabels = colNames.map((name) => {
        return h(
          "div",
          { className: "col label" },
          h("span", { className: "turned" }, token(name)),
        );
      });
      plot.replaceChildren(map, marks);
      field.replaceChildren(...rowLabels, ...colLabels, plot);
      marks.setAttribute("viewBox", `0 0 ${shape.cols} ${shape.rows}`);

      const heading = "weights (rows: queries, columns: keys), stored to 1/255";
      const names = rowNames.map((name, i) => (emitted ? `${name} → ${emitted[i]}` : name));
      numbers = numbersTable(heading, names, colNames);
      base.numbers.replaceChildren(numbers.node);

      thumbs = [];
      heads.style.setProperty("--heads", shape.heads);
      heads.replaceChildren(
        h("span"),
        ...Array.from({ length: shape.heads }, (_, i) => h("span", {}, `${i}`)),
      );
      for (let layer = 0; layer < shape.layers; layer++) {
        heads.append(h("span", {}, `${layer}`));
        for (let head = 0; head < shape.heads; head++) {
          const small = h("canvas", { className: "pixels" });
          base.paint(small, bytes(layer, head), shape.rows, shape.cols, { most: 255 });
          const fits = Math.max(1, Math.floor(34 / Math.max(shape.rows, shape.cols)));
          const zoom = Math.min(fits, 34 / Math.max(shape.rows, shape.cols));
          Object.assign(small.style, {
            width: `${shape.cols * zoom}px`,
            height: `${shape.rows * zoom}px`,
          });
          const name = `layer ${layer}, head ${head}`;
          const thumb = h(
            "button",
            { type: "button", role: "radio", "aria-label": name, title: name },
            small,
          );
          thumb.addEventListener("click", () => put(model, { layer, head }));
          thumbs.push(thumb);
          heads.append(thumb);
        }
      }
      base.paint(bar, [...Array(256).keys()], 1, 256, { most: 255 });
      place();
      draw();
    };

    /** The size of a cell follows from the room there is; the style sheet does the rest. */
    const place = () => {
      body.classList.toggle("wide", Math.max(shape.rows, shape.cols) > 20);
      const room = field.clientWidth;
      if (!room) return;
      const names = rowNames.map((name, i) => (emitted ? `${name} → ${emitted[i]}` : name));
      const widths = names.map((name) => widthOf(name, 700) + 10); // the marked one is bold
      const spacing = parseFloat(getComputedStyle(field).letterSpacing) || 0; // a reader may have set it wider
      const left = Math.ceil(
        Math.min(Math.max(...widths), Math.min(0.42 * room, 190) * (1 + spacing / 7)),
      );
      rowLabels.forEach((label, i) => label.classList.toggle("tight", widths[i] > left));
      const long = Math.min(Math.max(...colNames.map((name) => widthOf(name))), 96);
      const right = Math.ceil(0.71 * long * 0.8);
      const most = Math.min((room - left - right) / shape.cols, 512 / shape.rows, 52);
      const cell = Math.max(2, Math.floor(most));
      const set = (name, value) => main.style.setProperty(name, value);
      set("--cell", `${cell}px`);
      set("--left", `${left}px`);
      set("--top", `${Math.ceil(0.71 * long + 18)}px`);
      set("--rows", shape.rows);
      set("--cols", shape.cols);
      for (const labels of [rowLabels, colLabels])
        labels.forEach((label, i) => label.style.setProperty("--i", i));
    };

    /** Marks one label; where they would touch, shows every second, third, ... and none too near the marked one. */
    const choose = (labels, chosen, least) => {
      const cell = parseFloat(main.style.getPropertyValue("--cell"));
      const every = Math.ceil(least / cell);
      labels.forEach((label, i) => {
        label.classList.toggle("on", i === chosen);
        label.hidden = i !== chosen && (i % every !== 0 || Math.abs(i - chosen) * cell < least);
      });
    };

    /** Another head: its picture, its numbers, its mark among the thumbnails. */
    const draw = () => {
      const [layer, head] = [at("layer"), at("head")];
      const weights = bytes(layer, head);
      base.paint(map, weights, shape.rows, shape.cols, { most: 255 });
      numbers.texts.forEach((text, i) => {
        const weight = (weights[i] / 255).toFixed(2);
        if (text.data !== weight) text.data = weight;
      });
      thumbs.forEach((thumb, i) => {
        const on = i === layer * shape.heads + head;
        thumb.setAttribute("aria-checked", on);
        thumb.tabIndex = on ? 0 : -1;
      });
      title.textContent = `${NAMES[kind]}, layer ${layer}, head ${head}`;
      Object.assign(root.dataset, { kind, layer, head, sentence: at("sentence") });
      point();
    };

    /** Another query or key: marks on the map, and the readout. */
    const point = () => {
      const row = hover?.[0] ?? at("row");
      const weights = bytes(at("layer"), at("head")).subarray(
        row * shape.cols,
        (row + 1) * shape.cols,
      );
      const order = Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a] || a - b);
      const col = hover?.[1] ?? column ?? order[0];
      shown = col;
      root.dataset.row = row;
      const box = (x, y, width, height, name) =>
        svgNode("rect", { x, y, width, height, class: name });
      let lines = "";
      for (let i = 1; i < shape.cols; i++) lines += `M${i} 0V${shape.rows}`;
      for (let i = 1; i < shape.rows; i++) lines += `M0 ${i}H${shape.cols}`;
      const grid =
        shape.rows * shape.cols <= 400 ? [svgNode("path", { d: lines, class: "grid" })] : [];
      const aligned = at("gold")
        ? gold.map(([source, target]) => box(source, target, 1, 1, "truth"))
        : [];
      const why =
        kind === "cross" ? "is not known here" : "joins source and target: see cross-attention";
      const asked = at("gold") && at("sentences").some(({ alignment }) => alignment.length);
      hint.textContent = asked && !gold.length ? ` The true alignment ${why}.` : "";
      const chosen = [box(0, row, shape.cols, 1, "chosen row"), box(col, row, 1, 1, "chosen")];
      marks.replaceChildren(...grid, ...aligned, ...chosen);
      choose(rowLabels, row, 12);
      choose(colLabels, col, 15);

      const emits = emitted ? [h("span", { className: "emits" }, " → ", token(emitted[row]))] : [];
      query.replaceChildren(h("span", {}, `Query ${row}: `), token(rowNames[row]), ...emits);
      const listed = order.slice(0, SHOWN);
      if (!listed.includes(col)) listed[listed.length - 1] = col;
      bars.replaceChildren(
        ...listed.map((key) => {
          const weight = weights[key] / 255;
          const bar = h("span", { className: "bar" }, h("i", { style: `width:${100 * weight}%` }));
          const number = h("b", {}, weight.toFixed(2));
          return h("li", { className: key === col ? "on" : "" }, token(colNames[key]), bar, number);
        }),
      );
      const spoken = emitted
        ? `${quoted(rowNames[row])}, emitting ${quoted(emitted[row])},`
        : quoted(rowNames[row]);
      const cell = `${quoted(colNames[col])} ${(weights[col] / 255).toFixed(2)}`;
      const most = `${quoted(colNames[order[0]])} ${(weights[order[0]] / 255).toFixed(2)}`;
      const words = `query ${row} ${spoken} to key ${col} ${cell}; most to ${most}`;
      plot.setAttribute("aria-label", `${title.textContent}: ${words}. Arrow keys move.`);
      if (!hover) say(`layer ${at("layer")}, head ${at("head")}: ${words}`);
    };

    const under = (event) => {
      const { left, top, width, height } = map.getBoundingClientRect();
      const row = Math.floor(((event.clientY - top) / height) * shape.rows);
      const col = Math.floor(((event.clientX - left) / width) * shape.cols);
      return [
        Math.min(shape.rows - 1, Math.max(0, row)),
        Math.min(shape.cols - 1, Math.max(0, col)),
      ];
    };
    const lock = ([row, col]) => {
      hover = null;
      column = col;
      if (row === at("row")) point();
      else put(model, { row });
    };
    plot.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") return;
      const cell = under(event);
      if (hover?.join() === cell.join()) return;
      hover = cell;
      point();
    });
    plot.addEventListener("pointerleave", () => {
      hover = null;
      point();
    });
    plot.addEventListener("click", (event) => lock(under(event)));
    plot.addEventListener("keydown", (event) => {
      if (hover) {
        hover = null; // keys start from the cell that is locked, not from where the pointer rests
        point();
      }
      const cell = arrow(event, at("row"), shown, shape.rows, shape.cols);
      if (!cell) return;
      event.preventDefault();
      lock([cell[0], cell[1] === shown ? column : cell[1]]);
    });
    heads.addEventListener("keydown", (event) => {
      const cell = arrow(event, at("layer"), at("head"), shape.layers, shape.heads);
      if (!cell) return;
      event.preventDefault();
      put(model, { layer: cell[0], head: cell[1] });
      thumbs[cell[0] * shape.heads + cell[1]].focus();
    });

    for (const trait of ["sentence", "kind", "sentences", "weights"])
      model.on(`change:${trait}`, fit);
    for (const trait of ["layer", "head"]) model.on(`change:${trait}`, draw);
    model.on("change:gold", point);
    model.on("change:row", () => {
      hover = null;
      point();
    });
    const sizes = new ResizeObserver(() => {
      requestAnimationFrame(() => {
        place(); // which changes the height that is observed
        point();
      });
    });
    sizes.observe(field);
    fit();
    return () => {
      sizes.disconnect();
      base.dispose();
    };
  },
};

export default figure;
