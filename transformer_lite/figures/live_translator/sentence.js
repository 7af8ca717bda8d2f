// The sentence as chips. A chip becomes an input where it stands: a blank ends its word and begins the next.

import { h } from "../kit/dom.js";
import { split } from "../kit/words.js";

const chipOf = (word, index, { language, english, meaning, known }) => {
  const chip = h("button", { type: "button", className: "word chip", lang: language });
  chip.append(h("bdi", { className: "token", dir: "auto", title: word }, word));
  chip.append(h("span", { className: "meant", lang: english }, meaning(word)));
  chip.classList.toggle("unknown", !known(word));
  chip.dataset.text = word; // as wide as it is in bold: see the style
  return Object.assign(chip, { side: "source", index });
};

const inputOf = (language) =>
  h("input", {
    name: "source",
    lang: language,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    maxLength: 400,
    enterKeyHint: "done",
    "aria-label": "a word of the sentence",
  });

/** What is typed: a blank ends the word, Enter and the arrows leave it, and Escape gives back what stood there. */
const listenToInput = (self, input, { write, fit, changed, cancel }) => {
  input.addEventListener("input", () => {
    const typed = split(input.value);
    if (/\s$/u.test(input.value)) typed.push("");
    const last = typed.pop() ?? "";
    self.words.splice(self.at, 1, ...typed, last);
    self.at += typed.length;
    if (typed.length || input.value !== last) write(last);
    else fit();
    changed();
  });
  input.addEventListener("keydown", (event) => {
    const { selectionStart: start, selectionEnd: end, value } = input;
    const { at } = self;
    const leave = {
      Enter: at,
      ArrowLeft: end === 0 && at > 0 ? at - 1 : null,
      ArrowRight: start === value.length ? at + 1 : null,
    }[event.key];
    if (event.isComposing) return;
    if (event.key === "Escape") cancel();
    else if (event.key === "Backspace" && !value && at > 0) {
      self.words.splice(at, 1);
      self.at--;
      write(self.words[self.at]);
      changed();
    } else if (leave !== null && leave !== undefined) self.close({ focus: leave });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener("blur", ({ relatedTarget }) => {
    if (self.at >= 0 && !relatedTarget?.closest?.(".offers")) self.close();
  });
};

/** Keys on the chips: a letter begins another word, and with Alt the arrows move the word itself. */
const listenToChips = (self, node) => {
  node.addEventListener("keydown", (event) => {
    const index = self.chips.indexOf(event.target);
    if (index < 0) return;
    const { key, altKey, ctrlKey, metaKey } = event;
    if (altKey && /^Arrow(Left|Right)$/.test(key)) self.move(index, key === "ArrowLeft" ? -1 : 1);
    else if (altKey || ctrlKey || metaKey) return;
    else if (key === "Delete" || key === "Backspace") self.remove(index);
    else if (/^\S$/u.test(key))
      return self.edit(index, { empty: true }); // the input takes the letter itself
    else return;
    event.preventDefault();
  });
};

/**
 * `words` are the present ones and `at` is the place of the one that is edited, or −1. `look` says of a word what it
 * means and whether it is known; `changed` is called when the words are others, `moved` when another is edited.
 */
export const sentenceOf = (look, { changed, moved }) => {
  const input = inputOf(look.language);
  const ruler = h("span", { className: "ruler", "aria-hidden": "true" });
  const field = h("span", { className: "field" }, ruler, input);
  const add = h("button", { type: "button", className: "add", title: "one more word" }, "+");
  add.setAttribute("aria-label", "one more word");
  const node = h("div", { className: "line source", role: "toolbar" });
  node.setAttribute("aria-label", "the sentence");
  let before = [];
  const self = { node, input, words: [], at: -1, chips: [] };

  /** Makes the field as wide as what stands in it. */
  const fit = () => {
    ruler.textContent = input.value || "word";
    input.scrollLeft = 0; // there is room for all of it now
  };
  /** The nodes of the words, the field for the one that is edited. It keeps the focus: only the others are put anew. */
  const fill = () => {
    const { words, at } = self;
    self.chips = words.map((word, i) => (i === at ? field : chipOf(word, i, look)));
    if (at < 0) return node.replaceChildren(...self.chips, add);
    for (const other of [...node.children]) if (other !== field) other.remove();
    if (!field.isConnected) node.append(field);
    field.before(...self.chips.slice(0, at));
    field.after(...self.chips.slice(at + 1), add);
    fit();
  };
  const write = (word) => {
    input.value = word;
    fill();
  };

  /** The word that stood there before the present editing. */
  self.stoodAt = (index) => before[index] ?? "";
  self.set = (words) => {
    before = [];
    Object.assign(self, { words: [...words], at: -1 });
    fill();
  };
  self.edit = (index, { empty = false } = {}) => {
    if (self.at < 0) before = [...self.words];
    if (index === self.words.length) self.words.push("");
    self.at = index;
    write(empty ? "" : self.words[index]);
    input.focus();
    input.select();
    moved();
  };
  /** Another sentence, as if it were typed. */
  self.retake = (words) => {
    self.set(words);
    changed();
  };
  /** Begins anew, with an empty line. */
  self.clear = () => {
    before = [...self.words];
    self.words = [""];
    self.at = 0;
    write("");
    input.focus();
    changed();
  };
  /** Ends the editing. The other chips stay: a finger may be pressing one of them. */
  self.close = ({ focus = -1 } = {}) => {
    if (self.at < 0) return;
    const { words, at } = self;
    self.at = -1;
    if (words[at]) {
      self.chips[at] = chipOf(words[at], at, look);
      field.replaceWith(self.chips[at]);
    } else if (words.length > 1) {
      words.splice(at, 1);
      self.chips.splice(at, 1);
      field.remove();
      self.chips.forEach((chip, index) => Object.assign(chip, { index }));
    } else {
      self.words = before;
      fill();
      changed();
    }
    moved();
    self.chips[Math.min(focus, self.chips.length - 1)]?.focus();
  };
  /** Puts a word in the place of another. */
  self.replace = (index, word) => {
    self.words[index] = word;
    self.at = -1;
    fill();
    changed();
    self.chips[index].focus();
  };
  self.remove = (index) => {
    if (self.words.length < 2) return;
    self.words.splice(index, 1);
    fill();
    changed();
    self.chips[Math.max(0, index - 1)].focus();
  };
  /** Moves a word by one place. */
  self.move = (index, by) => {
    const to = index + by;
    if (!(to in self.words)) return;
    const { words } = self;
    [words[index], words[to]] = [words[to], words[index]];
    fill();
    changed();
    self.chips[to].focus();
  };

  const cancel = () => {
    self.words = before;
    self.at = -1;
    fill();
    moved();
    changed();
    self.chips[0].focus();
  };
  listenToInput(self, input, { write, fit, changed, cancel });
  listenToChips(self, node);
  add.addEventListener("click", () => self.edit(self.words.length, { empty: true }));
  return self;
};
