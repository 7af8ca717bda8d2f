// Break it: a German sentence, four parts of the machine that can be switched off, and what it then
// writes.

import { translatorOf } from "../engine/translator.js";
import { chapterLink, h } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { put } from "../kit/runtime/model.js";
import { numbersTable } from "../kit/parts/tables.js";
import { sentenceOf } from "../kit/shared/words.js";
import { write } from "./translation.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   weights: DataView,
 *   source: any[],
 *   written: any[],
 *   disordered: any[],
 *   off: any[],
 *   gloss: any,
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

const AT_REST = "All four are in. Switch one off, and see what becomes of the translation.";
const COUNTS = { 2: "Two", 3: "Three", 4: "All four" };

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    el.dataset.figure = "BreakIt";
    const base = frame(el, model, { said: () => textOf(model, base) });
    const { switches, site } = base.constants;
    const off = () =>
      switches.map(([part]) => part).filter((part) => model.get("off").includes(part));

    const row = switchesOf(switches, (part) => {
      put(model, {
        off: off().includes(part) ? off().filter((one) => one !== part) : [...off(), part],
      });
    });
    const line = h("p", { className: "translation", lang: "en" });
    const verdict = h("p", { className: "verdict" });
    const back = h("button", { type: "button", className: "back ui" }, "Put everything back");
    back.addEventListener("click", () => {
      put(model, { off: [] });
      row.focus(); // the button is gone
    });
    base.body.append(
      sourceOf(model),
      row.node,
      h("div", { className: "outcome" }, line, h("div", { className: "says" }, verdict, back)),
    );

    const translator = translatorOf(model, base.ended);
    let latest = 0; // older answers come too late
    const show = (parts, words) => {
      const intact = model.get("written");
      line.classList.remove("old");
      base.body.setAttribute("aria-busy", false);
      verdict.replaceChildren(...saying(switches, parts, site));
      write(line, words, intact);
      base.numbers.replaceChildren(wordTable(words, intact));
      Object.assign(base.root.dataset, { off: parts.join(" "), written: words.join(" ") });
      base.say(`It writes: ${words.slice(0, 24).join(" ")}`);
    };
    const update = async () => {
      const parts = off();
      const question = ++latest;
      row.show(parts);
      back.hidden = !parts.length;
      const known = { "": "written", positions: "disordered" }[parts.join()];
      if (known) return show(parts, model.get(known));
      base.body.setAttribute("aria-busy", translator.ready);
      line.classList.add("old");
      if (!translator.ready) verdict.textContent = "Loading the translator …";
      try {
        const { ids } = await translator.loaded;
        const source = model.get("source").map((word) => ids.get(word));
        const { words } = await translator.translate(source, { off: parts });
        if (question === latest) show(parts, words);
      } catch (error) {
        if (question !== latest) return;
        line.classList.remove("old");
        base.body.setAttribute("aria-busy", false);
        verdict.textContent = `The translator ${translator.fault}: ${error.message}`;
      }
    };
    model.on("change:off", update);
    update();
    return () => base.dispose();
  },
};

/** @param {Model} model */
const glossesOf = (model) =>
  model
    .get("source")
    .map((word) => model.get("gloss")[word] ?? "")
    .join(" ");

/**
 * The German words, each over its English.
 *
 * @param {Model} model
 */
const sourceOf = (model) =>
  h(
    "p",
    { className: "source" },
    ...model.get("source").map((word) => {
      const meaning = model.get("gloss")[word] ?? "";
      const gloss = { lang: "en", "aria-hidden": "true" }; // aloud, the glosses come after all words
      return h("span", {}, h("bdi", { lang: "de" }, word), h("small", gloss, meaning));
    }),
    h("span", { className: "sr", lang: "en" }, `, word for word: ${glossesOf(model)}`),
  );

/** A row of switches, on while their part is in its place. */
const switchesOf = (switches, turn) => {
  const buttons = switches.map(([part, name, term]) => {
    const button = h(
      "button",
      { type: "button", role: "switch", className: "switch" },
      h("span", { className: "knob" }, h("i")),
      h("b", {}, name),
      h("small", {}, term),
    );
    button.addEventListener("click", () => turn(part));
    return button;
  });
  return {
    node: h("div", { className: "switches", role: "group", "aria-label": "parts" }, ...buttons),
    focus: () => buttons[0].focus(),
    show(off) {
      switches.forEach(([part], i) => buttons[i].setAttribute("aria-checked", !off.includes(part)));
    },
  };
};

/** What is seen, and the chapter that says why. */
const saying = (switches, off, site) => {
  if (!off.length) return [AT_REST];
  if (off.length > 1)
    return [`${COUNTS[off.length]} are off. Put one back to see what it was for.`];
  const [, , , chapter, text] = switches.find(([part]) => part === off[0]);
  const words = text.split("*").map((part, i) => (i % 2 ? h("em", {}, part) : part));
  return [...words, " ", chapterLink(site, chapter, `Chapter ${Number(chapter.slice(0, 2))} →`)];
};

/**
 * What is shown, as text: the sentence, what is off, and what is written then.
 *
 * @param {Model} model
 */
const textOf = (model, { constants, root }) => {
  const { off = "", written = "" } = root.dataset; // neither, while the translator is loaded
  const parts = off.split(" ");
  const names = constants.switches.filter(([part]) => parts.includes(part)).map(([, name]) => name);
  const without = `Without ${names.join(", ")} it writes`;
  return [
    `German: ${sentenceOf(model.get("source"))}`,
    `The whole translator writes: ${sentenceOf(model.get("written"))}`,
    ...(names.length ? [`${without}: ${sentenceOf(written.split(" "))}`] : []),
  ].join("\n");
};

const wordTable = (words, intact) => {
  const length = Math.max(words.length, intact.length);
  const columns = Array.from({ length }, (_, i) => `${i + 1}`);
  const { node, texts } = numbersTable("What it writes, word by word", ["now", "whole"], columns);
  texts.forEach((text, n) => {
    text.data = (n < length ? words[n] : intact[n - length]) ?? "";
  });
  return node;
};

export default figure;
