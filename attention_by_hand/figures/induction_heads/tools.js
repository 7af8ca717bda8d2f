// What there is to press: growing and pausing, the row that is typed, the head that is shown, and
// the heads that are cut out.

import { choicesOf } from "../kit/parts/choices.js";
import { h } from "../kit/parts/dom.js";
import { roveAmong } from "../kit/parts/rove.js";

const button = (className, press, text = "") => {
  const node = h("button", { type: "button", className }, text);
  node.addEventListener("click", press);
  return node;
};

const PLAY = {
  recorded: "▶ Grow it here",
  starting: "❚❚ Pause",
  growing: "❚❚ Pause",
  paused: "▶ Go on",
  grown: "▶ Grow another",
};

/** {node, update(run, words)}: grow, pause, go on; a new run; the recorded one again. */
export const growthOf = (act) => {
  const play = button("play", act.play);
  const anew = button("", act.anew, "Start anew");
  const recall = button("", act.recall, "Recorded run");
  const says = h("span");
  const tools = h("span", { className: "ui tools" }, play, anew, recall);
  const update = ({ state, started }, words) => {
    play.textContent = PLAY[state];
    play.disabled = !started.ready;
    anew.hidden = state !== "paused";
    recall.hidden = !["paused", "grown"].includes(state);
    says.textContent = words;
  };
  return { node: h("div", { className: "growth" }, tools, says), update };
};

/** {node, update(text)}: the row as it is typed, and one drawn by lot. */
export const fieldOf = ({ length }, { type, lot }) => {
  const field = h("input", {
    ...{ type: "text", maxLength: length, spellcheck: false, autocomplete: "off" },
    ...{ autocapitalize: "none", className: "field" },
  });
  field.addEventListener("input", () => type(field.value));
  const label = h("label", {}, h("span", {}, `your row, up to ${length} letters`), field);
  const node = h("div", { className: "ui typing" }, label, button("lot", lot, "One by lot"));
  const update = (text) => {
    if (field.value !== text) field.value = text;
  };
  return { node, update };
};

/** The heads of two layers: {node, names, parts, update(head, off)}. `show(head)` is called with
 * the head to be shown, and `cut(parts)` with heads that change between cut and not. */
export const headsOf = ({ layers, config }, { show, cut }) => {
  const names = layers.flatMap((layer) =>
    Array.from({ length: config.n_heads }, (_, head) => `${layer} ${head}`),
  );
  const parts = layers.flatMap((_, i) =>
    Array.from({ length: config.n_heads }, (_, head) => `layers.${i}.self_attention.${head}`),
  );
  const shown = choicesOf("head whose arcs are shown", names, show);
  const groups = [
    ...parts.map((part, i) => ({ name: names[i], all: [part] })),
    ...layers.map((layer, i) => ({
      name: `both ${layer}`,
      all: parts.filter((part) => part.startsWith(`layers.${i}.`)),
    })),
  ];
  const switches = groups.map(({ name, all }) => {
    const node = button("switch", () => cut(all), name);
    node.setAttribute("role", "switch");
    node.setAttribute("aria-label", `cut out: ${name}`);
    return node;
  });
  const cuts = h(
    "div",
    { className: "ui cuts", role: "group", "aria-label": "cut out" },
    ...switches,
  );
  roveAmong(cuts, () => switches);
  const node = h(
    "div",
    { className: "heads" },
    h("span", { className: "name" }, "look through"),
    shown.node,
  );
  const cutting = h(
    "details",
    { className: "fold" },
    h("summary", { className: "ui" }, "Cut heads out"),
    cuts,
  );
  const update = (head, off) => {
    shown.update(head);
    cutting.open ||= off.length > 0;
    switches.forEach((node, i) =>
      node.setAttribute(
        "aria-checked",
        groups[i].all.every((part) => off.includes(part)),
      ),
    );
  };
  return { node, cutting, names, parts, update };
};

/** {node, update(shares)}: the three likeliest letters after the one that looks. */
export const nextOf = (letters) => {
  const rows = [0, 1, 2].map(() => ({
    letter: h("b"),
    bar: h("i"),
    share: h("span"),
  }));
  const node = h(
    "div",
    { className: "writes" },
    ...rows.map(({ letter, bar, share }) =>
      h("p", {}, letter, h("span", { className: "bar" }, bar), share),
    ),
  );
  const update = (shares) => {
    const order = [...(shares ?? []).keys()].sort((a, b) => shares[b] - shares[a]);
    rows.forEach(({ letter, bar, share }, i) => {
      const known = order[i] !== undefined;
      letter.textContent = known ? letters[order[i]] : "–";
      bar.style.width = known ? `${(100 * shares[order[i]]).toFixed(1)}%` : "0";
      share.textContent = known ? `${(100 * shares[order[i]]).toFixed(0)}\u00a0%` : "";
    });
  };
  return { node, update };
};
