// Elements and texts. A token is a text node, so that it is never read as HTML.

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

/**
 * A token as written, in its own direction, cut by an ellipsis where it is too long, whole in its
 * title.
 */
export const token = (text, className = "") =>
  h("bdi", { className: `token ${className}`, dir: "auto", title: text }, text);

/** A token inside a spoken or written sentence: quoted, and not endless. */
export const quoted = (text) => (text.length > 40 ? `“${text.slice(0, 39)}…”` : `“${text}”`);

/** A text whose numbers stay on one line with their %. */
export const unbroken = (text) => text.replace(/(?<=\d) %/g, "\u00a0%");

/** The width of a text in pixels at the size of the labels. */
const ruler = document.createElement("canvas").getContext("2d");
export const widthOf = (text, weight = 400) => {
  const { letterSpacing } = getComputedStyle(document.body);
  ruler.font = `${weight} 14px "Attention Sans", "Attention Signs", system-ui, sans-serif`;
  ruler.letterSpacing = letterSpacing === "normal" ? "0px" : letterSpacing; // a reader may have set it wider
  return ruler.measureText(text.slice(0, 60)).width;
};

/**
 * A link to a chapter: on the book's own site relative to this page, elsewhere by its address, or
 * none without one.
 */
export const chapterLink = (site, name, text) => {
  const root = document.documentElement.dataset.content_root;
  if (root === undefined && !site) return h("span", {}, text);
  const elsewhere = root === undefined ? { target: "_blank", rel: "noopener" } : {}; // a notebook stays open
  return h("a", { href: `${root ?? site}chapters/${name}.html`, ...elsewhere }, text);
};
