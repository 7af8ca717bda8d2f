// What happens at this stop, in a sentence or two, and the buttons that go on.

import { chapterLink, h, token } from "../kit/parts/dom.js";

const TERMS = ["query", "key", "keys", "value", "values"];

/** A text with its gaps filled: `{word}` and so on become nodes, the rest stays text. */
const filled = (text, gaps) =>
  text
    .split(/\{(\w+)\}/)
    .map((part, i) => (i % 2 ? gaps[part]() : part))
    .filter((part) => part !== "");

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The words of a stop: a node for each gap. */
const gapsOf = (data, stop, word) => {
  const name = (text) => h("b", {}, token(text));
  const looks = data.looks(stop, word);
  const strongest = () => {
    const [tokens, open] = data.seenFrom(stop, word);
    const means = tokens
      .slice(0, open)
      .map((_, i) => looks.reduce((sum, weights) => sum + weights[i], 0) / data.heads);
    const best = means.indexOf(Math.max(...means));
    return [tokens[best], means[best]];
  };
  const terms = TERMS.map((term) => {
    return [term, () => h("b", { className: term.replace(/s$/, "") }, term)];
  });
  return {
    word: () => name(data.words[stop.side][word]),
    best: () => name(strongest()[0]),
    share: () => `${Math.round(100 * strongest()[1])}\u00a0%`,
    next: () => name(data.next(word, 1)[0][0]),
    size: () => `${data.size}`,
    layers: () => (data.layers === 1 ? "its one layer" : `${data.layers} layers`),
    vocabulary: () => `${data.vocabulary.length}`,
    source: () => data.languages.source,
    target: () => data.languages.target,
    ...Object.fromEntries(terms),
  };
};

/** What would be written if the vectors stopped here: three words, each with its share. */
const saidOf = (words) => {
  if (!words.length) return [];
  const shares = words.map(([word, share], i) => {
    const name = h(i ? "span" : "b", { className: "target", translate: "no" }, token(word));
    return [i ? ", " : "", name, ` ${Math.round(100 * share)}\u00a0%`];
  });
  return ["If it stopped here: ", ...shares.flat(), "."];
};

export const textOf = (base, data, { choose, play }) => {
  const title = h("p", { className: "title" });
  const says = h("p", { className: "says" });
  const said = h("p", { className: "said" });
  const next = h("button", { type: "button", className: "walk" });
  const travel = h("button", { type: "button", className: "travel" });
  const steps = h("div", { className: "steps ui" }, next, travel);
  const node = h("div", { className: "text" }, title, says, said, steps);
  const walk = data.at("walk");
  const { site, pages } = base.constants;
  let walking = false;

  /**
   * Where the walk halts next: at the first halt above this stop, and from the last one at the
   * first.
   */
  const onward = () => {
    const later = walk.filter((halt) => halt > data.at("stop"));
    return walking && later.length ? later[0] : walk[0];
  };
  next.addEventListener("click", () => {
    const to = onward();
    walking = true;
    choose(to);
    update(); // also where it stood there already
  });
  travel.addEventListener("click", () => play.turn());

  /** The chapters that explain it: "Chapter 2, 3, 4". */
  const links = ({ chapters }) => {
    const all = chapters.map((chapter, i) => {
      const link = chapterLink(site, pages[chapter], i ? chapter : `Chapter ${chapter}`);
      return i ? [", ", link] : [link];
    });
    return h("span", { className: "links" }, ...all.flat());
  };
  const update = () => {
    const stop = data.stop();
    const word = data.wordOf(stop.side);
    title.textContent = `${capital(stop.label.replace("+ ", ""))}${data.layers > 1 ? stop.name : ""}`;
    says.replaceChildren(...filled(stop.says, gapsOf(data, stop, word)), " ", links(stop));
    said.replaceChildren(...saidOf(data.said(stop, word)));
    next.textContent = walking ? "Next ›" : "Take the walk ›";
    const halt = walk.indexOf(stop.index);
    if (!walking || halt < 0) return;
    if (halt === walk.length - 1) next.textContent = "Walk again ›";
    else next.append(h("span", {}, ` ${halt + 1} of ${walk.length}`));
  };
  const playing = (on) => {
    travel.textContent = on ? "❚❚ pause" : "▶ play";
    travel.setAttribute("aria-label", on ? "pause" : "play: send the word up");
  };
  playing(false);
  return { node, update, playing, title, says, said };
};
