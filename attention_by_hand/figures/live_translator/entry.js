// The sentence, what is offered for it, and other sentences to begin with.

import { h } from "../kit/parts/dom.js";
import { dotsOf } from "../kit/parts/dots.js";
import { split } from "../kit/shared/words.js";
import { getter } from "../kit/runtime/model.js";
import { idsOf } from "./requests.js";
import { suggestionsOf } from "./suggestions.js";
import { Sentence } from "./sentence.js";

/** @import { Model } from "./figure.js" */

const HINT = "Click a word to change it.";
const EMPTY = "Type German, such as “ich trinke Tee .”";

/** A button that gives an empty line. */
const freshOf = (sentence) => {
  const fresh = h("button", { type: "button", className: "fresh" }, "✎ type");
  fresh.title = "type a sentence of your own";
  fresh.addEventListener("click", () => sentence.clear());
  return fresh;
};

/**
 * Says what is wrong with the sentence, or what can be done with it.
 *
 * @param {any} sentence
 * @param {any} suggestions
 * @param {{ model: Model, isKnown: (word: string) => boolean, most: number }} known
 */
const helpWith = (sentence, suggestions, { model, isKnown, most }) => {
  const at = getter(model);
  const words = sentence.typed;
  if (!words.length) return suggestions.say(at("german") ? EMPTY : "Type a sentence.");
  if (words.length > most) {
    return suggestions.say(`That is ${words.length} words, and it takes at most ${most}.`);
  }
  const strange = sentence.words.findIndex((word) => !isKnown(word));
  if (strange >= 0) {
    const stood = sentence.stoodAt(strange);
    const back = isKnown(stood) ? stood : "";
    return suggestions.strange(sentence.words[strange], strange, at("knows_unknown"), back);
  }
  if (sentence.at >= 0) return suggestions.like(sentence.words[sentence.at], sentence.at);
  suggestions.say(HINT);
};

/**
 * `changed()` is called when the words are others, `moved()` when another one is edited.
 *
 * @param {Model} model
 */
export const entryOf = (model, view, { changed, moved }) => {
  const at = getter(model);
  const language = at("german") ? "de" : ""; // "": not known
  let known = null; // config and vocabularies, once the weights are there

  const vocabulary = () => ({
    words: known?.source.slice(known.config.n_special_ids) ?? [],
    gloss: at("gloss"),
    kin: at("kin"),
  });
  const isKnown = (word) => !known || !word || idsOf([word], known)[0] >= 0;
  const english = at("german") ? "en" : "";
  const look = { language, english, known: isKnown, meaning: (word) => view.meaning(word) };
  const helpAnd = (then) => () => {
    help();
    then();
  };
  const sentence = new Sentence(look, { changed: helpAnd(changed), moved: helpAnd(moved) });
  const suggestions = suggestionsOf(language, vocabulary, {
    replace: (index, word) => sentence.replace(index, word),
  });
  const fresh = freshOf(sentence);
  const others = dotsOf("others", "other sentences", at("sentences"), (n) =>
    sentence.retake(split(at("sentences")[n])),
  );

  const help = () => {
    const most = known?.config.max_length ?? Infinity;
    helpWith(sentence, suggestions, { model, isKnown, most });
  };

  return {
    node: h("div", { className: "ui top" }, suggestions.node, others.node, fresh),
    sentence,
    set(words) {
      sentence.set(words);
      help();
    },
    /** The vocabularies are there. */
    learn(words) {
      known = words;
      help();
    },
    get problem() {
      return suggestions.text.textContent;
    },
    show: () => others.show(at("sentences").indexOf(at("source"))),
  };
};
