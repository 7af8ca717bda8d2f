// What every figure shares: its frame and theme, colour maps, labels, the table of numbers, the spoken line, saving.
// All of it stands in a shadow root: the page's style cannot reach in, the figure's cannot leak out, ids cannot clash.

import { toPNG, toSVG } from "./save.js";

/** An element. Strings among the children become text nodes, so a token is never read as HTML. */
export const h = (tag, props = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};

/** An SVG element. */
export const svgNode = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

/** A token as written, in its own direction, cut by an ellipsis where it is too long, whole in its title. */
export const token = (text, className = "") =>
  h("bdi", { className: `token ${className}`, dir: "auto", title: text }, text);

/** A token inside a spoken or written sentence: quoted, and not endless. */
export const quoted = (text) => `“${text.length > 40 ? `${text.slice(0, 39)}…` : text}”`;

export const signed = (value, digits = 4) => value.toFixed(digits).replace("-", "−");

/** The width of a text in pixels at the size of the labels. */
const ruler = document.createElement("canvas").getContext("2d");
export const widthOf = (text, weight = 400) => {
  const { letterSpacing } = getComputedStyle(document.body);
  ruler.font = `${weight} 12px system-ui, sans-serif`;
  ruler.letterSpacing = letterSpacing === "normal" ? "0px" : letterSpacing; // a reader may have set it wider
  return ruler.measureText(text.slice(0, 60)).width;
};

/** Where a chapter is: on the book's own site relative to this page, elsewhere by its address. */
export const chapterLink = (site, name, text) => {
  const root = document.documentElement.dataset.content_root;
  const elsewhere = root === undefined ? { target: "_blank", rel: "noopener" } : {}; // a notebook stays open
  return h("a", { href: `${root ?? site}chapters/${name}.html`, ...elsewhere }, text);
};

// ---- Numbers

export const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);

/** Softmax of a list of scores. Where all are −Infinity, nothing may be attended to and every weight is 0. */
export const softmax = (scores) => {
  const most = Math.max(...scores);
  const powers = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - most)));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => (total === 0 ? 0 : power / total));
};

// ---- Colour. What each means stands in palette.py; here are the maps from numbers to the palette's colours.

/** 256 colours, [r, g, b, 255] each, that pass evenly through the given ones. */
const ramp = (colours) => {
  const strip = h("canvas", { width: 256, height: 1 }).getContext("2d");
  const gradient = strip.createLinearGradient(0.5, 0, 255.5, 0);
  colours.forEach((colour, i) => gradient.addColorStop(i / (colours.length - 1), colour));
  strip.fillStyle = gradient;
  strip.fillRect(0, 0, 256, 1);
  const { data } = strip.getImageData(0, 0, 256, 1);
  return Array.from({ length: 256 }, (_, i) => data.subarray(4 * i, 4 * i + 4));
};

/** A background for a signed value: blue above zero, orange below, paler towards zero; pale enough to read on. */
export const tint = (value, most = 1) => {
  const strength = most > 0 ? Math.min(1, Math.abs(value) / most) : 0;
  return `rgb(var(--${value < 0 ? "below" : "above"}) / ${(0.38 * strength).toFixed(3)})`;
};

/**
 * The painter of a figure: draws numbers on a canvas, one pixel a cell; the style sheet enlarges the pixels. From 0 to
 * `most` they are weights, the stronger the further from the page's own tone; `signed` ones, from −most to most, are
 * blue above zero and orange below, laid over whatever lies behind.
 */
const painter = ({ light, dark, above, below }, isDark) => {
  const ramps = { light: ramp(light), dark: ramp(dark) };
  return (canvas, values, rows, cols, { most = 1, signed = false } = {}) => {
    const weights = ramps[isDark() ? "dark" : "light"];
    const image = new ImageData(cols, rows);
    for (let i = 0; i < rows * cols; i++) {
      const strength = Math.min(255, (255 * Math.abs(values[i])) / most);
      const colour = signed
        ? [...(values[i] < 0 ? below : above), strength]
        : weights[Math.round(strength)];
      image.data.set(colour, 4 * i);
    }
    if (canvas.width !== cols || canvas.height !== rows)
      Object.assign(canvas, { width: cols, height: rows });
    canvas.getContext("2d").putImageData(image, 0, 0);
  };
};

// ---- Small pictures that several figures are made of

/**
 * A table with a header for each row and each column: text, a node, or a list of them. `cell(i, j)` makes a cell, an
 * empty one unless given. Returns the table and its cells, row by row.
 */
export const table = (rowHeads, colHeads, { caption, cell = () => h("td"), ...props } = {}) => {
  const header = (scope, content) => h("th", { scope }, ...[content].flat());
  const cells = rowHeads.map((_, i) => colHeads.map((_, j) => cell(i, j)));
  const top = h("tr", {}, h("td"), ...colHeads.map((content) => header("col", content)));
  const rows = cells.map((row, i) => h("tr", {}, header("row", rowHeads[i]), ...row));
  const node = h("table", props, h("thead", {}, top), h("tbody", {}, ...rows));
  if (caption !== undefined) node.prepend(h("caption", {}, caption));
  return { node, cells };
};

/** A table of numbers for "Show the numbers", rows and columns named by tokens; returns it and its text nodes. */
export const numbersTable = (caption, rowNames, colNames) => {
  const texts = [];
  const cell = () => {
    texts.push(document.createTextNode(""));
    return h("td", {}, texts.at(-1));
  };
  const tokens = (names) => names.map((name) => token(name));
  return { node: table(tokens(rowNames), tokens(colNames), { caption, cell }).node, texts };
};

/** A title for a picture, and how it came to be. */
export const heading = (title, how = "") =>
  h("p", { className: "title" }, title, " ", h("span", { className: "plain" }, how));

/** A matrix of cells that are only read, under a title, appended to `parent`; returns the cells. */
export const matrix = (parent, title, how, rowHeads, colHeads) => {
  const { node, cells } = table(rowHeads, colHeads);
  // On a phone a matrix may be wider than the figure: the keyboard can scroll it.
  parent.append(
    h(
      "section",
      { className: "panel", tabIndex: 0, "aria-label": title },
      heading(title, how),
      node,
    ),
  );
  return cells;
};

/** The axes of a small chart, and where in it a point lies; `x` and `y` are [from, to]. */
export const chart = ({
  label,
  x,
  y,
  xTicks = [],
  yTicks = [],
  name = "",
  width = 320,
  height = 130,
  log = false,
}) => {
  const [left, right, top, bottom] = [
    yTicks.length ? 34 : 10,
    10,
    10,
    xTicks.length || name ? 24 : 8,
  ];
  const level = log ? Math.log10 : (v) => v;
  const px = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (width - left - right);
  const py = (v) =>
    height -
    bottom -
    ((level(v) - level(y[0])) / (level(y[1]) - level(y[0]))) * (height - top - bottom);
  const node = svgNode("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "chart",
    role: "img",
    "aria-label": label,
  });
  for (const tick of yTicks) {
    node.append(
      svgNode("line", { x1: left, x2: width - right, y1: py(tick), y2: py(tick), class: "axis" }),
    );
    node.append(
      svgNode(
        "text",
        { x: left - 5, y: py(tick) + 4, "text-anchor": "end" },
        `${tick}`.replace("-", "−"),
      ),
    );
  }
  for (const tick of xTicks) {
    node.append(
      svgNode("text", { x: px(tick), y: height - 10, "text-anchor": "middle" }, `${tick}`),
    );
  }
  if (name)
    node.append(
      svgNode(
        "text",
        { x: (left + width - right) / 2, y: height - 1, "text-anchor": "middle" },
        name,
      ),
    );
  const path = (values) =>
    values.map((v, i) => `${i ? "L" : "M"}${px(i).toFixed(1)} ${py(v).toFixed(1)}`).join("");
  return { node, px, py, path };
};

// ---- The frame

const isDark = () => {
  const { dataset, attributes } = document.documentElement;
  const lab = { true: "light", false: "dark" }[document.body?.dataset.jpThemeLight];
  const said = dataset.theme ?? attributes.theme?.value ?? lab;
  return (
    said === "dark" || (said !== "light" && matchMedia("(prefers-color-scheme: dark)").matches)
  );
};

/** Keeps a slider within an end that another control decides, as Python does: see Control.by. */
const follow = (model) => {
  for (const [last, { trait, by, ends }] of Object.entries(model.get("frame").ends)) {
    const fit = () => {
      const end = by.reduce((found, name) => found[model.get(name)], ends);
      put(model, { [last]: end, [trait]: Math.min(model.get(trait), end) });
    };
    for (const name of by) model.on(`change:${name}`, fit);
  }
};

/**
 * Builds the frame of a figure in `el` and calls `redraw` when the page turns light or dark. A figure fills `body`,
 * puts its tables into `numbers`, paints with `paint`, says its state with `say` and calls `dispose` at the end, where
 * the signal `ended` comes; `constants` are those of its Python class.
 */
export const frame = (el, model, { redraw } = {}) => {
  const { title: name, constants, maps } = model.get("frame");
  const shadow = el.shadowRoot ?? el.attachShadow({ mode: "open" }); // drawn again, where its module was changed
  el.classList.add("tl-figure");
  el.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would take our keys for its own
  const body = h("div", { className: "body" });
  const voice = h("p", { className: "sr", role: "status", "aria-live": "polite" });
  const numbers = h("div", {
    className: "scroll",
    tabIndex: 0,
    role: "group",
    "aria-label": "the numbers",
  });
  const kinds = {
    SVG: (figure) => new Blob([toSVG(figure)], { type: "image/svg+xml" }),
    PNG: toPNG,
  };
  const save = Object.entries(kinds).map(([kind, made]) => {
    const button = h("button", { type: "button" }, `Save ${kind}`);
    button.addEventListener("click", async () => {
      const file = URL.createObjectURL(await made(root));
      h("a", {
        href: file,
        download: `${name.toLowerCase().replaceAll(" ", "-")}.${kind.toLowerCase()}`,
      }).click();
      setTimeout(() => URL.revokeObjectURL(file), 1000);
    });
    return button;
  });
  const root = h(
    "figure",
    { className: "figure", "aria-label": name },
    h("div", { className: "controls", hidden: true }),
    body,
    h("figcaption", {}, model.get("caption")),
    h(
      "div",
      { className: "tools" },
      h("details", {}, h("summary", {}, "Show the numbers"), numbers),
      h("div", { className: "save" }, ...save),
    ),
    voice,
  );
  const sheet = h("style", {}, model.get("frame").style);
  shadow.replaceChildren(sheet, root);
  follow(model);

  model.on("change:caption", () => {
    root.querySelector("figcaption").textContent = model.get("caption");
  });
  model.on("change:frame", () => {
    sheet.textContent = model.get("frame").style;
  });

  let dark;
  const retheme = () => {
    if (dark === isDark()) return;
    dark = isDark();
    root.classList.toggle("dark", dark);
    redraw?.();
  };
  const watch = new MutationObserver(retheme);
  for (const node of [document.documentElement, document.body]) {
    watch.observe(node, {
      attributes: true,
      attributeFilter: ["data-theme", "theme", "data-jp-theme-light"],
    });
  }
  const end = new AbortController();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", retheme, {
    signal: end.signal,
  });
  dark = isDark();
  root.classList.toggle("dark", dark);

  return {
    root,
    body,
    numbers,
    constants,
    paint: painter(maps, () => dark),
    ended: end.signal,
    say(text) {
      if (voice.textContent !== text) voice.textContent = text;
    },
    dispose() {
      watch.disconnect();
      end.abort();
    },
  };
};

/** Sets traits together and tells the kernel, where there is one; equal values are left alone. */
export const put = (model, values) => {
  for (const [trait, value] of Object.entries(values))
    if (model.get(trait) !== value) model.set(trait, value);
  model.save_changes();
};

/** The cell an arrow key leads to, or null for another key, and for one that is held with others for the browser. */
export const arrow = ({ key, altKey, ctrlKey, metaKey }, row, col, rows, cols) => {
  if (altKey || ctrlKey || metaKey) return null;
  const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  if (key === "Home") return [row, 0];
  if (key === "End") return [row, cols - 1];
  if (!move) return null;
  return [
    Math.min(rows - 1, Math.max(0, row + move[0])),
    Math.min(cols - 1, Math.max(0, col + move[1])),
  ];
};
