// The reader's turn: letters are seen once, one after the other, and typed again.

import { h } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";
import { lettersOf, marksOf } from "./round.js";

const LEAD = 800; // milliseconds until the first letter comes
const EACH = 550; // and so long it stays
const INVITED = "Your turn. How many letters can you keep? You see each of them once.";
const WATCHED = "Watch, and remember.";
const ASKED = "Now type them, with a blank for each that you have forgotten.";

/** A row of tiles, over which the field lies that is typed into: `show(texts, kinds)`. */
const tilesOf = () => {
  const tiles = h("div", { className: "tiles", "aria-hidden": "true" });
  const field = h("input", {
    type: "text",
    className: "typed ui",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    enterKeyHint: "done",
  });
  const show = (texts, kinds = []) => {
    tiles.style.setProperty("--n", `${texts.length}`);
    const tile = (text, i) => h("span", { className: `tile ${kinds[i] ?? ""}` }, text);
    tiles.replaceChildren(...texts.map(tile));
  };
  return { node: h("div", { className: "row" }, tiles, field), field, show };
};

/** A button for each number of letters; `begin(i)` is called. */
const offersOf = (lengths, begin) => {
  const buttons = lengths.map((length, i) => {
    const button = h("button", { type: "button", "aria-label": `${length} letters` }, `${length}`);
    button.addEventListener("click", () => begin(i));
    return button;
  });
  const stop = rove([buttons]);
  const row = { className: "offers", role: "group", "aria-label": "letters to keep" };
  const focus = (i) => {
    stop(0, i);
    buttons[i].focus();
  };
  return { node: h("div", row, ...buttons, h("span", {}, "letters")), focus };
};

/** Rows of each length in turn: none comes twice before all have come. */
const dealerOf = (rows) => {
  const next = rows.map((some) => Math.floor(Math.random() * some.length));
  return (i) => rows[i][next[i]++ % rows[i].length];
};

/**
 * Shows letters one after the other, each for a moment; without motion they stand still together,
 * for as long. Returns what ends that.
 */
const flash = (letters, show, done) => {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const alone = (at) => letters.map((letter, i) => (i === at ? letter : ""));
  const frames = still ? [letters] : letters.map((_, i) => alone(i));
  const stay = still ? EACH * letters.length : EACH;
  let timer;
  const next = () => {
    if (!frames.length) return done();
    show(frames.shift());
    timer = setTimeout(next, stay);
  };
  show(alone(-1));
  timer = setTimeout(next, LEAD);
  return () => clearTimeout(timer);
};

/** The reader's rounds, and the one that is played. */
export class Play {
  /** Those that are over: {row, marks}, the letters with what the models wrote, and the marks. */
  rounds = [];
  /** {i, row, isShown}: which length, its letters as above, and whether they are still coming. */
  #now = null;
  #stop = () => {};

  /**
   * `begun(length)` is called as letters are about to come, `spoken(text)` gives a screen reader
   * what it is to say, and `done()` is called after a round.
   */
  constructor(base, rows, { played, asked }, { begun, spoken, done }) {
    this.root = base.root;
    this.asked = asked;
    this.begun = begun;
    this.spoken = spoken;
    this.done = done;
    this.deal = dealerOf(rows);
    this.line = h("p", { className: "told" });
    this.tiles = tilesOf();
    this.offers = offersOf(played, (i) => this.begin(i));
    this.finish = h("button", { type: "button", className: "finish" }, "That is all I remember");
    this.acts = h("div", { className: "acts ui" }, this.offers.node, this.finish);
    this.node = h("div", { className: "play" }, this.line, this.tiles.node, this.acts);
    this.tiles.field.addEventListener("input", () => this.#type());
    this.tiles.field.addEventListener("keydown", (event) => {
      const act = { Enter: () => this.#end(), Escape: () => this.#leave() }[event.key];
      if (!act || event.isComposing) return;
      event.preventDefault(); // or the button that has the focus then would be pressed at once
      act();
    });
    this.finish.addEventListener("click", () => this.#end());
    base.ended.addEventListener("abort", () => this.#stop());
    this.#turn(null);
    this.#invite();
  }

  begin(i) {
    const row = this.deal(i);
    const letters = [...row[0]];
    const { field, show } = this.tiles;
    this.#turn({ i, row, isShown: true });
    field.setAttribute("aria-label", `${letters.length} letters, a blank for each forgotten`);
    field.focus(); // in the press itself, or a phone would show no keyboard
    this.line.textContent = WATCHED;
    this.begun(letters.length);
    this.spoken(`${letters.length} letters, said once: ${letters.join(", ")}`);
    this.#stop = flash(letters, show, () => this.#ask());
  }

  /** What is told of the last round. */
  tell(text) {
    if (!this.#now) this.line.textContent = text;
  }

  /** Shows what belongs to the reader's turn, or to none. */
  #turn(now) {
    this.#now = now;
    this.tiles.field.value = "";
    this.tiles.field.hidden = this.finish.hidden = !now;
    this.finish.disabled = true;
    this.acts.classList.toggle("playing", now !== null);
    this.root.dataset.turn = now ? "reader" : "";
  }

  #invite() {
    this.line.textContent = INVITED;
    this.tiles.show(Array(this.asked).fill(""));
  }

  #ask() {
    this.#now.isShown = false;
    this.line.textContent = ASKED;
    this.finish.disabled = false;
    this.spoken(""); // the letters are not to be found again
    this.#type();
  }

  #typed() {
    return lettersOf(this.tiles.field.value, this.#now.row[0].length);
  }

  #type() {
    const { row, isShown } = this.#now;
    if (isShown) {
      this.tiles.field.value = ""; // nobody writes along
      return;
    }
    const typed = this.#typed();
    const texts = [...row[0]].map((_, i) => typed[i] ?? "");
    this.tiles.show(
      texts,
      texts.map((_, i) => (i === typed.length ? "next" : "")),
    );
  }

  #end() {
    if (this.#now.isShown) return;
    const { i, row } = this.#now;
    const typed = this.#typed();
    const marks = marksOf(row[0], typed);
    this.rounds.push({ row, marks });
    this.#turn(null);
    this.tiles.show(
      marks.map((_, place) => typed[place] ?? ""),
      marks,
    );
    this.done();
    this.offers.focus(i);
  }

  /** Ends a round without a result. */
  #leave() {
    const { i } = this.#now;
    this.#stop();
    this.#turn(null);
    this.#invite();
    this.spoken("");
    this.offers.focus(i);
  }
}
