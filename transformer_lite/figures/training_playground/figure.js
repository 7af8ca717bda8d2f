// Training playground: the engine learns a few sentences in its worker; the page shows what it would do after each step.

import { drag, pointIn } from "../kit/drag.js";
import { guessMark } from "../kit/guess.js";
import { h, quoted } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { insideOf } from "./inside.js";
import { likeness, lossText } from "./measures.js";
import { playerOf } from "./player.js";
import { plotOf } from "./plot.js";
import { presetsOf } from "./presets.js";
import { burst, runsOf, taken } from "./run.js";
import { sentencesOf, textOf } from "./sentences.js";

const [NARROW, WIDE, GHOSTS] = [280, 760, 3];

/** The words to learn: ids without padding, and the words they stand for. */
const wordsOf = (model) => {
  const { pad_id, eos_id } = model.get("config");
  const [sources, targets] = ["source", "target"].map((trait) =>
    model.get(trait).map((row) => row.filter((id) => id !== pad_id)),
  );
  const [sourceWords, targetWords] = [model.get("source_words"), model.get("target_words")];
  return { sources, targets, sourceWords, targetWords, end: eos_id };
};

/** The reader's guess along the floor that it names. */
const guessIn = (base, model, zones, plot) =>
  guessMark(base, model, "line", ({ guess }) => {
    const said = Number.parseFloat(guess);
    const zone = zones.find(([, lower]) => lower > 0 && Math.abs(lower - said) < 0.001);
    if (!zone) return null;
    const { px, py, last } = plot();
    const y = py(zone[1]);
    const middle = { x: (px(0) + px(last)) / 2, y: y - 5, "text-anchor": "middle" };
    return [{ x1: px(0), x2: px(last), y1: y, y2: y }, middle];
  });

/** What is spoken of a step. */
const saying = (run, step, words) => {
  const written = run.looks[step]?.written ?? [];
  const texts = written.map((ids) => quoted(textOf(ids, words.targetWords, words.end)));
  return `step ${step}, loss ${lossText(run.losses[step])}. ${texts.join(", ")}`;
};

/** The slider behind the ball, for the keyboard: beyond its end, it takes one step more. */
const scrubOf = (show, further) => {
  const node = h("input", {
    type: "range",
    className: "sr scrub",
    min: 0,
    "aria-label": "step shown",
  });
  node.addEventListener("input", () => show(Number(node.value)));
  node.addEventListener("keydown", (event) => {
    if (!["ArrowRight", "ArrowUp"].includes(event.key) || node.value !== node.max) return;
    event.preventDefault();
    further();
  });
  return node;
};

const lossTable = (losses) => {
  const row = (loss, step) =>
    h("tr", {}, h("th", { scope: "row" }, `${step}`), h("td", {}, loss.toFixed(6)));
  const head = ["step", "loss"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "table",
    {},
    h("caption", {}, "loss after each step"),
    h("thead", {}, h("tr", {}, ...head)),
    h("tbody", {}, ...losses.map(row)),
  );
};

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => update() });
    const { root, body, say, constants } = base;
    const { round, presets, choices } = constants;
    const settings = [...Object.keys(Object.values(presets)[0].settings), "seed"];
    const [words, zones] = [wordsOf(model), model.get("zones")];
    const runs = runsOf(model, choices);
    let [run, ghosts, shown, goal] = [null, [], 0, round];
    const key = () => JSON.stringify(settings.map((trait) => model.get(trait)));

    const show = (step, drawn) => {
      shown = step;
      if (drawn) update();
    };
    const player = playerOf(
      { run: () => run, ahead: runs.ahead, shown: () => shown, goal: () => goal, show },
      base.ended,
    );
    const scrubTo = (step) => {
      if (player.playing()) player.pause();
      show(Math.max(0, Math.min(taken(run), step)), true);
    };
    const presetRow = presetsOf(model, constants, {
      play: () => (player.playing() ? player.pause() : player.play()),
      more: () => {
        goal += round;
        player.play();
      },
      choose: (values) => {
        put(model, values);
        put(model, { layer: model.get("last_layer") });
        shown = 0;
        player.play();
      },
    });
    const sentences = sentencesOf(words);
    const inside = insideOf(words, base.paint, (values) => put(model, values));
    const scrub = scrubOf(scrubTo, player.step);
    let plot = { node: h("div") };
    const curve = h("div", { className: "curve" }, scrub, plot.node, presetRow.more);
    const mine = guessIn(base, model, zones, () => plot);
    body.classList.add("playground");
    body.append(sentences.node, curve, presetRow.node, presetRow.note, inside.node);

    function start() {
      player.pause();
      if (run && taken(run) > 0) {
        ghosts = [...ghosts.filter((ghost) => ghost.key !== run.key), run].slice(-GHOSTS);
      }
      const { settings: known, ...look } = model.get("untrained");
      const same = known && settings.every((trait) => known[trait] === model.get(trait));
      run = Object.assign(runs.start(same ? look : null), { key: key(), name: presetRow.name() });
      [shown, goal] = [0, round];
      update();
      const begun = run;
      runs.first(run)?.then(() => begun === run && update());
    }

    function fit() {
      const width = Math.min(WIDE, Math.max(NARROW, Math.round(body.clientWidth || WIDE)));
      if (plot.width === width && plot.last === goal) return;
      const next = { ...plotOf(zones, width, goal), width };
      plot.node.replaceWith(next.node);
      plot = next;
      plot.node.append(mine.node);
      drag(plot.node, { move: (event) => scrubTo(plot.stepAt(pointIn(plot.node, event).x)) });
    }

    function update() {
      if (!run) return;
      const [look, playing] = [run.looks[shown], player.playing()];
      const chosen = {
        sentence: model.get("sentence"),
        layer: model.get("layer"),
        head: model.get("head"),
      };
      fit();
      sentences.show(look?.written);
      plot.update({
        losses: run.losses,
        shown,
        ghosts: ghosts.filter(({ key }) => key !== run.key),
      });
      mine.draw();
      presetRow.update({ playing, ended: shown >= goal || (burst(run) && shown === taken(run)) });
      inside.update(look, chosen);
      base.numbers.replaceChildren(...inside.numbers(), lossTable(run.losses));
      scrub.max = taken(run);
      scrub.value = shown;
      const told = saying(run, shown, words);
      scrub.setAttribute("aria-valuetext", told);
      note(look, playing);
      if (!playing) say(told);
    }

    /** What tests and pages read. */
    function note(look, playing) {
      for (const trait of [...settings, "sentence", "layer", "head"])
        root.dataset[trait] = model.get(trait);
      const loss = run.losses[shown];
      const written = look?.written.map((ids) => textOf(ids, words.targetWords, words.end)) ?? [];
      Object.assign(root.dataset, {
        step: shown,
        taken: taken(run),
        loss: Number.isFinite(loss) ? loss : "",
        alike: look ? likeness(look.memory, words.sources) : "",
        translations: JSON.stringify(written),
        state: playing ? "training" : "idle",
      });
    }

    const watch = new ResizeObserver(() => update());
    watch.observe(body);
    for (const trait of settings) model.on(`change:${trait}`, start);
    for (const trait of ["sentence", "layer", "head"]) model.on(`change:${trait}`, () => update());
    start();
    return () => {
      watch.disconnect();
      runs.close();
      base.dispose();
    };
  },
};

export default figure;
