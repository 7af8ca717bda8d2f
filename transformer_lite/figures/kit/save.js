// Saving: the figure as it stands, redrawn as plain SVG shapes that any program can open, or as a
// picture of them.

const NS = "http://www.w3.org/2000/svg";
const SHAPE = [
  "display fill fill-opacity opacity stroke stroke-dasharray stroke-linecap stroke-width",
  "vector-effect visibility",
].join(" ");
const LETTERS = "dominant-baseline font-family font-size font-style font-weight text-anchor";
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** An SVG element. */
const node = (tag, attributes = {}, text = "") => {
  const made = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
};
/** A line of this colour, width and kind. */
const pen = (colour, thick, kind) => ({
  fill: "none",
  stroke: colour,
  "stroke-width": thick,
  "stroke-dasharray": { dotted: `0 ${2 * thick}`, dashed: 2 * thick }[kind] ?? "none",
  "stroke-linecap": kind === "dotted" ? "round" : "butt",
});
/** Whether a colour is to be seen at all. */
const seen = (colour) => !/^transparent$|^rgba\(.*, 0\)$|\/ 0\)$/.test(colour);

// ---- Words

const measure = document.createElement("canvas").getContext("2d");
const fontOf = (style) =>
  `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;

/** How far the letters of a font reach over and under their line. */
const heights = (style) => {
  measure.font = fontOf(style);
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = measure.measureText("x");
  return { up, down };
};

const write = (into, text, x, y, style, more = {}) => {
  const letters = {
    x,
    y,
    fill: style.color,
    "font-size": style.fontSize,
    "font-family": style.fontFamily,
    "font-weight": style.fontWeight,
    "font-style": style.fontStyle,
    direction: style.direction,
    style: `white-space: pre; font-variant-numeric: ${style.fontVariantNumeric}`,
    "xml:space": "preserve",
  };
  into.append(node("text", { ...letters, ...more }, text));
};

/** As much of a text as an element shows that ends it with "…". */
const shortened = (text, element, style) => {
  const room = element.clientWidth;
  if (style.textOverflow !== "ellipsis" || element.scrollWidth <= room) return text;
  measure.font = fontOf(style);
  const letters = Array.from(text);
  const isTooWide = () => measure.measureText(`${letters.join("")}…`).width > room;
  while (letters.length > 1 && isTooWide()) letters.length = Math.min(letters.length - 1, 300);
  return `${letters.join("")}…`;
};

/** What a field holds, or whether a choice is made. */
const field = (into, element, style, { x, y, width, height }) => {
  if (element.type === "radio") {
    const circle = { cx: x + width / 2, cy: y + height / 2, r: width / 2 - 0.5 };
    into.append(node("circle", { ...circle, ...pen(style.color, 1) }));
    if (!element.checked) return;
    into.append(node("circle", { ...circle, r: width / 4, fill: style.accentColor }));
    return;
  }
  const { up, down } = heights(style);
  const right = /right|end/.test(style.textAlign);
  const side = (name) =>
    parseFloat(style[`padding${name}`]) + parseFloat(style[`border${name}Width`]);
  const at = right ? x + width - side("Right") : x + side("Left");
  const middle = y + (height + up - down) / 2;
  write(into, element.value, at, middle, style, right ? { "text-anchor": "end" } : {});
};

// ---- Boxes

const grown = ({ x, y, width, height }, by) => ({
  x: x - by,
  y: y - by,
  width: Math.max(0, width + 2 * by),
  height: Math.max(0, height + 2 * by),
});

/** The only shadows of the style sheets: a ring around or within a box, or a line at its foot. */
const shadow = (into, style, place, round) => {
  const parts = /^(rgb.*\)) 0px (0|-[\d.]+)px 0px ([\d.]+)px( inset)?$/.exec(style.boxShadow);
  if (!parts) return;
  const [, colour, lift, size, inset] = parts;
  const spread = Number(size);
  if (lift !== "0") {
    const foot = { y: place.y + place.height + Number(lift), height: -lift };
    into.append(node("rect", { ...place, ...foot, fill: colour }));
    return;
  }
  const ring = grown(place, ((inset ? -1 : 1) * spread) / 2);
  into.append(node("rect", { ...ring, ...round, ...pen(colour, spread) }));
};

const sidesOf = (style) =>
  ["Top", "Right", "Bottom", "Left"].map((side) => ({
    thick: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
    colour: style[`border${side}Color`],
    kind: style[`border${side}Style`],
  }));

/** A border: a rectangle where its sides are alike, a line for each side otherwise. */
const border = (into, style, place, radius) => {
  const sides = sidesOf(style);
  const [top] = sides;
  const isVisible = ({ thick, colour }) => thick && seen(colour);
  const isLikeTop = ({ thick, colour, kind }) =>
    thick === top.thick && colour === top.colour && kind === top.kind;
  if (sides.every(isLikeTop)) {
    if (!isVisible(top)) return;
    const round = radius ? { rx: Math.max(0, radius - top.thick / 2) } : {};
    const line = { ...grown(place, -top.thick / 2), ...round };
    into.append(node("rect", { ...line, ...pen(top.colour, top.thick, top.kind) }));
    return;
  }
  const { x, y, width, height } = place;
  const along = [
    (thick) => `M${x} ${y + thick / 2}h${width}`,
    (thick) => `M${x + width - thick / 2} ${y}v${height}`,
    (thick) => `M${x} ${y + height - thick / 2}h${width}`,
    (thick) => `M${x + thick / 2} ${y}v${height}`,
  ];
  sides.forEach((side, i) => {
    if (!isVisible(side)) return;
    const { thick, colour, kind } = side;
    into.append(node("path", { d: along[i](thick), ...pen(colour, thick, kind) }));
  });
};

const outline = (into, style, place) => {
  const thick = parseFloat(style.outlineWidth);
  if (style.outlineStyle === "none" || !thick) return;
  const by = parseFloat(style.outlineOffset) + thick / 2;
  const radius = parseFloat(style.borderTopLeftRadius);
  const round = radius ? { rx: radius + by } : {};
  const line = pen(style.outlineColor, thick, style.outlineStyle);
  into.append(node("rect", { ...grown(place, by), ...round, ...line }));
};

/** A chart, with what the style sheets say of it written into its shapes. */
const chart = (into, element, place) => {
  const copy = element.cloneNode(true);
  const shapes = [element, ...element.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  shapes.forEach((shape, i) => {
    const style = getComputedStyle(shape);
    const kept = /^t/.test(shape.localName) ? `${SHAPE} ${LETTERS}` : SHAPE;
    for (const key of kept.split(" ")) copies[i].setAttribute(key, style.getPropertyValue(key));
    copies[i].removeAttribute("class");
  });
  const { overflow } = getComputedStyle(element);
  for (const [key, value] of Object.entries({ ...place, overflow })) copy.setAttribute(key, value);
  into.append(copy);
};

/** Whether an element hides a part of what is in it. */
const isCut = (element, style) => {
  const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element;
  if (style.overflow === "visible" || style.display === "inline" || !clientWidth) return false;
  return scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
};

class Drawing {
  constructor(root) {
    this.root = root;
    // On a projector boxes are measured enlarged, and letters not.
    this.zoom = root.currentCSSZoom ?? 1;
    this.page = this.boxOf(root);
    const { width, height } = this.page;
    this.svg = node("svg", { xmlns: NS, width, height, viewBox: `0 0 ${width} ${height}` });
    this.defined = this.svg.appendChild(node("defs"));
  }

  text() {
    this.walk(this.svg, this.root);
    return new XMLSerializer().serializeToString(this.svg).replace(NOT_XML, "\ufffd");
  }

  unzoomed({ left, top, width, height }) {
    const { zoom } = this;
    return new DOMRect(left / zoom, top / zoom, width / zoom, height / zoom);
  }

  boxOf(element) {
    return this.unzoomed(element.getBoundingClientRect());
  }

  /** Where a box is, in whole pixels, as it is painted. */
  within(box) {
    const x = Math.round(box.left - this.page.left);
    const y = Math.round(box.top - this.page.top);
    const right = Math.round(box.right - this.page.left);
    const bottom = Math.round(box.bottom - this.page.top);
    return { x, y, width: right - x, height: bottom - y };
  }

  /** Keeps what others refer to; the reference. */
  define(made) {
    made.id = `d${this.defined.childNodes.length}`;
    this.defined.append(made);
    return `url(#${made.id})`;
  }

  walk(into, one) {
    if (one.nodeType === Node.TEXT_NODE) return this.words(into, one);
    if (one.nodeType !== Node.ELEMENT_NODE || one.matches(".sr")) return;
    const style = getComputedStyle(one);
    if (style.display === "none" || style.visibility === "hidden") return;
    const place = this.within(this.boxOf(one));
    if (one instanceof SVGElement) return chart(into, one, place);

    const turned = one.matches(".turned, .turned *");
    if (!turned) this.box(into, style, place);
    if (one instanceof HTMLCanvasElement) {
      const look = { preserveAspectRatio: "none", style: "image-rendering: pixelated" };
      into.append(node("image", { ...place, href: one.toDataURL(), ...look }));
    }
    if (one instanceof HTMLInputElement && one.type !== "checkbox") field(into, one, style, place);
    const inside = !turned && isCut(one, style) ? this.clipped(into, place) : into;
    if (!turned) this.before(inside, one);
    for (const child of one.childNodes) this.walk(inside, child);
    if (!turned) outline(into, style, place);
  }

  /** A group of which only what is in this place is seen. */
  clipped(into, place) {
    const path = this.define(node("clipPath"));
    this.defined.lastChild.append(node("rect", place));
    return into.appendChild(node("g", { "clip-path": path }));
  }

  words(into, text) {
    const parent = text.parentElement;
    const style = getComputedStyle(parent);
    const content = shortened(text.data, parent, style);
    const turned = parent.closest(".turned");
    if (turned) return this.turnedWords(into, content, turned, parent);
    for (const line of this.linesOf(text)) {
      const { up, down } = heights(style);
      const height = (up / (up + down)) * (line.bottom - line.top);
      const y = Math.round(line.top - this.page.top + height);
      const kept = style.whiteSpace.startsWith("pre") ? line.text : line.text.replace(/\s+/g, " ");
      const x = (style.direction === "rtl" ? line.right : line.left) - this.page.left;
      write(into, content === text.data ? kept.trimEnd() : content, x, y, style);
      this.decorate(into, parent, line, y);
    }
  }

  /** The words of a text by the height at which the browser set them. */
  linesOf(text) {
    const lines = new Map();
    const range = document.createRange();
    for (const word of text.data.matchAll(/\S+\s*/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].trimEnd().length);
      for (const box of Array.from(range.getClientRects(), (rect) => this.unzoomed(rect))) {
        if (!box.width) continue;
        const { top, bottom, left, right } = box;
        const line = lines.get(Math.round(top)) ?? { top, bottom, left, right, text: "" };
        line.text += line.word === word ? "" : word[0];
        line.left = Math.min(left, line.left);
        line.right = Math.max(right, line.right);
        line.word = word;
        lines.set(Math.round(top), line);
      }
    }
    return lines.values();
  }

  turnedWords(into, text, turned, parent) {
    const style = getComputedStyle(parent);
    const box = this.boxOf(turned);
    const x = box.left - this.page.left + Math.SQRT1_2 * turned.offsetHeight;
    const transform = `translate(${x} ${box.bottom - this.page.top}) rotate(-45)`;
    const { up, down } = heights(style);
    const y = -(turned.offsetHeight - up + down) / 2;
    write(into, text, parent.offsetLeft, y, style, { transform });
  }

  /** The lines under or through words, which belong to an inline element around them. */
  decorate(into, element, line, height) {
    for (let at = element; at !== this.root; at = at.parentElement) {
      const style = getComputedStyle(at);
      const kind = style.textDecorationLine;
      if (kind && kind !== "none") {
        const size = parseFloat(style.fontSize);
        const thick = parseFloat(style.textDecorationThickness) || Math.max(1, size / 16);
        const offset = parseFloat(style.textUnderlineOffset) || size / 10;
        const y = kind === "underline" ? height + offset + thick / 2 : height - 0.3 * size;
        const d = `M${line.left - this.page.left} ${y}H${line.right - this.page.left}`;
        const stroke = pen(style.textDecorationColor, thick, style.textDecorationStyle);
        into.append(node("path", { d, ...stroke }));
      }
      if (style.display !== "inline") return;
    }
  }

  /** What a style sheet writes before an element's own words. */
  before(into, element) {
    const style = getComputedStyle(element, "::before");
    if (!/^"/.test(style.content)) return;
    const box = this.boxOf(element);
    const size = parseFloat(style.fontSize);
    const y = box.top - this.page.top + (box.height - size) / 2 + 0.85 * size;
    write(into, JSON.parse(style.content), box.left - this.page.left, y, style);
  }

  box(into, style, place) {
    const half = Math.min(place.width, place.height) / 2;
    const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, half);
    const round = radius ? { rx: radius } : {};
    const ground = style.backgroundColor;
    if (seen(ground)) into.append(node("rect", { ...place, ...round, fill: ground }));
    const fill = this.stripes(style.backgroundImage, place);
    if (fill) into.append(node("rect", { ...place, ...round, fill }));
    shadow(into, style, place, round);
    border(into, style, place, radius);
  }

  /** Stripes: the only kind of painted ground in the style sheets. */
  stripes(text, { x, y, width, height }) {
    const gradient = /^repeating-linear-gradient\(([\d.]+)deg, (.*)\)$/.exec(text);
    if (!gradient) return null;
    const angle = (Number(gradient[1]) * Math.PI) / 180;
    /** @type {any[]} */
    const stops = [
      ...gradient[2].matchAll(/(rgba?\([^)]*\)|transparent)((?: [\d.]+px)+)/g),
    ].flatMap(([, colour, places]) =>
      places.match(/[\d.]+/g).map((place) => [colour, Number(place)]),
    );
    const dx = Math.sin(angle);
    const dy = -Math.cos(angle);
    const half = (Math.abs(width * dx) + Math.abs(height * dy)) / 2;
    const x1 = x + width / 2 - half * dx;
    const y1 = y + height / 2 - half * dy;
    const length = stops.at(-1)[1];
    const ends = { x1, y1, x2: x1 + length * dx, y2: y1 + length * dy };
    const repeated = { gradientUnits: "userSpaceOnUse", spreadMethod: "repeat" };
    const made = node("linearGradient", { ...ends, ...repeated });
    for (const [colour, place] of stops) {
      const opacity = seen(colour) ? 1 : 0;
      const stop = { offset: place / length, "stop-color": colour, "stop-opacity": opacity };
      made.append(node("stop", stop));
    }
    return this.define(made);
  }
}

/**
 * The figure as SVG: without what only a hand needs, which the style sheet takes out of a figure
 * that is `.saved`.
 */
export const toSVG = (root) => {
  root.classList.add("saved");
  try {
    return new Drawing(root).text();
  } finally {
    root.classList.remove("saved");
  }
};

/** The same as a PNG, twice as large as on the screen; a promise of a Blob. */
export const toPNG = async (root) => {
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([toSVG(root)], { type: "image/svg+xml" }));
  await picture.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 2 * picture.naturalWidth, height: 2 * picture.naturalHeight });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(picture.src);
  // Chrome draws up the file in the pause after a frame: on a page at rest it would wait a second
  // for one.
  return new Promise((resolve) => requestAnimationFrame(() => canvas.toBlob(resolve, "image/png")));
};
