// What may be put in: words that are near one which is not known, and words like the one that is
// edited.

import { h, token } from "../kit/parts/dom.js";
import { roveAmong } from "../kit/parts/rove.js";
import { nearest } from "../kit/shared/words.js";

const SHOWN = 4;
const ENGLISH = /, | /;

/** How many letters may be wrong before a word is no longer near. */
const toleranceOf = (word) => Math.max(1, Math.floor(word.length / 3));

/**
 * Known words in the place of one that is not: by how it is spelt, by its English, by what kind of
 * thing it names.
 */
const nearTo = (word, { words, gloss, kin }) => {
  const typed = word.toLowerCase();
  const meant = words.filter((known) => (gloss[known] ?? "").split(ENGLISH).includes(typed));
  const kind = kin.find(([, outside]) => outside.some((one) => one.toLowerCase() === typed));
  const alike = [...meant, ...nearest(word, words, toleranceOf(word)), ...(kind?.[0] ?? [])];
  return [...new Set(alike)].slice(0, SHOWN);
};

/** Other words of a word's kind. */
const likeIt = (word, { kin }) => {
  const [inside = []] = kin.find(([inside]) => inside.includes(word)) ?? [];
  const at = inside.indexOf(word);
  return [...inside.slice(at + 1), ...inside.slice(0, Math.max(0, at))].slice(0, SHOWN);
};

/** The line above the sentence: `show` says what is offered, and a press takes it. */
export const suggestionsOf = (language, vocabulary, { replace }) => {
  const text = h("span", { className: "hint" });
  const list = h("span", { className: "offers", role: "group", "aria-label": "words to put in" });
  const node = h("div", { className: "ui help" }, text, list);
  const buttons = () => [...list.children];
  const renew = roveAmong(list, buttons);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the input keeps the focus

  const offer = (texts, act) => {
    const made = texts.map((one, i) => {
      const button = h("button", { type: "button", lang: language, tabIndex: i ? -1 : 0 });
      button.append(token(one));
      button.addEventListener("click", () => act(one));
      return button;
    });
    list.replaceChildren(...made);
    renew();
  };
  return {
    node,
    text,
    say(...nodes) {
      node.classList.remove("problem");
      text.replaceChildren(...nodes);
      offer([], null);
    },
    /** A word that is not known, in the place where `stood` was. */
    strange(word, index, readable, stood) {
      const known = vocabulary();
      const alike = nearTo(word, known);
      const near =
        alike.length || !stood ? alike : [stood, ...likeIt(stood, known)].slice(0, SHOWN);
      node.classList.add("problem");
      text.replaceChildren(
        "It has not learnt ",
        token(word),
        readable ? " and reads it as <unk>." : ".",
        near.length ? " Perhaps" : "",
      );
      offer(near, (one) => replace(index, one));
    },
    /** Words like the one that is edited. */
    like(word, index) {
      const like = likeIt(word, vocabulary());
      node.classList.remove("problem");
      text.replaceChildren("Type another word", like.length ? ", or" : "");
      offer(like, (one) => replace(index, one));
    },
  };
};
