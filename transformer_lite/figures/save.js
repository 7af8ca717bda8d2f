// Saving: the figure as it stands, redrawn as plain SVG shapes that any program can open.

export const toSVG = (root) => {
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
    add(
      "text",
      {
        x,
        y,
        fill: style.color,
        "font-size": style.fontSize,
        "font-family": style.fontFamily,
        "font-weight": style.fontWeight,
        "xml:space": "preserve",
        ...more,
      },
      text,
    );

  const words = (node) => {
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    const size = parseFloat(style.fontSize);
    let text = node.data;
    const cut = parent.scrollWidth / (parent.clientWidth || parent.scrollWidth || 1);
    const ends = cut > 1.01 && style.textOverflow === "ellipsis";
    if (ends) text = `${text.slice(0, Math.max(1, text.length / cut - 1))}…`;
    const turned = parent.closest(".turned");
    if (turned) {
      const box = turned.getBoundingClientRect();
      const x = box.left - page.left + Math.SQRT1_2 * turned.offsetHeight;
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
        for (const key of [
          "fill",
          "stroke",
          "stroke-width",
          "stroke-dasharray",
          "vector-effect",
          "font-size",
          "display",
        ]) {
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
        ["Top", x, y, x + width, y],
        ["Bottom", x, y + height, x + width, y + height],
        ["Left", x, y, x, y + height],
        ["Right", x + width, y, x + width, y + height],
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
