// ManyNetworks: a router sends every token to few of many networks.

import { h } from "../kit/parts/dom.js";
import { signed } from "../kit/parts/numbers.js";
import { whenSized } from "../kit/parts/sized.js";
import { numbersTable } from "../kit/parts/tables.js";
import { frame } from "../kit/runtime/frame.js";
import { getAll, listen, put } from "../kit/runtime/model.js";
import { showHand } from "../kit/shared/ghost.js";
import { loadsOf } from "./loads.js";
import { balanced, isBalanced, loadOf, route } from "./routing.js";
import { planeOfTokens } from "./tokens.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   points: number[][],
 *   matrix: number[][],
 *   favour: number[],
 *   across: number,
 *   up: number,
 *   top_k: number,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const PAUSE = 40; // milliseconds between two steps of balance

const listed = (numbers) =>
  numbers.length < 2 ? `${numbers}` : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;

/** How it stands, in two sentences. */
const told = ({ load, chosen, favour }, near) => {
  const names = (indices) => listed(indices.map((i) => i + 1).sort((a, b) => a - b));
  const work =
    chosen.length === 1
      ? `Network ${names(chosen)} works for this token.`
      : `Networks ${names(chosen)} work for this token.`;
  const idle = load.flatMap((count, i) => (count === 0 ? [i] : []));
  const most = load.indexOf(Math.max(...load));
  if (isBalanced(load, near) && favour.some((liked) => liked !== 0))
    return `${work} Each is sent ${Math.min(...load)} to ${Math.max(...load)} tokens: only the choice was moved, the shares are still the router's.`;
  const none = idle.length ? `, and ${names(idle)} none: weights that are held and never work` : "";
  return `${work} Network ${most + 1} is sent ${load[most]} tokens${none}.`;
};

/** A button that balances step by step until it is done or pressed again. */
const balancer = (base, step, isDone) => {
  const node = h("button", { type: "button", className: "balance ui" }, "balance the load ›");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = 0;
  let left = 0;
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
  };
  const go = () => {
    left -= 1;
    step();
    if (isDone() || left <= 0) stop();
    else if (calm.matches) go();
    else timer = setTimeout(go, PAUSE);
  };
  node.addEventListener("click", () => {
    if (timer) return stop();
    left = base.constants.steps;
    return go();
  });
  base.ended.addEventListener("abort", stop);
  return { node, stop };
};

/** The numbers of the present state, as a table. */
const numbersIn = (base, networks) => {
  const { node, texts } = numbersTable(
    "the networks",
    networks.map((_, i) => `${i + 1}`),
    ["tokens", "favour", "share"],
  );
  base.numbers.append(node);
  return ({ load, favour, chosen, shares }) => {
    networks.forEach((_, i) => {
      const share = shares[chosen.indexOf(i)] ?? 0;
      [`${load[i]}`, signed(favour[i], 2), share.toFixed(4)].forEach((text, j) => {
        texts[3 * i + j].data = text;
      });
    });
  };
};

/** What is held beside what works. */
const billOf = (networks) => {
  const held = h("b", {}, `${networks.length} networks`);
  const works = h("b");
  const node = h("p", { className: "bill" }, "held: ", held, " · at work for this token: ", works);
  const update = ({ top_k }) => {
    const part = Math.round((100 * top_k) / networks.length);
    works.textContent = `${top_k}, ${part}\u00a0% of their weights`;
  };
  return { node, update };
};

const stateOf = (model) => {
  const [tokens, matrix, favour, top_k] = getAll(model, ["points", "matrix", "favour", "top_k"]);
  const router = { matrix, favour, top_k };
  const token = getAll(model, ["across", "up"]);
  return { ...router, token, ...route(token, router), load: loadOf(tokens, router) };
};

/** The two buttons: {node, update(state)}. */
const buttonsOf = (base, model) => {
  const { near, rate } = base.constants;
  const step = () => {
    const { favour, load } = stateOf(model);
    put(model, { favour: balanced(favour, load, rate) });
  };
  const balance = balancer(base, step, () => isBalanced(stateOf(model).load, near));
  const back = h("button", { type: "button", className: "ui" }, "put all back");
  back.addEventListener("click", () => {
    balance.stop();
    put(model, { favour: model.get("favour").map(() => 0) });
  });
  const update = ({ favour }) => {
    back.style.visibility = favour.some((liked) => liked !== 0) ? "visible" : "hidden";
  };
  return { node: h("div", { className: "buttons" }, balance.node, back), update };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model);
    showHand(base, ".knob.query");
    const { root, body, say, constants } = base;
    const [tokens, networks] = getAll(model, ["points", "matrix"]);
    const pull = ([across, up]) => put(model, { across, up });
    const plane = planeOfTokens({ tokens, networks, ...constants, pull });
    const loads = loadsOf(networks);
    const bill = billOf(networks);
    const buttons = buttonsOf(base, model);
    const write = numbersIn(base, networks);
    const line = h("p", { className: "plain told" });
    const name = h("p", { className: "plain" }, "tokens sent to each network (dotted: equal)");
    const side = h("div", { className: "side" }, name, loads.node, bill.node);
    body.classList.add("many-networks");
    body.append(buttons.node, line, h("div", { className: "both" }, plane.node, side));
    const draw = () => {
      const state = stateOf(model);
      for (const part of [plane, loads, bill, buttons]) part.update(state);
      write(state);
      line.textContent = told(state, constants.near);
      const { token, top_k, load, chosen, shares } = state;
      Object.assign(root.dataset, { across: token[0], up: token[1], topK: top_k });
      Object.assign(root.dataset, { load: load.join(" "), chosen: chosen.join(" ") });
      root.dataset.shares = shares.map((share) => share.toFixed(4)).join(" ");
      say(line.textContent);
    };
    const fit = () => {
      plane.fit(plane.node.clientWidth || 320);
      draw();
    };
    listen(model, ["across", "up", "top_k", "favour"], draw);
    whenSized(base, body, fit);
    fit();
    return () => base.dispose();
  },
};

export default figure;
