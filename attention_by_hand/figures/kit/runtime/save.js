// Saving: the figure as it stands, as a picture to be posted. A browser draws its copy once more,
// so that what it shows is what is saved, and nothing is imitated.

import { h } from "../parts/dom.js";

const BOOK = "Attention, by Hand";
// In pixels of CSS, and as fine as a phone's: other sites show a picture of this shape whole.
const FRAME = { width: 1200, height: 630, margin: 40, head: 76, foot: 60, fine: 2 };
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Loads a script of the book's site; nothing is said if it is not there. */
const loaded = (src) =>
  new Promise((resolve) => {
    const script = h("script", { src });
    script.addEventListener("load", resolve);
    script.addEventListener("error", resolve);
    document.head.append(script);
  });

/**
 * The rules of CSS that bring the letters of the page, which a picture does not see otherwise: on
 * the book's own site all, elsewhere the Chinese words that a figure carries.
 *
 * @param {string} letters a WOFF2 file in base64, or nothing
 */
const lettersOf = async (letters) => {
  /** @type {any} */
  const page = document;
  const site = document.documentElement.dataset.content_root;
  if (site !== undefined && !page.letters) await loaded(`${site}_static/letters.js`);
  const data = `url(data:font/woff2;base64,${letters})`;
  return page.letters ?? (letters ? `@font-face{font-family:"Attention Signs";src:${data}}` : "");
};

/** A copy of a figure, with what scripts have painted and readers have chosen. */
const copyOf = (root) => {
  const copy = root.cloneNode(true);
  const what = "canvas, input, option";
  const originals = root.querySelectorAll(what);
  copy.querySelectorAll(what).forEach((one, i) => {
    const original = originals[i];
    if (original.localName === "canvas") {
      const image = h("img", { src: original.toDataURL() });
      for (const { name, value } of one.attributes) image.setAttribute(name, value);
      one.replaceWith(image);
    } else if (original.localName === "option") {
      one.toggleAttribute("selected", original.selected);
    } else {
      one.setAttribute("value", original.value);
      one.toggleAttribute("checked", original.checked);
    }
  });
  return copy;
};

const svgOf = (width, height, text) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${text}</svg>`;

/**
 * The figure in the upper left corner of an SVG that only a browser can draw, since HTML is in it.
 * It is as large as the window, which style sheets ask for, and the figure is `width` by `height`.
 */
const drawn = async (root, letters) => {
  const fonts = await lettersOf(letters);
  root.classList.add("saved"); // without what only a hand needs: see the style
  const { offsetWidth: width, offsetHeight: height } = root;
  const copy = copyOf(root);
  root.classList.remove("saved");
  const style = h("style", {}, root.getRootNode().querySelector("style").textContent + fonts);
  const page = new XMLSerializer().serializeToString(h("div", {}, style, copy));
  const text = `<foreignObject width="${width}" height="${height}">${page}</foreignObject>`;
  const svg = svgOf(Math.max(width, innerWidth), Math.max(height, innerHeight), text);
  // Not as a blob: Chrome would not give such a picture out again.
  const href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg.replace(NOT_XML, "\ufffd"))}`;
  return { href, width, height };
};

/** Where the picture is from, without what every address begins with. */
const shortOf = (address) => {
  const own = document.querySelector('meta[property="og:url"]')?.getAttribute("content") ?? "";
  return (address || own).replace(/^https?:\/\/|index\.html(?=#|$)/g, "");
};

/** What stands around a picture: what it shows, from which book, and where that is. */
const writeFrame = (pen, { title, style, address }) => {
  const { width, height, margin } = FRAME;
  const short = shortOf(address);
  pen.fillStyle = style.getPropertyValue("--surface");
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = style.getPropertyValue("--ink");
  pen.font = `600 32px ${style.fontFamily}`;
  pen.fillText(title, margin, 56);
  pen.fillStyle = style.getPropertyValue("--muted");
  pen.font = `400 20px ${style.fontFamily}`;
  pen.fillText(BOOK, margin, height - 24);
  pen.textAlign = "right";
  pen.fillText(short, width - margin, height - 24, width - 2 * margin - 260); // beside the book's name
};

/**
 * The figure in a frame, as large as there is room; a promise of a Blob.
 *
 * @param {HTMLElement} root
 * @param {{ title: string, letters: string, address: string }} options `address`: of this state
 */
export const toPNG = async (root, { title, letters, address }) => {
  const { width, height, margin, head, foot, fine } = FRAME;
  const figure = await drawn(root, letters);
  const picture = new Image();
  picture.src = figure.href;
  await picture.decode();
  const canvas = h("canvas", { width: fine * width, height: fine * height });
  const pen = canvas.getContext("2d");
  pen.scale(fine, fine);
  writeFrame(pen, { title, style: getComputedStyle(root), address });
  const room = height - head - foot;
  const scale = Math.min((width - 2 * margin) / figure.width, room / figure.height, 1.5);
  pen.translate((width - scale * figure.width) / 2, head + (room - scale * figure.height) / 2);
  pen.scale(scale, scale);
  pen.drawImage(picture, 0, 0);
  // Chrome draws up the file in the pause after a frame: on a page at rest it would wait a second
  // for one.
  return new Promise((resolve) => requestAnimationFrame(() => canvas.toBlob(resolve, "image/png")));
};

/**
 * The figure over a line that says what it is and where it is from, as an SVG of its size, which a
 * browser shows sharp at any other; a promise of a Blob.
 *
 * @param {HTMLElement} root
 * @param {{ title: string, letters: string, address: string }} options `address`: of this state
 */
export const toSVG = async (root, { title, letters, address }) => {
  const line = h("p", { className: "origin" }, `${title} · ${BOOK} ${shortOf(address)}`);
  root.append(line);
  const { href, width, height } = await drawn(root, letters);
  line.remove();
  return new Blob([svgOf(width, height, `<image href="${href}"/>`)], { type: "image/svg+xml" });
};
