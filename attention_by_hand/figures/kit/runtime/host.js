// The home of a figure where there is no kernel: a model that holds its traits, and native inputs
// for its controls.

import { hashOf, restore, stateIn } from "./address.js";
import { h } from "../parts/dom.js";
import { lastOf, put, textOf } from "./model.js";

const bytesOf = (base64) =>
  new DataView(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);

/**
 * Many bytes may stand in a file that all pages of a site share: see _ext/book_data.py. It is
 * fetched when the figure comes near, as a script, because a page that is a file itself may fetch
 * nothing else. No bytes: it was not there.
 */
const fetchBytes = (address, home, then) => {
  const script = h("script", { src: address });
  script.addEventListener("load", () => then(bytesOf(script.data)));
  script.addEventListener("error", () => then(bytesOf("")));
  const watch = new IntersectionObserver(
    (seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      document.head.append(script);
    },
    { rootMargin: "100%" },
  );
  watch.observe(home);
};

/** What anywidget calls a model: the traits, and who wants to know of a change. */
const modelOf = (state) => {
  const listeners = {};
  return {
    get: (trait) => state[trait],
    set(trait, value) {
      state[trait] = value;
      for (const listener of listeners[`change:${trait}`] ?? []) listener();
    },
    on(event, listener) {
      listeners[event] = [...(listeners[event] ?? []), listener];
    },
    off(event, listener) {
      listeners[event] = (listeners[event] ?? []).filter((l) => l !== listener);
    },
    save_changes() {},
  };
};

/** The native input of one control: [the element, how it shows the trait]. */
const inputOf = (model, control) => {
  const { trait, label, kind, min, max, step, options } = control;
  const send = (value) => put(model, { [trait]: value });
  const last = () => lastOf(model, control);
  if (kind === "select") {
    const select = h("select", {}, ...options.map((text) => h("option", {}, text)));
    select.addEventListener("change", () => send(select.selectedIndex));
    const show = () => {
      select.selectedIndex = model.get(trait);
    };
    const className = options.some((text) => text.length > 16) ? "sentences" : "";
    return [h("label", { className }, h("span", {}, label), select), show];
  }
  if (kind === "check") {
    const box = h("input", { type: "checkbox" });
    box.addEventListener("change", () => send(box.checked));
    const show = () => {
      box.checked = model.get(trait);
    };
    return [h("label", { className: "check" }, box, h("span", {}, label)), show];
  }
  const range = h("input", { type: "range", min, max: last(), step });
  const value = h("output", { "aria-hidden": "true", translate: false }); // the slider says it
  range.addEventListener("input", () => send(Number(range.value)));
  const show = () => {
    range.max = last();
    range.value = model.get(trait);
    const text = textOf(model, control);
    value.textContent = text;
    const said = model.spoken?.[trait]?.(model.get(trait)) ?? (kind === "scale" && text);
    if (said) range.setAttribute("aria-valuetext", said);
  };
  if (typeof max === "string") model.on(`change:${max}`, show);
  return [
    h("div", { className: "control" }, h("label", {}, h("span", {}, label), range), value),
    show,
  ];
};

const PATIENCE = 2000; // milliseconds without growth, after which a loaded page has settled
const ACTS = ["wheel", "touchstart", "pointerdown", "keydown", "hashchange"];

/**
 * Brings the figure to the top of the window, and keeps it there as long as what stands above it
 * grows: while the page is read, the figures are drawn and the letters come. A reader who begins to
 * move is let go.
 */
const arrive = (home) => {
  const end = new AbortController();
  let timer;
  const settle = () => {
    clearTimeout(timer);
    if (document.readyState === "complete") timer = setTimeout(() => end.abort(), PATIENCE);
  };
  const growth = new ResizeObserver(() => {
    home.scrollIntoView({ behavior: "instant" });
    settle();
  });
  growth.observe(document.body);
  end.signal.addEventListener("abort", () => growth.disconnect());
  const options = { capture: true, passive: true, signal: end.signal };
  for (const act of ACTS) addEventListener(act, () => end.abort(), options);
  addEventListener("load", settle, options);
};

/** Whether the browser itself returns to where the reader was: after a reload, or on the way back. */
const returns = () => {
  const entries = performance.getEntriesByType("navigation");
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (entries);
  return ["reload", "back_forward"].includes(navigation?.type);
};

/** Whether most of the figure is in the window. */
const isInSight = (home) => {
  const { top, bottom } = home.getBoundingClientRect();
  const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
  return seen > 0.6 * Math.min(bottom - top, innerHeight);
};

/**
 * A word of the text may lead to a state of the figure, `<a href="#Recall?length=16">`. While the
 * pointer or the keyboard rests on it, the figure shows that state, and afterwards what it showed
 * before; a click leaves it so.
 */
const litByWords = (model, home, name, { traits, controls }) => {
  let before = null;
  const linkOf = ({ target }) => target.closest?.(`a[href^="#${name}?"]`);
  const light = (event) => {
    const link = linkOf(event);
    if (!link || before) return;
    before = traits.map((trait) => [trait, model.get(trait)]);
    restore(model, stateIn(link.hash, name), traits, controls);
  };
  const leave = (event) => {
    if (!linkOf(event) || !before) return;
    put(model, Object.fromEntries(before));
    before = null;
  };
  const keep = (event) => {
    const link = linkOf(event);
    if (!link) return;
    before = null;
    restore(model, stateIn(link.hash, name), traits, controls);
    const isThere = link.hash === location.hash; // then no change of the address will tell
    if (isThere && !isInSight(home)) arrive(home);
  };
  for (const [start, end] of [
    ["pointerover", "pointerout"],
    ["focusin", "focusout"],
  ]) {
    document.addEventListener(start, light);
    document.addEventListener(end, leave);
  }
  document.addEventListener("click", keep);
};

/**
 * The page on which the book's site has a figure alone, or none: elsewhere, and on that page itself.
 * `_ext/book_figures.py` writes these pages.
 */
const pageOf = (kind) => {
  const site = document.documentElement.dataset.content_root;
  const page = `figures/${kind.replace(/\B[A-Z]/g, "-$&").toLowerCase()}.html`;
  return site === undefined || location.pathname.endsWith(page) ? null : `${site}${page}`;
};

/**
 * Gives the figure an address for its state, and puts it into the state that the page's address has
 * for it.
 */
const addressed = (model, home, { controls, addressed: traits }) => {
  const kind = home.dataset.figure;
  const before = [...document.querySelectorAll(`[data-figure="${kind}"]`)].indexOf(home);
  const name = before > 0 ? `${kind}-${before + 1}` : kind;
  const state = () => Object.fromEntries(traits.map((t) => [t, model.get(t)]));
  model.hash = () => hashOf(name, state());
  const page = pageOf(kind);
  if (page) model.page = () => `${page}${hashOf(kind, state())}`;
  const follow = () => {
    const asked = stateIn(location.hash, name);
    if (asked !== null) restore(model, asked, traits, controls);
    return asked !== null;
  };
  addEventListener("hashchange", () => follow() && !isInSight(home) && arrive(home));
  if (follow() && !returns()) arrive(home);
  litByWords(model, home, name, { traits, controls });
  return name;
};

/**
 * The panel in a fold of this name under the figure, and the fold itself where there is none yet.
 */
const foldOf = (root, name) => {
  const folds = [...root.querySelectorAll(".fold.settings")];
  const existing = folds.find((fold) => fold.querySelector("summary").textContent === name);
  if (existing) return existing.querySelector(".controls");
  const panel = h("div", { className: "controls" });
  const summary = h("summary", {}, name);
  const fold = h("details", { className: "fold settings ui" }, summary, panel);
  root.querySelector(".about").before(fold);
  return panel;
};

/** The native inputs of the controls: over the figure, in folds under it, or out of sight. */
const addInputs = (root, model, controls) => {
  const panel = root.querySelector(".controls");
  const unfolded = controls.filter(({ fold }) => !fold);
  panel.hidden = unfolded.length === 0;
  panel.classList.toggle(
    "by-picture",
    unfolded.every((control) => control.by_picture),
  );
  for (const control of controls) {
    const [element, show] = inputOf(model, control);
    element.classList.toggle("by-picture", control.by_picture);
    model.on(`change:${control.trait}`, show);
    show();
    (control.fold ? foldOf(root, control.fold) : panel).append(element);
  }
};

/** Draws `figure` in `home`, with the data that stands there, under its controls. */
const host = (figure, style, home) => {
  const data = JSON.parse(home.querySelector('script[type="application/json"]').textContent);
  const model = modelOf({ ...data.state, _style: style });
  for (const [trait, bytes] of Object.entries(data.binary)) {
    if (typeof bytes === "string") model.set(trait, bytesOf(bytes));
    else fetchBytes(bytes.file, home, (fetched) => model.set(trait, fetched));
  }
  const name = addressed(model, home, data);
  figure.render({ model, el: home });
  figure.inText?.(model, name, data);
  const native = data.controls.filter((control) => control.on_page);
  addInputs(home.shadowRoot, model, native);
};

export default host;
