// The live translator: a sentence is typed, the engine translates it with what the reader has cut out, and threads show
// where each word looked.

import { translatorOf } from "../engine/translator.js";
import { h } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { split } from "../kit/words.js";
import { askingOf } from "./asking.js";
import { experimentsOf } from "./experiments.js";
import { numbersOf } from "./numbers.js";
import { headOf, lookOf } from "./parts.js";
import { pictureOf } from "./picture.js";
import { looksOf } from "./settings.js";
import { shownOf } from "./shown.js";
import { sideOf } from "./side.js";
import { saysOf } from "./telling.js";
import { topOf } from "./top.js";

const CHANGES = ["off", "beam", "temperature", "seed"];

const figure = {
  render({ model, el }) {
    el.dataset.figure = "LiveTranslator";
    const base = frame(el, model);
    const { root, constants } = base;
    const at = (trait) => model.get(trait);
    const motion = matchMedia("(prefers-reduced-motion: reduce)");
    const still = () => motion.matches;
    const shown = shownOf(model);
    const translator = translatorOf(model, base.ended);
    let pointed = null; // the word under the pointer or the focus
    let written = Infinity; // how many words are to be seen, while the reader watches

    const top = topOf(model, shown, {
      changed() {
        experiments.close();
        picture.follow();
        asking.askSoon();
      },
      moved() {
        picture.follow();
        update();
      },
    });
    const { sentence } = top;
    const typed = () => sentence.words.filter(Boolean);
    const picture = pictureOf(base, shown, sentence, {
      language: at("german") ? "en" : "",
      point(word) {
        pointed = word;
        update();
      },
      choose(word, event) {
        if (!word) return;
        const again = shown.chosen?.side === word.side && shown.chosen.index === word.index;
        if (word.side === "target") put(model, { step: word.index, source_word: -1 });
        else if (event.pointerType !== "touch" || again) {
          sentence.edit(sentence.chips.indexOf(word));
        } else put(model, { source_word: word.index });
        update();
      },
    });
    const looks = looksOf(model);
    const side = sideOf(model, shown, constants, {
      touched: () => experiments.close(),
      point(part) {
        const look = lookOf(part);
        if (headOf(look ?? shown.look) === headOf(shown.look) && !shown.glance) return;
        shown.glance = look;
        picture.spin();
        update();
      },
    });
    const says = saysOf(model, shown, constants);

    const lit = () => {
      if (shown.source.join(" ") !== typed().join(" ")) return null; // not yet translated
      if (written < shown.target.length) return { side: "target", index: written - 1 };
      if (sentence.at < 0) return pointed ?? shown.chosen;
      const index = picture.words.source.indexOf(sentence.chips[sentence.at]);
      return index < 0 ? null : { side: "source", index };
    };
    /** What depends on the word that is looked at. */
    const update = () => {
      picture.light(lit(), written);
      const text = says.tellWord(lit());
      Object.assign(root.dataset, { step: at("step"), sourceWord: at("source_word") });
      if (root.dataset.state === "done") base.say(text);
    };
    /** What depends on the translation, or on whose look it is. */
    const draw = () => {
      picture.draw();
      looks.show();
      side.show();
      top.show();
      if (shown.answer) {
        says.tellChange();
        base.numbers.replaceChildren(...numbersOf(shown));
      }
      const { kind } = shown.look;
      Object.assign(root.dataset, { kind, layer: at("layer"), head: at("head") });
      Object.assign(root.dataset, { off: at("off").join(" "), written: shown.target.join(" ") });
      update();
    };

    const asking = askingOf(model, shown, translator, {
      typed,
      still,
      answered: draw,
      write(n) {
        written = n;
        update();
      },
      state(name, busy, message) {
        root.dataset.state = name;
        root.setAttribute("aria-busy", busy);
        if (name !== "writing") written = Infinity;
        side.show();
        says.tellState(name, message);
        if (name === "refused") base.say(top.said);
        if (name !== "done") return;
        update();
        base.say(says.whole);
      },
    });
    const experiments = experimentsOf(model, {
      set({ source, ...traits }, wait) {
        if (source) take(split(source));
        return asking.set(traits, wait);
      },
      still,
      asked(question) {
        says.hide(experiments.asks);
        if (question) base.say(question);
      },
    });
    const take = (words) => {
      top.set(words);
      picture.follow();
    };
    says.node.append(experiments.card);
    const parts = [top.node, picture.node, looks.node, says.node, experiments.node];
    const main = h("div", { className: "main" }, ...parts);
    base.body.append(h("div", { className: "live" }, main, side.node));

    for (const trait of CHANGES) model.on(`change:${trait}`, side.tidy);
    for (const trait of CHANGES) model.on(`change:${trait}`, asking.ask);
    for (const trait of ["kind", "layer", "head"]) model.on(`change:${trait}`, draw);
    model.on("change:step", () => put(model, { source_word: -1 }));
    for (const trait of ["step", "source_word"]) model.on(`change:${trait}`, update);
    model.on("change:source", () => {
      if (split(at("source")).join(" ") === typed().join(" ")) return;
      take(split(at("source")));
      asking.askKept();
    });
    const start = async () => {
      asking.ask();
      top.learn(await translator.loaded.catch(() => null));
    };
    model.on("change:weights", start);

    side.tidy();
    top.set(split(at("source")));
    if (at("translated") === at("source") && !asking.different()) {
      Object.assign(shown, { source: split(at("source")), target: at("written") });
      shown.intact = shown.target;
    }
    draw();
    start();
    return () => base.dispose();
  },
};

export default figure;
