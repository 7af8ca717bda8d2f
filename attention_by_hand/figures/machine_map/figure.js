// The machine as the film of one word: its strip of numbers rises, and changes at every stop.

import { h, quoted, svgNode, token } from "../kit/parts/dom.js";
import { frame } from "../kit/runtime/frame.js";
import { listen, put } from "../kit/runtime/model.js";
import { whenSized } from "../kit/parts/sized.js";
import { signed } from "../kit/parts/numbers.js";
import { numbersTable } from "../kit/parts/tables.js";
import { columnOf } from "./column.js";
import { dataOf, WORDS } from "./data.js";
import { layersOf, memoryOf, railOf, shortcutsOf } from "./overlay.js";
import { sentencesOf } from "./sentences.js";
import { stackOf } from "./stack.js";
import { textOf } from "./text.js";
import { threadsOf } from "./threads.js";
import { playOf, travelOf } from "./travel.js";

/**
 * The traits that Python declares.
 *
 * @typedef {{
 *   stop: number,
 *   written: number,
 *   source_word: number,
 *   decoder_word: number,
 *   last_stop: number,
 *   last_written: number,
 *   last_read: number,
 *   sizes: any,
 *   languages: string[],
 *   source_tokens: string[],
 *   decoder_tokens: string[],
 *   tokens: string[],
 *   vocabulary: string[],
 *   numbers: DataView,
 *   weights: DataView,
 *   stages: any,
 *   said: any,
 *   stops: any[],
 *   walk: any[],
 * }} Traits
 */
/** @typedef {import("../kit/runtime/model.js").Model<Traits>} Model */

/** The numbers of this stop as tables, for the menu. */
const tablesOf = (data) => {
  const stop = data.stop();
  const word = data.wordOf(stop.side);
  const columns = stop.reads.map(([caption, stage]) => [caption, data.vector(stage, word)]);
  const same = columns.filter(([, values]) => values.length === columns.at(-1)[1].length);
  const count = same[0][1].length;
  const names =
    stop.role === "out" ? data.vocabulary : Array.from({ length: count }, (_, i) => `${i}`);
  const numbers = numbersTable(
    "numbers",
    names,
    same.map(([caption]) => caption),
  );
  const digits = stop.part === "softmax" ? 4 : 2;
  numbers.texts.forEach((text, i) => {
    text.data = signed(same[i % same.length][1][Math.floor(i / same.length)], digits);
  });
  const looks = data.looks(stop, word);
  if (looks === null) return [numbers.node];
  const [tokens] = data.seenFrom(stop, word);
  const heads = looks.map((_, head) => `head ${head}`);
  const weights = numbersTable("weights", tokens, heads);
  weights.texts.forEach((text, i) => {
    text.data = looks[i % heads.length][Math.floor(i / heads.length)].toFixed(3);
  });
  return [weights.node, numbers.node];
};

/** What the figure says of its state: to tests and pages, and aloud. */
const report = (base, data, text) => {
  const stop = data.stop();
  const word = data.words[stop.side][data.wordOf(stop.side)];
  const [[next, probability]] = data.next(data.wordOf("target"), 1);
  Object.assign(base.root.dataset, {
    stop: stop.index,
    part: stop.part,
    layer: stop.layer,
    written: data.at("written"),
    sourceWord: data.at("source_word"),
    decoderWord: data.at("decoder_word"),
    next,
    probability: probability.toFixed(3),
  });
  const then = `Next word: ${quoted(next)} ${probability.toFixed(3)}.`;
  base.say(
    `${quoted(word)}, ${text.title.textContent}. ${text.says.textContent} ${text.said.textContent} ${then}`,
  );
};

/** The title: which word is on its way. */
const headOf = (data) => {
  const node = h("p", { className: "title film-title" });
  const update = () => {
    const { side } = data.stop();
    const word = h("b", { className: side }, token(data.words[side][data.wordOf(side)]));
    const stages = data
      .tower(side)
      .filter(({ role, label }) => !["out", "memory"].includes(role) && label !== "embedding");
    const size = `: ${data.size} numbers, ${stages.length} stages`;
    node.replaceChildren("The word ", word, " on its way up", h("span", {}, size));
  };
  return { node, update };
};

/**
 * What a hand asks for: another stop, another word on its way, one written word more. It pauses what
 * plays, and a word that is sent begins at the bottom.
 *
 * @param {Model} model
 */
const handOf = (model, data, { pause, leave }) => {
  const topOf = (side) => (data.stop().side === side ? data.stop() : data.tower(side).at(-1));
  const choose = (stop) => {
    pause();
    put(model, { stop });
  };
  return {
    choose,
    send(side, word) {
      choose(topOf(side).index);
      put(model, { [WORDS[side]]: word });
      leave();
    },
    write() {
      choose(topOf("target").index);
      put(model, { written: data.at("written") + 1 });
    },
  };
};

/** What is drawn over the strips; `hand` drags the ball. */
const overOf = (data, stack, hand) => {
  const { rows } = stack;
  const rail = railOf(data, { rows, ...hand });
  const layers = layersOf(data, stack);
  const memory = memoryOf(data, stack);
  const shortcuts = shortcutsOf(data, rows);
  const threads = threadsOf(data);
  const parts = [layers, memory, shortcuts, threads, rail].map(({ node }) => node);
  const node = svgNode("svg", { class: "over", "aria-hidden": "true" }, ...parts);
  const draw = () => {
    rail.measure();
    for (const part of [layers, memory, shortcuts]) part.draw();
  };
  const fit = ({ clientWidth, clientHeight }) => {
    node.setAttribute("width", clientWidth);
    node.setAttribute("height", clientHeight);
    draw();
  };
  return { node, rail, threads, draw, fit };
};

/** The word on its way: `follow(dragged)` brings it where the traits say, and a hand at once. */
const motionOf = (base, data, stack, { rail, threads }) => {
  const show = (row) => {
    stack.paint(data.stop().side, Math.floor(row));
    return rail.show(row);
  };
  const travel = travelOf(base, data, {
    rows: stack.rows,
    show(row) {
      show(row);
      threads.draw(null);
    },
    arrive: () => threads.draw(show(data.stop().row)),
  });
  let shown = {}; // which word of which side
  const follow = (dragged) => {
    const { side } = data.stop();
    const now = { side, word: data.wordOf(side) };
    if (dragged || now.side !== shown.side) travel.rest();
    else if (now.word !== shown.word) travel.go(0);
    else travel.go();
    shown = now;
  };
  return { ...travel, follow };
};

const figure = {
  /** @param {{ model: Model, el: HTMLElement }} home */
  render({ model, el }) {
    const base = frame(el, model, { redraw: () => update() });
    const data = dataOf(model, base.constants);
    model.spoken = {
      written: (count) => data.words.target.slice(0, count + 1).join(" "),
      stop: (at) => `${data.stop().part}, stage ${at}`,
      source_word: (at) => data.words.source[at],
      decoder_word: (at) => data.words.target[at],
    };
    let dragged = false;

    const hand = handOf(model, data, { pause: () => play.pause(), leave: () => motion.go(0) });
    const head = headOf(data);
    const stack = stackOf(base, data, hand);
    const over = overOf(data, stack, {
      choose(stop) {
        dragged = true;
        hand.choose(stop);
      },
      done() {
        dragged = false;
      },
    });
    const { rail, threads } = over;
    const column = columnOf(data, stack);
    const motion = motionOf(base, data, stack, over);
    const play = playOf(data, {
      step: (stop) => put(model, { stop }),
      says: (on) => text.playing(on),
    });
    const text = textOf(base, data, { choose: hand.choose, play });
    const sentences = sentencesOf(data, hand);
    const strips = [stack.node, threads.beside];
    const above = [over.node, rail.hit, column.line, motion.node];
    const film = h("div", { className: "film" }, ...strips, ...above);
    base.body.className = "body machine";
    base.body.append(head.node, sentences.node, film, column.readout, text.node);

    const place = () => {
      over.fit(film);
      if (!motion.moving()) motion.rest();
    };
    const update = () => {
      for (const part of [head, stack, text, sentences]) part.update();
      threads.write();
      over.draw();
      motion.follow(dragged);
      base.numbers.replaceChildren(...tablesOf(data));
      report(base, data, text);
    };
    model.on("change:written", () => put(model, { decoder_word: data.at("written") })); // it decides what is written next
    listen(model, ["stop", "written", ...Object.values(WORDS)], update);
    update();
    whenSized(base, film, place);
    place();
    return () => base.dispose();
  },
};

export default figure;
