// What there is to press: play, and models to choose from, each with what is known of it.

import { h } from "../kit/parts/dom.js";
import { rove } from "../kit/parts/rove.js";

/** @import { Model } from "./figure.js" */

/** Traits as the model of a page holds them: an option of a choice by its index. */
export const stored = (settings, choices) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      choices[name] ? choices[name].indexOf(value) : value,
    ]),
  );

/**
 * {node, more, others, name(), focus(), update({playing, ended})}; `others` is a fold with the models,
 * which opens once the first run has ended, or another model is chosen; `measured` says whether what is known
 * of the models holds for what they learn, and `act` has `play()`, `more()` and
 * `choose(settings)`.
 *
 * @param {Model} model
 */
export const presetsOf = (model, { presets, own, choices, round }, measured, act) => {
  const names = Object.keys(presets);
  const settings = Object.values(presets).map((preset) => stored(preset.settings, choices));
  const play = h("button", { type: "button", className: "play", "data-action": "play" });
  const more = h(
    "button",
    { type: "button", className: "more ui", "data-action": "more", title: `${round} steps more` },
    `+ ${round}`,
  );
  more.setAttribute("aria-label", more.title);
  const pills = names.map((name, i) => {
    const pill = h("button", { type: "button", className: "pill", "data-preset": name }, name);
    pill.addEventListener("click", () => act.choose(settings[i]));
    return pill;
  });
  const row = { className: "pills", role: "group", "aria-label": "models" };
  const stop = rove([pills]);
  const others = h("details", { className: "fold ui" }, h("summary", {}, "Other models to train"));
  let isQuiet = true;
  const texts = [...Object.values(presets).map(({ text }) => text), own];
  const promises = texts.map((text) => h("p", {}, text));
  play.addEventListener("click", act.play);
  more.addEventListener("click", act.more);

  const isSet = ([trait, value]) => model.get(trait) === value;
  const promise = h("div", { className: "promise" }, ...promises);
  others.append(h("div", row, ...pills), promise);

  const chosen = () => settings.findIndex((values) => Object.entries(values).every(isSet));
  const first = chosen();
  return {
    node: h("div", { className: "ui bar" }, play),
    more,
    others,
    focus: () => play.focus(),
    name() {
      const known = measured ? names[chosen()] : null;
      return known?.replace("…", "collapse") ?? "your own";
    },
    update({ playing, ended }) {
      const i = chosen();
      pills.forEach((pill, j) => pill.setAttribute("aria-pressed", j === i));
      stop(0, Math.max(0, i));
      const known = i >= 0 && measured;
      const said = known ? i : promises.length - 1;
      promises.forEach((text, j) => text.classList.toggle("on", j === said));
      if (isQuiet && (ended || i !== first)) {
        others.open = true;
        isQuiet = false;
      }
      play.textContent = playing ? "❚❚" : "▶";
      const start = ended ? "play again" : "play";
      play.setAttribute("aria-label", playing ? "pause" : start);
      more.hidden = playing || !ended;
    },
  };
};
