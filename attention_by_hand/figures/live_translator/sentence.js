// The sentence as chips. A chip becomes an input where it stands: a blank ends its word and begins
// the next.

import { h } from "../kit/parts/dom.js";
import { split } from "../kit/shared/words.js";

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

/**
 * What is typed: a blank ends the word, Enter and the arrows leave it, and Escape gives back what
 * stood there.
 */
const listenToInput = (sentence, input) => {
  input.addEventListener("input", () => {
    const typed = split(input.value);
    if (/\s$/u.test(input.value)) typed.push("");
    sentence.type(typed);
  });
  input.addEventListener("keydown", (event) => {
    const { selectionStart: start, selectionEnd: end, value } = input;
    const { at } = sentence;
    const leave = {
      Enter: at,
      ArrowLeft: end === 0 && at > 0 ? at - 1 : null,
      ArrowRight: start === value.length ? at + 1 : null,
    }[event.key];
    if (event.isComposing) return;
    if (event.key === "Escape") sentence.cancel();
    else if (event.key === "Backspace" && !value && at > 0) sentence.join();
    else if (leave !== null && leave !== undefined) sentence.close({ focus: leave });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener("blur", ({ relatedTarget }) => {
    if (sentence.at >= 0 && !relatedTarget?.closest?.(".offers")) sentence.close();
  });
};

/**
 * Keys on the chips: a letter begins another word, and with Alt the arrows move the word itself.
 */
const listenToChips = (sentence, node) => {
  node.addEventListener("keydown", (event) => {
    const index = sentence.chips.indexOf(event.target);
    if (index < 0) return;
    const { key, altKey, ctrlKey, metaKey } = event;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (altKey && by) sentence.move(index, by);
    else if (altKey || ctrlKey || metaKey) return;
    else if (key === "Delete" || key === "Backspace") sentence.remove(index);
    else {
      // The input takes the letter itself.
      if (/^\S$/u.test(key)) sentence.edit(index, { empty: true });
      return;
    }
    event.preventDefault();
  });
};

export class Sentence {
  words = [];
  /** The place of the word that is edited, or −1. */
  at = -1;
  chips = [];
  /** The words as they stood before the present editing. */
  before = [];

  /**
   * `look` says of a word what it means and whether it is known; `changed` is called when the words
   * are others, `moved` when another is edited.
   */
  constructor(look, { changed, moved }) {
    this.look = look;
    this.changed = changed;
    this.moved = moved;
    this.input = inputOf(look.language);
    this.ruler = h("span", { className: "ruler", "aria-hidden": "true" });
    this.field = h("span", { className: "field" }, this.ruler, this.input);
    this.add = h("button", { type: "button", className: "add ui", title: "one more word" }, "+");
    this.add.setAttribute("aria-label", "one more word");
    this.node = h("div", { className: "line source", role: "toolbar" });
    this.node.setAttribute("aria-label", "the sentence");
    listenToInput(this, this.input);
    listenToChips(this, this.node);
    this.add.addEventListener("click", () => this.edit(this.words.length, { empty: true }));
  }

  /** The words that stand there; one that is empty is none yet. */
  get typed() {
    return this.words.filter(Boolean);
  }

  /** Makes the field as wide as what stands in it. */
  fit() {
    this.ruler.textContent = this.input.value || "word";
    this.input.scrollLeft = 0; // there is room for all of it now
  }

  /**
   * The nodes of the words, the field for the one that is edited. It keeps the focus: only the
   * others are put anew.
   */
  fill() {
    const { words, at, field, node, add } = this;
    this.chips = words.map((word, i) => (i === at ? field : chipOf(word, i, this.look)));
    if (at < 0) return node.replaceChildren(...this.chips, add);
    for (const other of [...node.children]) if (other !== field) other.remove();
    if (!field.isConnected) node.append(field);
    field.before(...this.chips.slice(0, at));
    field.after(...this.chips.slice(at + 1), add);
    this.fit();
  }

  write(word) {
    this.input.value = word;
    this.fill();
  }

  /** The word that stood there before the present editing. */
  stoodAt(index) {
    return this.before[index] ?? "";
  }

  set(words) {
    this.before = [];
    this.words = [...words];
    this.at = -1;
    this.fill();
  }

  /**
   * Ends the editing of another word, which has no focus that it could lose: one that was begun and
   * left empty is taken away. Says where the word at `index` is then.
   */
  #tidied(index) {
    const { words, at } = this;
    if (at < 0 || at === index) return index;
    if (!words[at] && words.length === 1) return at; // there is nothing else to go to
    this.at = -1;
    if (words[at]) return index;
    words.splice(at, 1);
    return index > at ? index - 1 : index;
  }

  edit(index, { empty = false } = {}) {
    const place = this.#tidied(index);
    if (this.at < 0) this.before = [...this.words];
    if (place === this.words.length) this.words.push("");
    this.at = place;
    this.write(empty ? "" : this.words[place]);
    this.input.focus();
    this.input.select();
    this.moved();
  }

  /** Takes what was typed in place of the edited word; the last of several is edited on. */
  type(words) {
    const last = words.at(-1) ?? "";
    const ended = words.slice(0, -1);
    this.words.splice(this.at, 1, ...ended, last);
    this.at += ended.length;
    if (ended.length || this.input.value !== last) this.write(last);
    else this.fit();
    this.changed();
  }

  /** Leaves an empty word for the one before it. */
  join() {
    this.words.splice(this.at, 1);
    this.at--;
    this.write(this.words[this.at]);
    this.changed();
  }

  /** Another sentence, as if it were typed. */
  retake(words) {
    this.set(words);
    this.changed();
  }

  /** Begins anew, with an empty line. */
  clear() {
    this.before = [...this.words];
    this.words = [""];
    this.at = 0;
    this.write("");
    this.input.focus();
    this.changed();
  }

  /** Ends the editing. The other chips stay: a finger may be pressing one of them. */
  close({ focus = -1 } = {}) {
    if (this.at < 0) return;
    const { words, at, chips, field } = this;
    this.at = -1;
    if (words[at]) {
      chips[at] = chipOf(words[at], at, this.look);
      field.replaceWith(chips[at]);
    } else if (words.length > 1) {
      words.splice(at, 1);
      chips.splice(at, 1);
      field.remove();
      chips.forEach((chip, index) => Object.assign(chip, { index }));
    } else {
      this.words = this.before;
      this.fill();
      this.changed();
    }
    this.moved();
    this.chips[Math.min(focus, this.chips.length - 1)]?.focus();
  }

  /** Ends the editing, and gives back what stood there. */
  cancel() {
    this.words = this.before;
    this.at = -1;
    this.fill();
    this.moved();
    this.changed();
    this.chips[0].focus();
  }

  /** Puts a word in the place of another. */
  replace(index, word) {
    this.words[index] = word;
    this.at = -1;
    this.#changeTo(index);
  }

  remove(index) {
    const place = this.#tidied(index);
    if (this.words.length < 2) return;
    this.words.splice(place, 1);
    this.#changeTo(Math.max(0, place - 1));
  }

  /** Moves a word by one place. */
  move(index, by) {
    const place = this.#tidied(index);
    const to = place + by;
    if (!(to in this.words)) return;
    const { words } = this;
    [words[place], words[to]] = [words[to], words[place]];
    this.#changeTo(to);
  }

  /** Shows the words, which are others now, with the focus on one of them. */
  #changeTo(index) {
    this.fill();
    this.changed();
    this.chips[index].focus();
  }
}
