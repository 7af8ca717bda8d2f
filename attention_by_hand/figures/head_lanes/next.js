// What is written next with the heads that are on: two bars, the first inside its old outline.

import { h, token } from "../kit/parts/dom.js";

const lineOf = () => {
  const word = token("");
  const bar = h("i");
  const value = h("b");
  const old = h("s");
  return { word, bar, old, value, node: h("li", {}, word, h("span", {}, old, bar), value) };
};

/** What the heads that are cut had looked at, as a sentence. */
const lossOf = (data) => {
  const row = data.row();
  const off = data.heads.filter((head) => !data.isOn(head));
  const all = data.odds(2 ** data.H - 1, row).chosen.toFixed(2);
  if (!off.length) return ["This is with all heads on."];
  const looked = new Map();
  for (const head of off) {
    const best = data.best(head, row);
    looked.set(best, [...(looked.get(best) ?? []), head]);
  }
  const groups = [...looked].flatMap(([key, some], i) => [
    i ? "; " : "",
    `${some.length > 1 ? "heads" : "head"} ${some.join(", ")} ${i ? "" : "looked most "}at `,
    h("b", { className: "key" }, token(data.source[key])),
  ]);
  return [`Was ${all}: `, ...groups, "."];
};

export const nextOf = (data) => {
  const lines = [lineOf(), lineOf()];
  const loss = h("p", { className: "loss" });
  const node = h(
    "div",
    { className: "next" },
    h("p", { className: "note" }, "next word"),
    h("ul", { className: "bars" }, ...lines.map((line) => line.node)),
    loss,
  );
  const update = () => {
    const row = data.row();
    const now = data.odds(data.choice(), row);
    const all = data.odds(2 ** data.H - 1, row);
    const words = [
      [data.tokens[row], now.chosen, all.chosen],
      [now.rival, now.other, 0],
    ];
    words.forEach(([text, probability, before], i) => {
      const { word, bar, old, value, node } = lines[i];
      Object.assign(word, { textContent: text, title: text });
      bar.style.width = `${100 * probability}%`;
      old.style.width = `${100 * before}%`;
      value.textContent = probability.toFixed(2);
      node.classList.toggle("likeliest", probability === Math.max(now.chosen, now.other));
    });
    loss.replaceChildren(...lossOf(data));
  };
  return { node, update };
};
