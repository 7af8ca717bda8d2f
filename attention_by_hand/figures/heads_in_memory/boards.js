// Two boards of blocks: as they lie in memory, and as a step of the code hands them out. A block
// glides where it goes.

import { h } from "../kit/parts/dom.js";
import { arrow } from "../kit/parts/rove.js";

const FLIGHT = 600; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Gives a node the colour of a part of the vectors: of the head that it belongs to. */
const colour = (node, part, H) => {
  node.classList.toggle("part", part !== null);
  node.style.setProperty("--hue", Math.round(210 + (360 * (part ?? 0)) / H));
};

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
  const name = (axis, text, count, isHeads) =>
    heads[axis].forEach((head, i) => {
      head.textContent = i < count ? text(i) : "";
      colour(head, isHeads && i < count ? i : null, H);
    });
  return {
    node: h("section", { className: `board ${kind}` }, title, area),
    title,
    area,
    put,
    name,
  };
};

const blockOf = ({ H }, word, part, tag) => {
  const ear = h("i", { className: "ear" });
  const node = h(tag, { className: "block paper" }, `${word}`, h("span", {}, `,${part}`), ear);
  colour(node, part, H);
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

/** A block on both boards, and who is given it at this step: its `owner`. */
const blockOn = (memory, name) => {
  const [word, part] = [Math.floor(name / memory.H), name % memory.H];
  const here = blockOf(memory, word, part, "div");
  const there = blockOf(memory, word, part, "button");
  there.type = "button";
  return { here, there, owner: null };
};

/** What the boards are called, and their rows and columns. */
const titlesOf = ({ T, H, D }, lying, given) => {
  const [memory, tensor] = [h("span", { className: "plain" }), h("span", { className: "plain" })];
  lying.title.append("in memory ", memory);
  given.title.append("in the tensor ", tensor);
  lying.name(0, (i) => `${i * D}`, T);
  const axes = [
    ["heads", H],
    ["tokens", T],
  ];
  return ({ copied }, headsFirst) => {
    const [down, across] = headsFirst ? axes : axes.toReversed();
    memory.textContent = copied ? "a new place for each" : "one long row, a line for each word";
    tensor.textContent = `${down[0]} down, ${across[0]} across`;
    given.name(0, (i) => `${i}`, down[1], headsFirst);
    given.name(1, (i) => `${i}`, across[1], !headsFirst);
  };
};

/** Shows whether a block is the chosen one, or one of its head, and says where it lies. */
const mark = ({ here, there, owner }, { head, token, isTold }, d) => {
  const isChosen = owner.head === head && owner.token === token;
  const isRight = owner.head === owner.part && owner.token === owner.word;
  there.classList.toggle("right", isTold && isRight);
  for (const node of [here, there]) {
    node.classList.toggle("on", owner.head === head);
    node.classList.toggle("chosen", isChosen);
  }
  there.tabIndex = isChosen ? 0 : -1;
  there.setAttribute("aria-pressed", isChosen);
  const places = `places ${owner.place * d} to ${(owner.place + 1) * d - 1}`;
  there.setAttribute(
    "aria-label",
    `${there.textContent}: head ${owner.head}, token ${owner.token}, ${places}`,
  );
};

/**
 * The boards. `choose({ head, token })` is called as a block is pressed, and its copy flies in
 * `home`.
 */
export const boardsOf = (memory, home, choose) => {
  const { T, H, d } = memory;
  const lying = boardOf(memory, "memory", "in memory");
  const given = boardOf(memory, "tensor", "in the tensor");
  const blocks = Array.from({ length: T * H }, (_, name) => blockOn(memory, name));
  const press = ({ here, there, owner: { head, token } }) => {
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

  let now = { head: 0, token: 0, headsFirst: true, isTold: false };
  given.area.addEventListener("keydown", (event) => {
    const { head, token, headsFirst } = now;
    const [row, col] = headsFirst ? [head, token] : [token, head];
    const next = arrow(event, row, col, ...(headsFirst ? [H, T] : [T, H]));
    if (!next) return;
    event.preventDefault();
    const [a, b] = headsFirst ? next : next.toReversed();
    choose({ head: a, token: b });
    blocks.find(({ owner }) => owner.head === a && owner.token === b).there.focus();
  });
  const title = titlesOf(memory, lying, given);
  const update = (layout, { head, token, isTold }) => {
    const headsFirst = layout.axes[0] === "H";
    now = { head, token, headsFirst, isTold };
    title(layout, headsFirst);
    for (const owner of memory.blocksOf(layout)) {
      const block = blocks[owner.word * H + owner.part];
      block.owner = owner;
      lying.put(block.here, Math.floor(owner.place / H), owner.place % H);
      const [row, col] = headsFirst ? [owner.head, owner.token] : [owner.token, owner.head];
      given.put(block.there, row, col);
      mark(block, now, d);
    }
  };
  return { node: h("div", { className: "boards" }, given.node, lying.node), update };
};
