// Saving: the figure as it stands, redrawn as plain SVG shapes that any program can open, or as a picture of them.

const NS = "http://www.w3.org/2000/svg";
const SHAPE =
  "display fill fill-opacity opacity stroke stroke-dasharray stroke-linecap stroke-width vector-effect visibility";
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

/** How far the letters of a font reach over and under their line. */
const measure = document.createElement("canvas").getContext("2d");
const fontOf = (style) =>
  `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
const heights = (style) => {
  measure.font = fontOf(style);
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = measure.measureText("x");
  return { up, down };
};

const drawn = (root) => {
  // On a projector boxes are measured enlarged, and letters not.
  const zoom = root.currentCSSZoom ?? 1;
  const unzoomed = ({ left, top, width, height }) =>
    new DOMRect(left / zoom, top / zoom, width / zoom, height / zoom);
  const boxOf = (element) => unzoomed(element.getBoundingClientRect());
  const page = boxOf(root);
  const svg = node("svg", { xmlns: NS, width: page.width, height: page.height });
  svg.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
  const defined = svg.appendChild(node("defs"));
  const define = (made) => {
    made.id = `d${defined.childNodes.length}`;
    defined.append(made);
    return `url(#${made.id})`;
  };
  /** Where a box is, in whole pixels, as it is painted. */
  const within = (box) => {
    const [x, y, right, bottom] = [
      box.left - page.left,
      box.top - page.top,
      box.right - page.left,
      box.bottom - page.top,
    ].map(Math.round);
    return { x, y, width: right - x, height: bottom - y };
  };

  // ---- Words

  const write = (into, text, x, y, style, more = {}) =>
    into.append(
      node(
        "text",
        {
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
          ...more,
        },
        text,
      ),
    );

  /** The lines under or through words, which belong to an inline element around them. */
  const decorate = (into, element, line, height) => {
    for (let at = element; at !== root; at = at.parentElement) {
      const style = getComputedStyle(at);
      const kind = style.textDecorationLine;
      if (kind && kind !== "none") {
        const size = parseFloat(style.fontSize);
        const thick = parseFloat(style.textDecorationThickness) || Math.max(1, size / 16);
        const offset = parseFloat(style.textUnderlineOffset) || size / 10;
        const y = kind === "underline" ? height + offset + thick / 2 : height - 0.3 * size;
        const d = `M${line.left - page.left} ${y}H${line.right - page.left}`;
        into.append(
          node("path", { d, ...pen(style.textDecorationColor, thick, style.textDecorationStyle) }),
        );
      }
      if (style.display !== "inline") return;
    }
  };

  /** As much of a text as an element shows that ends it with "…". */
  const shortened = (text, element, style) => {
    if (style.textOverflow !== "ellipsis" || element.scrollWidth <= element.clientWidth)
      return text;
    measure.font = fontOf(style);
    const letters = Array.from(text);
    while (
      letters.length > 1 &&
      measure.measureText(`${letters.join("")}…`).width > element.clientWidth
    ) {
      letters.length = Math.min(letters.length - 1, 300);
    }
    return `${letters.join("")}…`;
  };

  const words = (into, text) => {
    const parent = text.parentElement;
    const style = getComputedStyle(parent);
    const shown = shortened(text.data, parent, style);
    const turned = parent.closest(".turned");
    if (turned) {
      const box = boxOf(turned);
      const x = box.left - page.left + Math.SQRT1_2 * turned.offsetHeight;
      const place = `translate(${x} ${box.bottom - page.top}) rotate(-45)`;
      const { up, down } = heights(style);
      write(into, shown, parent.offsetLeft, -(turned.offsetHeight - up + down) / 2, style, {
        transform: place,
      });
      return;
    }
    const lines = new Map(); // words by the height at which the browser set them
    const range = document.createRange();
    for (const word of text.data.matchAll(/\S+\s*/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].trimEnd().length);
      for (const box of Array.from(range.getClientRects(), unzoomed)) {
        if (!box.width) continue;
        const { top, bottom, left, right } = box;
        const line = lines.get(Math.round(top)) ?? { top, bottom, left, right, text: "" };
        line.text += line.word === word ? "" : word[0];
        Object.assign(line, {
          left: Math.min(left, line.left),
          right: Math.max(right, line.right),
          word,
        });
        lines.set(Math.round(top), line);
      }
    }
    for (const line of lines.values()) {
      const { up, down } = heights(style);
      const y = Math.round(line.top - page.top + (up / (up + down)) * (line.bottom - line.top));
      const kept = style.whiteSpace.startsWith("pre") ? line.text : line.text.replace(/\s+/g, " ");
      const x = (style.direction === "rtl" ? line.right : line.left) - page.left;
      write(into, shown === text.data ? kept.trimEnd() : shown, x, y, style);
      decorate(into, parent, line, y);
    }
  };

  /** What a style sheet writes before an element's own words. */
  const before = (into, element) => {
    const style = getComputedStyle(element, "::before");
    if (!/^"/.test(style.content)) return;
    const box = boxOf(element);
    const y =
      box.top -
      page.top +
      (box.height - parseFloat(style.fontSize)) / 2 +
      0.85 * parseFloat(style.fontSize);
    write(into, JSON.parse(style.content), box.left - page.left, y, style);
  };

  // ---- Boxes

  /** Stripes: the only kind of painted ground in the style sheets. */
  const stripes = (text, { x, y, width, height }) => {
    const found = /^repeating-linear-gradient\(([\d.]+)deg, (.*)\)$/.exec(text);
    if (!found) return null;
    const angle = (Number(found[1]) * Math.PI) / 180;
    /** @type {any[]} */
    const stops = [...found[2].matchAll(/(rgba?\([^)]*\)|transparent)((?: [\d.]+px)+)/g)].flatMap(
      ([, colour, places]) => places.match(/[\d.]+/g).map((place) => [colour, Number(place)]),
    );
    const dx = Math.sin(angle);
    const dy = -Math.cos(angle);
    const half = (Math.abs(width * dx) + Math.abs(height * dy)) / 2;
    const x1 = x + width / 2 - half * dx;
    const y1 = y + height / 2 - half * dy;
    const length = stops.at(-1)[1];
    const x2 = x1 + length * dx;
    const y2 = y1 + length * dy;
    const made = node("linearGradient", {
      x1,
      y1,
      x2,
      y2,
      gradientUnits: "userSpaceOnUse",
      spreadMethod: "repeat",
    });
    for (const [colour, place] of stops) {
      const opacity = seen(colour) ? 1 : 0;
      made.append(
        node("stop", { offset: place / length, "stop-color": colour, "stop-opacity": opacity }),
      );
    }
    return define(made);
  };

  const grown = ({ x, y, width, height }, by) => ({
    x: x - by,
    y: y - by,
    width: Math.max(0, width + 2 * by),
    height: Math.max(0, height + 2 * by),
  });
  const box = (into, style, place) => {
    const radius = Math.min(
      parseFloat(style.borderTopLeftRadius) || 0,
      place.width / 2,
      place.height / 2,
    );
    const rx = radius ? { rx: radius } : {};
    if (seen(style.backgroundColor))
      into.append(node("rect", { ...place, ...rx, fill: style.backgroundColor }));
    const fill = stripes(style.backgroundImage, place);
    if (fill) into.append(node("rect", { ...place, ...rx, fill }));
    const shadow = /^(rgb.*\)) 0px (0|-[\d.]+)px 0px ([\d.]+)px( inset)?$/.exec(style.boxShadow);
    if (shadow) {
      const [, colour, lift, , inset] = shadow;
      const spread = Number(shadow[3]);
      const foot = { ...place, y: place.y + place.height + Number(lift), height: -lift };
      const ring = {
        ...grown(place, ((inset ? -1 : 1) * spread) / 2),
        ...rx,
        ...pen(colour, spread),
      };
      into.append(node("rect", lift === "0" ? ring : { ...foot, fill: colour }));
    }
    const { x, y, width, height } = place;
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
      thick: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
      colour: style[`border${side}Color`],
      kind: style[`border${side}Style`],
    }));
    const [top] = sides;
    if (
      sides.every((s) => s.thick === top.thick && s.colour === top.colour && s.kind === top.kind)
    ) {
      if (top.thick && seen(top.colour)) {
        const round = radius ? { rx: Math.max(0, radius - top.thick / 2) } : {};
        into.append(
          node("rect", {
            ...grown(place, -top.thick / 2),
            ...round,
            ...pen(top.colour, top.thick, top.kind),
          }),
        );
      }
    } else {
      sides.forEach(({ thick, colour, kind }, i) => {
        if (!thick || !seen(colour)) return;
        const d = [
          `M${x} ${y + thick / 2}h${width}`,
          `M${x + width - thick / 2} ${y}v${height}`,
          `M${x} ${y + height - thick / 2}h${width}`,
          `M${x + thick / 2} ${y}v${height}`,
        ][i];
        into.append(node("path", { d, ...pen(colour, thick, kind) }));
      });
    }
  };

  const outline = (into, style, place) => {
    const thick = parseFloat(style.outlineWidth);
    if (style.outlineStyle === "none" || !thick) return;
    const by = parseFloat(style.outlineOffset) + thick / 2;
    const radius = parseFloat(style.borderTopLeftRadius);
    const round = radius ? { rx: radius + by } : {};
    into.append(
      node("rect", {
        ...grown(place, by),
        ...round,
        ...pen(style.outlineColor, thick, style.outlineStyle),
      }),
    );
  };

  const chart = (into, element, place) => {
    const copy = element.cloneNode(true);
    const [from, to] = [element, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    from.forEach((one, i) => {
      const used = getComputedStyle(one);
      const kept = /^t/.test(one.localName) ? `${SHAPE} ${LETTERS}` : SHAPE;
      for (const key of kept.split(" ")) to[i].setAttribute(key, used.getPropertyValue(key));
      to[i].removeAttribute("class");
    });
    for (const [key, value] of Object.entries({
      ...place,
      overflow: getComputedStyle(element).overflow,
    })) {
      copy.setAttribute(key, value);
    }
    into.append(copy);
  };

  const field = (into, element, style, { x, y, width, height }) => {
    if (element.type === "radio") {
      const circle = { cx: x + width / 2, cy: y + height / 2, r: width / 2 - 0.5 };
      into.append(node("circle", { ...circle, ...pen(style.color, 1) }));
      if (element.checked)
        into.append(node("circle", { ...circle, r: width / 4, fill: style.accentColor }));
      return;
    }
    const { up, down } = heights(style);
    const right = /right|end/.test(style.textAlign);
    const side = (name) =>
      parseFloat(style[`padding${name}`]) + parseFloat(style[`border${name}Width`]);
    const at = right ? x + width - side("Right") : x + side("Left");
    write(
      into,
      element.value,
      at,
      y + (height + up - down) / 2,
      style,
      right ? { "text-anchor": "end" } : {},
    );
  };

  const walk = (into, one) => {
    if (one.nodeType === Node.TEXT_NODE) return words(into, one);
    if (one.nodeType !== Node.ELEMENT_NODE || one.matches(".sr")) return;
    const style = getComputedStyle(one);
    if (style.display === "none" || style.visibility === "hidden") return;
    const place = within(boxOf(one));
    if (one instanceof SVGElement) return chart(into, one, place);
    const turned = one.matches(".turned, .turned *");
    let inside = into;
    if (!turned) box(into, style, place);
    if (one instanceof HTMLCanvasElement) {
      const look = { preserveAspectRatio: "none", style: "image-rendering: pixelated" };
      into.append(node("image", { ...place, href: one.toDataURL(), ...look }));
    }
    if (one instanceof HTMLInputElement && one.type !== "checkbox") field(into, one, style, place);
    const cut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
    if (
      cut &&
      !turned &&
      style.overflow !== "visible" &&
      style.display !== "inline" &&
      one.clientWidth
    ) {
      const path = define(node("clipPath")).slice(5, -1);
      defined.lastChild.append(node("rect", place));
      inside = inside.appendChild(node("g", { "clip-path": `url(#${path})` }));
    }
    if (!turned) before(inside, one);
    for (const child of one.childNodes) walk(inside, child);
    if (!turned) outline(into, style, place);
  };
  walk(svg, root);
  return new XMLSerializer().serializeToString(svg).replace(NOT_XML, "\ufffd");
};

/** The figure as SVG: without what only a hand needs, which the style sheet takes out of a figure that is `.saved`. */
export const toSVG = (root) => {
  root.classList.add("saved");
  try {
    return drawn(root);
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
  // Chrome draws up the file in the pause after a frame: on a page at rest it would wait a second for one.
  return new Promise((resolve) => requestAnimationFrame(() => canvas.toBlob(resolve, "image/png")));
};
