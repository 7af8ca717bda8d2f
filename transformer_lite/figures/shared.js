// What every figure shares: its frame and theme, colour maps, labels, the table of numbers, the spoken line, saving.
// All of it stands in a shadow root: the page's style cannot reach in, the figure's cannot leak out, ids cannot clash.

/** An element. Strings among the children become text nodes, so a token is never read as HTML. */
const h = (tag, props = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};

/** An SVG element. */
const svgNode = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

/** A token as written, in its own direction, cut by an ellipsis where it is too long, whole in its title. */
const token = (text, className = "") => h("bdi", { className: `token ${className}`, dir: "auto", title: text }, text);

/** A token inside a spoken or written sentence: quoted, and not endless. */
const quoted = (text) => `“${text.length > 40 ? text.slice(0, 39) + "…" : text}”`;

const signed = (value, digits = 4) => value.toFixed(digits).replace("-", "−");

/** The width of a text in pixels at the size of the labels. */
const ruler = document.createElement("canvas").getContext("2d");
const widthOf = (text) => {
  ruler.font = "12px system-ui, sans-serif";
  return ruler.measureText(text.slice(0, 60)).width;
};

// ---- Colour. Lightness carries the value, from the page's own tone (0) to the strongest contrast with it (1).

/** OKLCH to sRGB bytes. */
const oklch = (l, c, degrees) => {
  const [a, b] = [c * Math.cos((degrees * Math.PI) / 180), c * Math.sin((degrees * Math.PI) / 180)];
  const [x, y, z] = [
    (l + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (l - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (l - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ];
  return [
    4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
    -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
    -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
  ].map((v) => Math.round(255 * Math.min(1, Math.max(0, v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055))));
};

/** 256 colours for weights in [0, 1]: even steps of lightness, a single blue that is warmest in the dark. */
const ramp = (from, to) =>
  Array.from({ length: 256 }, (_, i) => {
    const l = from + ((to - from) * i) / 255;
    return oklch(l, 0.006 + 0.15 * Math.sin((Math.PI * 0.85 * i) / 255), 278 - 58 * l);
  });
const RAMPS = { light: ramp(0.968, 0.26), dark: ramp(0.24, 0.97) };

/** Draws bytes (0 is weight 0, 255 is weight 1) one pixel a cell; the style sheet enlarges the pixels. */
const paint = (canvas, bytes, rows, cols, dark) => {
  const map = RAMPS[dark ? "dark" : "light"];
  const image = new ImageData(cols, rows);
  for (let i = 0; i < rows * cols; i++) {
    const [r, g, b] = map[bytes[i]];
    image.data.set([r, g, b, 255], 4 * i);
  }
  if (canvas.width !== cols || canvas.height !== rows) Object.assign(canvas, { width: cols, height: rows });
  canvas.getContext("2d").putImageData(image, 0, 0);
};

/** A tint for a signed value: blue above zero, orange below, paler towards zero, always pale enough to read on. */
const tint = (value, most) => {
  const strength = most > 0 ? Math.min(1, Math.abs(value) / most) : 0;
  return `rgb(${value < 0 ? "226 110 20" : "35 110 230"} / ${(0.38 * strength).toFixed(3)})`;
};

/** A tint for a weight in [0, 1]: blue, pale enough to read on. */
const shade = (weight) => tint(weight, 1);

/** Draws signed numbers one pixel a cell, blue above zero and orange below, on whatever lies behind. */
const paintSigned = (canvas, values, rows, cols, most) => {
  const image = new ImageData(cols, rows);
  for (let i = 0; i < rows * cols; i++) {
    const colour = values[i] < 0 ? [226, 110, 20] : [35, 110, 230];
    image.data.set([...colour, 255 * Math.min(1, Math.abs(values[i]) / most)], 4 * i);
  }
  if (canvas.width !== cols || canvas.height !== rows) Object.assign(canvas, { width: cols, height: rows });
  canvas.getContext("2d").putImageData(image, 0, 0);
};

// ---- Small pictures that several figures are made of

/** A matrix of cells under a title, appended to `parent`; returns the cells. A head is a list of nodes. */
const matrix = (parent, title, how, rowHeads, colHeads) => {
  const cells = rowHeads.map(() => colHeads.map(() => h("td")));
  const head = h("tr", {}, h("td"), ...colHeads.map((text) => h("th", { scope: "col" }, text)));
  const lines = cells.map((line, i) => h("tr", {}, h("th", { scope: "row" }, ...rowHeads[i]), ...line));
  const heading = h("p", { className: "title" }, title, " ", h("span", { className: "plain" }, how));
  const grid = h("table", {}, h("thead", {}, head), h("tbody", {}, ...lines));
  // On a phone a matrix may be wider than the figure: the keyboard can scroll it.
  parent.append(h("section", { className: "panel", tabIndex: 0, "aria-label": title }, heading, grid));
  return cells;
};

/** The axes of a small chart, and where in it a point lies; `x` and `y` are [from, to]. */
const chart = ({ label, x, y, xTicks = [], yTicks = [], name = "", width = 320, height = 130, log = false }) => {
  const [left, right, top, bottom] = [yTicks.length ? 34 : 10, 10, 10, xTicks.length || name ? 24 : 8];
  const level = log ? Math.log10 : (v) => v;
  const px = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (width - left - right);
  const py = (v) => height - bottom - ((level(v) - level(y[0])) / (level(y[1]) - level(y[0]))) * (height - top - bottom);
  const node = svgNode("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label });
  for (const tick of yTicks) {
    node.append(svgNode("line", { x1: left, x2: width - right, y1: py(tick), y2: py(tick), class: "axis" }));
    node.append(svgNode("text", { x: left - 5, y: py(tick) + 4, "text-anchor": "end" }, `${tick}`.replace("-", "−")));
  }
  for (const tick of xTicks) {
    node.append(svgNode("text", { x: px(tick), y: height - 10, "text-anchor": "middle" }, `${tick}`));
  }
  if (name) node.append(svgNode("text", { x: (left + width - right) / 2, y: height - 1, "text-anchor": "middle" }, name));
  const path = (values) => values.map((v, i) => `${i ? "L" : "M"}${px(i).toFixed(1)} ${py(v).toFixed(1)}`).join("");
  return { node, px, py, path };
};

// ---- The frame

const isDark = () => {
  const { dataset, attributes } = document.documentElement;
  const lab = { true: "light", false: "dark" }[document.body?.dataset.jpThemeLight];
  const said = dataset.theme ?? attributes.theme?.value ?? lab;
  return said === "dark" || (said !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
};

/** Builds the frame of a figure in `el` and calls `redraw` when the page turns light or dark. */
const frame = (el, model, { name, redraw }) => {
  const shadow = el.attachShadow({ mode: "open" });
  el.classList.add("tl-figure");
  el.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would take our keys for its own
  const body = h("div", { className: "body" });
  const voice = h("p", { className: "sr", role: "status", "aria-live": "polite" });
  const numbers = h("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": "the numbers" });
  const save = h("button", { type: "button", className: "save" }, "Save SVG");
  const root = h(
    "figure",
    { className: "figure", "aria-label": name },
    h("div", { className: "controls", hidden: true }),
    body,
    h("figcaption", {}, model.get("caption")),
    h("div", { className: "tools" }, h("details", {}, h("summary", {}, "Show the numbers"), numbers), save),
    voice,
  );
  shadow.append(h("style", {}, STYLE), root);

  save.addEventListener("click", () => {
    const file = URL.createObjectURL(new Blob([toSVG(root)], { type: "image/svg+xml" }));
    h("a", { href: file, download: `${name.toLowerCase().replaceAll(" ", "-")}.svg` }).click();
    setTimeout(() => URL.revokeObjectURL(file), 1000);
  });
  model.on("change:caption", () => (root.querySelector("figcaption").textContent = model.get("caption")));

  let dark;
  const retheme = () => {
    if (dark === isDark()) return;
    dark = isDark();
    root.classList.toggle("dark", dark);
    redraw?.();
  };
  const watch = new MutationObserver(retheme);
  for (const node of [document.documentElement, document.body]) {
    watch.observe(node, { attributes: true, attributeFilter: ["data-theme", "theme", "data-jp-theme-light"] });
  }
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", retheme);
  dark = isDark();
  root.classList.toggle("dark", dark);

  return {
    root,
    body,
    numbers,
    dark: () => dark,
    say(text) {
      if (voice.textContent !== text) voice.textContent = text;
    },
    dispose() {
      watch.disconnect();
      preference.removeEventListener("change", retheme);
    },
  };
};

/** Sets traits together and tells the kernel, where there is one; equal values are left alone. */
const put = (model, values) => {
  for (const [trait, value] of Object.entries(values)) if (model.get(trait) !== value) model.set(trait, value);
  model.save_changes();
};

/** A table of numbers with a header for each row and column; returns the cells' text nodes, row by row. */
const table = (caption, rowNames, columnNames) => {
  const head = columnNames.map((name) => h("th", { scope: "col" }, token(name)));
  const texts = [];
  const rows = rowNames.map((name) => {
    const cells = columnNames.map(() => {
      texts.push(document.createTextNode(""));
      return h("td", {}, texts.at(-1));
    });
    return h("tr", {}, h("th", { scope: "row" }, token(name)), ...cells);
  });
  const node = h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, h("td"), ...head)));
  node.append(h("tbody", {}, ...rows));
  return { node, texts };
};

/** The cell an arrow key leads to, or null for another key. */
const arrow = (key, row, col, rows, cols) => {
  const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  if (key === "Home") return [row, 0];
  if (key === "End") return [row, cols - 1];
  if (!move) return null;
  return [Math.min(rows - 1, Math.max(0, row + move[0])), Math.min(cols - 1, Math.max(0, col + move[1]))];
};

// ---- Saving: the figure as it stands, redrawn as plain SVG shapes that any program can open.

const toSVG = (root) => {
  const { left, right } = root.getBoundingClientRect();
  const top = root.querySelector(".body").getBoundingClientRect().top - 14;
  const bottom = root.querySelector("figcaption").getBoundingClientRect().bottom + 14;
  const page = { left, top, width: right - left, height: bottom - top };
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  const add = (tag, attributes, text) => {
    const node = document.createElementNS(NS, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
    return node;
  };
  const seen = (colour) => !/^rgba?\(.*[,/]\s*0\)$|^transparent$/.test(colour);
  const write = (text, x, y, style, more = {}) =>
    add("text", {
      x, y, fill: style.color, "font-size": style.fontSize, "font-family": style.fontFamily,
      "font-weight": style.fontWeight, "xml:space": "preserve", ...more,
    }, text);

  const words = (node) => {
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    const size = parseFloat(style.fontSize);
    let text = node.data;
    const cut = parent.scrollWidth / (parent.clientWidth || parent.scrollWidth || 1);
    const ends = cut > 1.01 && style.textOverflow === "ellipsis";
    if (ends) text = text.slice(0, Math.max(1, text.length / cut - 1)) + "…";
    const turned = parent.closest(".turned");
    if (turned) {
      const box = turned.getBoundingClientRect();
      const x = box.left - page.left + 0.7071 * turned.offsetHeight;
      const place = `translate(${x} ${box.bottom - page.top}) rotate(-45)`;
      write(text, 0, -0.28 * size, style, { transform: place });
      return;
    }
    const lines = new Map(); // words by the height at which the browser set them
    const range = document.createRange();
    for (const word of node.data.matchAll(/\S+\s*/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].trimEnd().length);
      const box = range.getBoundingClientRect();
      if (!box.width) continue;
      const line = lines.get(Math.round(box.top)) ?? { box, text: "" };
      line.text += word[0];
      lines.set(Math.round(box.top), line);
    }
    for (const { box, text: line } of lines.values()) {
      const middle = box.top - page.top + box.height / 2;
      write(ends ? text : line.trimEnd(), box.left - page.left, middle + 0.35 * size, style);
    }
  };

  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return words(node);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(".controls, .tools, .sr, .ui")) return;
    const style = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    if (style.display === "none" || style.visibility === "hidden") return;
    const [x, y, width, height] = [box.left - page.left, box.top - page.top, box.width, box.height];
    if (node instanceof SVGElement) {
      const copy = node.cloneNode(true);
      node.querySelectorAll("*").forEach((from, i) => {
        const used = getComputedStyle(from);
        for (const key of ["fill", "stroke", "stroke-width", "stroke-dasharray", "vector-effect", "font-size", "display"]) {
          copy.querySelectorAll("*")[i].setAttribute(key, used.getPropertyValue(key));
        }
      });
      const place = { x, y, width, height, overflow: "visible" };
      for (const [key, value] of Object.entries(place)) copy.setAttribute(key, value);
      svg.append(copy);
      return;
    }
    if (node instanceof HTMLCanvasElement) {
      const look = { preserveAspectRatio: "none", style: "image-rendering: pixelated" };
      add("image", { x, y, width, height, href: node.toDataURL(), ...look });
      return;
    }
    if (!node.matches(".turned, .turned *")) {
      if (seen(style.backgroundColor)) add("rect", { x, y, width, height, fill: style.backgroundColor });
      for (const [side, x1, y1, x2, y2] of [
        ["Top", x, y, x + width, y], ["Bottom", x, y + height, x + width, y + height],
        ["Left", x, y, x, y + height], ["Right", x + width, y, x + width, y + height],
      ]) {
        const [thick, colour] = [parseFloat(style[`border${side}Width`]), style[`border${side}Color`]];
        const dashes = style[`border${side}Style`] === "dotted" ? { "stroke-dasharray": thick } : {};
        if (thick && seen(colour)) add("line", { x1, y1, x2, y2, stroke: colour, "stroke-width": thick, ...dashes });
      }
      if (style.outlineStyle === "solid") {
        const pen = { fill: "none", stroke: style.outlineColor, "stroke-width": style.outlineWidth };
        add("rect", { x, y, width, height, ...pen });
      }
    }
    if (node instanceof HTMLInputElement) {
      write(node.value, x + width - 5, y + height / 2 + 4, style, { "text-anchor": "end" });
    }
    node.childNodes.forEach(walk);
  };
  walk(root);
  for (const [key, value] of Object.entries({ width: page.width, height: page.height })) svg.setAttribute(key, value);
  svg.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
  return new XMLSerializer().serializeToString(svg);
};
