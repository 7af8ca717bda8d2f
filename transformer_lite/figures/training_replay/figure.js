// Training replay: the losses of all runs with the chosen epoch marked, and one head's map of each run at that epoch.

import { chart } from "../kit/charts.js";
import { tint } from "../kit/colour.js";
import { h, quoted, svgNode, token } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { matrix, numbersTable } from "../kit/tables.js";

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const [names, losses, [runs, epochs, heads, rows, cols]] = [
      at("names"),
      at("losses"),
      at("shape"),
    ];
    const kinds = ["first", "second", "third"];
    const bytes = (run, epoch, head) => {
      const { buffer, byteOffset } = at("weights");
      return new Uint8Array(
        buffer,
        byteOffset + ((run * epochs + epoch) * heads + head) * rows * cols,
        rows * cols,
      );
    };

    const marked = Object.entries(at("levels"));
    const all = [...losses.flat(), ...marked.map(([, level]) => level)];
    const low = 10 ** Math.floor(Math.log10(Math.min(...all)));
    const high = Math.max(10 ** Math.floor(Math.log10(Math.max(...all))), Math.max(...all));
    const ticks = [];
    for (let tick = low; tick <= high; tick *= 10) ticks.push(Number(tick.toPrecision(1)));
    const lines = chart({
      label: "loss after each epoch",
      x: [0, epochs - 1],
      y: [low, high * 1.3],
      yTicks: ticks,
      height: 170,
      width: 400,
      log: true,
      xTicks: [...new Set([0, epochs >> 2, epochs >> 1, (3 * epochs) >> 2, epochs - 1])],
    });
    lines.node.classList.add("wide");
    for (const [name, level] of marked) {
      const y = lines.py(level);
      lines.node.append(
        svgNode("line", {
          x1: lines.px(0),
          x2: lines.px(epochs - 1),
          y1: y,
          y2: y,
          class: "cursor level",
        }),
      );
      lines.node.append(
        svgNode("text", { x: lines.px(epochs - 1), y: y - 4, "text-anchor": "end" }, name),
      );
    }
    losses.forEach((run, i) =>
      lines.node.append(svgNode("path", { d: lines.path(run), class: `line ${kinds[i % 3]}` })),
    );
    const cursor = svgNode("line", {
      y1: lines.py(high * 1.3),
      y2: lines.py(low),
      class: "cursor",
    });
    const dots = losses.map((_, i) =>
      svgNode("circle", { r: 4, class: `mark solid ${kinds[i % 3]}` }),
    );
    lines.node.append(cursor, ...dots);

    body.className = "body grids replay";
    const title = h("p", { className: "title" });
    const legend = h("ul", { className: "legend" });
    const values = names.map((name, i) => {
      const value = h("b");
      legend.append(h("li", {}, h("i", { className: kinds[i % 3] }), token(name), " loss ", value));
      return value;
    });
    const panels = h("div", { className: "panels" });
    body.append(title, legend, lines.node, panels);
    const cells = names.map((name) =>
      matrix(
        panels,
        "",
        name,
        at("rows").map((word) => [token(word)]),
        at("columns").map((word) => token(word)),
      ),
    );
    const lossTable = numbersTable("loss", ["this epoch"], names);
    const tables = names.map((name) =>
      numbersTable(`weights of ${name}`, at("rows"), at("columns")),
    );
    base.numbers.append(lossTable.node, ...tables.map(({ node }) => node));

    const update = () => {
      const [epoch, head] = [at("epoch"), at("head")];
      title.textContent = `epoch ${epoch}${heads > 1 ? `, head ${head}` : ""}`;
      for (const end of ["x1", "x2"]) cursor.setAttribute(end, lines.px(epoch));
      for (let run = 0; run < runs; run++) {
        const loss = losses[run][epoch];
        values[run].textContent = loss.toFixed(3);
        lossTable.texts[run].data = loss.toFixed(6);
        dots[run].setAttribute("cx", lines.px(epoch));
        dots[run].setAttribute("cy", lines.py(loss));
        bytes(run, epoch, head).forEach((byte, k) => {
          const [cell, text] = [
            cells[run][Math.floor(k / cols)][k % cols],
            (byte / 255).toFixed(2),
          ];
          cell.textContent = text;
          cell.style.background = tint(byte / 255);
          tables[run].texts[k].data = (byte / 255).toFixed(4);
        });
      }
      Object.assign(root.dataset, { epoch, head });
      const spoken = names.map(
        (name, run) => `${quoted(name)} loss ${losses[run][epoch].toFixed(3)}`,
      );
      say(`epoch ${epoch}: ${spoken.join(", ")}`);
    };
    for (const trait of ["epoch", "head"]) model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
