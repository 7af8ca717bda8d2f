// The two sentences: a click on a word sends that word up; a button writes the next one.

import { h, token } from "../kit/parts/dom.js";

export const sentencesOf = (data, { send, write }) => {
  const chips = {};
  const lang = { German: "de", English: "en" };
  const rowOf = (side) => {
    chips[side] = data.words[side].map((word, i) => {
      const chip = h("button", { type: "button", className: "chip" }, token(word));
      chip.addEventListener("click", () => send(side, i));
      return chip;
    });
    const name = `${data.languages[side]} words`;
    const language = lang[data.languages[side]] ?? ""; // "": not known
    return h("div", {
      className: `words ${side}`,
      role: "group",
      "aria-label": name,
      lang: language,
    });
  };
  const label = (side) => h("p", {}, data.languages[side]);
  const [source, target] = ["source", "target"].map(rowOf);
  source.append(...chips.source);
  const button = h("button", { type: "button", className: "write ui" }, "write the next word ›");
  button.addEventListener("click", write);
  // Out of sight, all words: so the row has room for them from the start, and nothing moves below
  // it.
  const ghost = h("div", { className: "words ghost", "aria-hidden": "true" });
  ghost.append(...data.words.target.map((text) => h("span", { className: "chip" }, text)));
  ghost.append(h("span", { className: "writes" }, button.textContent));
  target.append(...chips.target, button);
  const node = h(
    "div",
    { className: "sentences" },
    label("source"),
    source,
    label("target"),
    h("div", { className: "grows" }, ghost, target),
  );
  const update = () => {
    const { side } = data.stop();
    for (const [own, list] of Object.entries(chips)) {
      list.forEach((chip, i) => {
        const chosen = i === data.wordOf(own);
        chip.setAttribute("aria-pressed", own === side && chosen);
        chip.classList.toggle("waits", own !== side && chosen); // in the other tower
      });
    }
    chips.target.forEach((chip, i) => {
      chip.hidden = i > data.at("written");
    });
    button.disabled = data.at("written") === data.at("last_written");
  };
  return { node, update };
};
