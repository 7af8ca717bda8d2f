// The frame of every figure: title, caption, theme, the menu, the spoken line.
// It stands in a shadow root: the page's style cannot reach in, the figure's cannot leak out.

import { painter } from "../parts/colour.js";
import { h, unbroken } from "../parts/dom.js";
import { menuOf } from "./menu.js";
import { keepFitting } from "./model.js";

const isDark = () => {
  const { dataset, attributes } = document.documentElement;
  const lab = { true: "light", false: "dark" }[document.body?.dataset.jpThemeLight];
  const theme = dataset.theme ?? attributes.getNamedItem("theme")?.value ?? lab;
  return (
    theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches)
  );
};

/**
 * Makes Chinese letters known to the page, which a figure that shows Chinese brings along: a font
 * belongs to a whole document.
 *
 * @param {string} letters a WOFF2 file in base64
 */
const addLetters = (letters) => {
  const data = `url(data:font/woff2;base64,${letters})`;
  const reach = { weight: "400 700", unicodeRange: "U+2E80-9FFF" }; // as on the site, or they would part
  document.fonts.add(new FontFace("Attention Signs", data, reach));
};

/** Keeps `root` as light or dark as the page is, until the signal `ended`; says which it is. */
const followTheme = (root, ended, redraw) => {
  let dark = isDark();
  root.classList.toggle("dark", dark);
  const retheme = () => {
    if (dark === isDark()) return;
    dark = isDark();
    root.classList.toggle("dark", dark);
    redraw?.();
  };
  const watch = new MutationObserver(retheme);
  const attributeFilter = ["data-theme", "theme", "data-jp-theme-light"];
  for (const node of [document.documentElement, document.body]) {
    watch.observe(node, { attributes: true, attributeFilter });
  }
  ended.addEventListener("abort", () => watch.disconnect());
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", retheme, { signal: ended });
  return () => dark;
};

/**
 * Puts the figure on paper, as its style says, before the sheets are laid out: what is placed by
 * measuring is measured so. Later nothing would tell of the new size.
 */
const followPaper = (sheet, ended) => {
  const turn = (from, to) => () => {
    sheet.textContent = sheet.textContent.replaceAll(from, to);
  };
  addEventListener("beforeprint", turn("@media print", "@media all"), { signal: ended });
  addEventListener("afterprint", turn("@media all", "@media print"), { signal: ended });
};

const MORE = "More about this picture";

/**
 * The caption: its first sentence says what there is to do, above the picture, and the others wait
 * in a fold below, as all do where a figure says that itself. What is no picture keeps it below.
 */
const captionOf = (isPicture, hasLine) => {
  const line = h("figcaption");
  const rest = h("p");
  const fold = h("details", { className: "fold about ui" }, h("summary", {}, MORE), rest);
  const write = (caption) => {
    const sentence = caption.match(/^.*?[.?!](?= |$)/s)?.[0] ?? caption;
    const first = hasLine ? sentence : "";
    line.textContent = unbroken(isPicture ? first : caption);
    rest.textContent = isPicture ? unbroken(caption.slice(first.length).trim()) : "";
    fold.hidden = rest.textContent === "";
  };
  return { line, fold, write };
};

/**
 * Builds the frame of a figure in `el` and calls `redraw` when the page turns light or dark. A
 * figure fills `body`, puts what its controls change into `stays` if they are far from it, its tables
 * into `numbers`, which the menu shows, paints with `paint`, says its state with `say` and calls
 * `dispose` at the end, where the signal `ended` comes; `constants` are those of its Python class.
 * Without `line` nothing of the caption stands above, because the figure itself says what there is
 * to do; `said`, if given, is what the menu copies as text.
 *
 * @param {HTMLElement} el
 * @param {any} model anywidget's, or the host's
 * @param {{ redraw?: () => void, menu?: boolean, line?: boolean, said?: () => string }} options
 */
export const frame = (el, model, { redraw, menu = true, line = true, said } = {}) => {
  const { title: name, constants, maps, letters } = model.get("frame");
  if (letters) addLetters(letters);
  const shadow = el.shadowRoot ?? el.attachShadow({ mode: "open" }); // drawn again, where its module was changed
  el.classList.add("tl-figure");
  el.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would take our keys for its own
  // A translator of pages replaces the texts that it finds, and what is written here later would
  // go to nodes that are gone. Numbers and words of sentences are not to be translated anyway.
  const body = h("div", { className: "body", translate: false });
  const stays = h("div", { className: "stays", translate: false });
  const voice = h("p", {
    className: "sr",
    role: "status",
    "aria-live": "polite",
    translate: false,
  });
  const numbers = h("div", {
    className: "scroll numbers",
    hidden: true,
    translate: false,
    tabIndex: 0,
    role: "group",
    "aria-label": "the numbers",
  });
  const say = (text) => {
    if (voice.textContent !== text) voice.textContent = text;
  };
  const caption = captionOf(menu, line);
  caption.write(model.get("caption"));
  const root = h(
    "figure",
    { className: "figure", "aria-label": name },
    ...(menu ? [caption.line] : []),
    h("div", { className: "controls", hidden: true }),
    stays,
    body,
    menu ? caption.fold : caption.line,
    numbers,
    voice,
  );
  if (menu) root.prepend(menuOf({ name, model, root, numbers, say, said }));
  const sheet = h("style", {}, model.get("_style"));
  shadow.replaceChildren(sheet, root);
  keepFitting(model);

  model.on("change:caption", () => caption.write(model.get("caption")));
  model.on("change:_style", () => {
    sheet.textContent = model.get("_style");
  });

  const end = new AbortController();
  followPaper(sheet, end.signal);
  const dark = followTheme(root, end.signal, redraw);
  return {
    root,
    stays,
    body,
    numbers,
    constants,
    paint: painter(maps, dark),
    ended: end.signal,
    say,
    dispose: () => end.abort(),
  };
};
