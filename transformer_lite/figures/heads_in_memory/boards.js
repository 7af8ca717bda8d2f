// Two boards of blocks: as they lie in memory, and as a step of the code hands them out. A block glides where it goes.

import { tint } from "../kit/colour.js";
import { h } from "../kit/dom.js";
import { arrow } from "../kit/frame.js";

const FLIGHT = 600; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** A board with room for `rows` x `cols` blocks; `put(block, row, col)` moves one there. */
const boardOf = ({ T, H }, kind, label) => {
  const most = Math.max(T, H);
  const [rows, cols] = kind === "memory" ? [T, H] : [most, most];
  const title = h("p", { className: "title" });
  const area = h("div", { className: "area", role: "group", "aria-label": label });
  area.classList.toggle("many", most > 10); // too narrow for two numbers
  area.style.setProperty("--rows", rows);
  area.style.setProperty("--cols", cols);
  const heads = [rows, cols].map((count, axis) =>
    Array.from({ length: count }, (_, i) => {
      const head = h("span", { className: axis ? "head across" : "head", "aria-hidden": "true" });
      head.style.setProperty("--at", i);
      area.append(head);
      return head;
    }),
  );
  const put = (block, row, col) => {
    block.style.setProperty("--row", row);
    block.style.setProperty("--col", col);
  };
  const name = (axis, text, count) =>
    heads[axis].forEach((head, i) => {
      head.textContent = i < count ? text(i) : "";
    });
  return {
    node: h("section", { className: `board ${kind}` }, title, area),
    title,
    area,
    put,
    name,
  };
};

const blockOf = ({ T }, word, part, tag) => {
  const node = h(tag, { className: "block paper" }, `${word}`, h("span", {}, `,${part}`));
  node.style.background = tint(0.15 + (0.85 * word) / Math.max(1, T - 1));
  return node;
};

/** Lets a copy of one block fly from one board to the other. */
const fly = (home, from, to) => {
  if (still.matches) return;
  const [origin, start, end] = [home, from, to].map((node) => node.getBoundingClientRect());
  const copy = h("div", { className: "block flying", "aria-hidden": "true" }, from.textContent);
  copy.style.width = `${start.width}px`;
  copy.style.height = `${start.height}px`;
  home.append(copy);
  const at = ({ left, top }) => ({
    transform: `translate(${left - origin.left}px, ${top - origin.top}px)`,
  });
  const flight = copy.animate([at(start), at(end)], { duration: FLIGHT, easing: "ease-in-out" });
  flight.onfinish = () => copy.remove();
  flight.oncancel = () => copy.remove();
};

/** The boards. `choose({ head, token })` is called as a block is pressed, and its copy flies in `home`. */
export const boardsOf = (memory, home, choose) => {
  const { T, H, d } = memory;
  const lying = boardOf(memory, "memory", "in memory");
  const given = boardOf(memory, "tensor", "in the tensor");
  let byName = new Map(); // who is given the block of each word and part, now
  const nameOf = (word, part) => word * H + part;
  const blocks = Array.from({ length: T * H }, (_, i) => {
    const [word, part] = [Math.floor(i / H), i % H];
    const here = blockOf(memory, word, part, "div");
    const there = blockOf(memory, word, part, "button");
    there.type = "button";
    return { word, part, here, there };
  });
  const press = ({ word, part, here, there }) => {
    const { head, token } = byName.get(nameOf(word, part));
    choose({ head, token });
    fly(home, there, here);
  };
  for (const block of blocks) {
    lying.area.append(block.here);
    given.area.append(block.there);
    for (const node of [block.here, block.there])
      node.addEventListener("click", () => press(block));
  }
  lying.area.setAttribute("aria-hidden", "true"); // the line above says where they lie
  const chosen = ({ head, token }) => {
    for (const [name, owner] of byName)
      if (owner.head === head && owner.token === token) return blocks[name];
  };
  let now = null;
  given.area.addEventListener("keydown", (event) => {
    const { head, token, headsFirst } = now;
    const [row, col] = headsFirst ? [head, token] : [token, head];
    const next = arrow(event, row, col, ...(headsFirst ? [H, T] : [T, H]));
    if (!next) return;
    event.preventDefault();
    const [a, b] = headsFirst ? next : next.toReversed();
    choose({ head: a, token: b });
    chosen({ head: a, token: b }).there.focus();
  });

  const place = (block, owner, { head, token, headsFirst }) => {
    const { here, there } = block;
    lying.put(here, Math.floor(owner.place / H), owner.place % H);
    const [row, col] = headsFirst ? [owner.head, owner.token] : [owner.token, owner.head];
    given.put(there, row, col);
    const isChosen = owner.head === head && owner.token === token;
    for (const node of [here, there]) {
      node.classList.toggle("on", owner.head === head);
      node.classList.toggle("chosen", isChosen);
    }
    there.tabIndex = isChosen ? 0 : -1;
    there.setAttribute("aria-pressed", isChosen);
    const places = `places ${owner.place * d} to ${(owner.place + 1) * d - 1}`;
    there.setAttribute("aria-label", `head ${owner.head}, token ${owner.token}: ${places}`);
  };
  const update = (layout, { head, token }) => {
    const headsFirst = layout.axes[0] === "H";
    now = { head, token, headsFirst };
    byName = new Map(memory.blocksOf(layout).map((one) => [nameOf(one.word, one.part), one]));
    blocks.forEach((block, name) => place(block, byName.get(name), now));
    const names = ["head", "token"];
    const [rows, cols] = headsFirst ? names : names.toReversed();
    const counts = headsFirst ? [H, T] : [T, H];
    lying.title.replaceChildren(
      "in memory ",
      h(
        "span",
        { className: "plain" },
        layout.copied ? "a new place for each" : "one long row, a line for each word",
      ),
    );
    given.title.replaceChildren(
      "in the tensor ",
      h("span", { className: "plain" }, `${rows}s down, ${cols}s across`),
    );
    lying.name(0, (i) => `${i * H * d}`, T);
    lying.name(1, () => "", H);
    given.name(0, (i) => `${i}`, counts[0]);
    given.name(1, (i) => `${i}`, counts[1]);
  };
  return { node: h("div", { className: "boards" }, given.node, lying.node), update };
};
