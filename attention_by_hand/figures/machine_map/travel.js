// The motion: a strip travels up to where the word goes next, and its numbers change on the way.

import { h } from "../kit/parts/dom.js";
import { MOST } from "./stack.js";

const STAGE = 400; // milliseconds
const LONGEST = 1200;
const PAUSE = { attention: 900, out: 900 }; // at a stop, before it goes on
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Calls `show(row)`, with parts of a row too, until it has come to the row where the word goes. */
export const travelOf = (base, data, { rows, show, arrive }) => {
  const strip = h("canvas", { className: "pixels traveller ui", hidden: true });
  let frame = null;
  let row = null;

  /** The strip between two rows: its place and its colours are both between theirs. */
  const paint = (at) => {
    const { side } = data.stop();
    const own = rows.filter(({ stop }) => stop.side === side && stop.role !== "out");
    const below = own[Math.min(own.length - 1, Math.floor(at))];
    const above = own[Math.min(own.length - 1, Math.ceil(at))];
    const part = at - Math.floor(at);
    const [from, to] = [below, above].map(({ stop }) => {
      return data.vector(stop.reads.at(-1)[1], data.wordOf(side));
    });
    const values = from.map((value, i) => value + (to[i] - value) * part);
    base.paint(strip, values, 1, values.length, { most: MOST, signed: true });
    const between = (side_) =>
      below.picture[side_] + (above.picture[side_] - below.picture[side_]) * part;
    strip.style.top = `${between("offsetTop")}px`;
    strip.style.height = `${between("offsetHeight")}px`;
    strip.style.left = `${below.picture.offsetLeft}px`;
    strip.style.width = `${below.picture.offsetWidth}px`;
  };
  const end = () => {
    cancelAnimationFrame(frame);
    frame = null;
    strip.hidden = true;
    strip.removeAttribute("style");
    base.body.removeAttribute("aria-busy");
  };
  const rest = () => {
    end();
    row = data.stop().row;
    show(row);
    arrive();
  };
  /** From one row, or from where it is, to the stop. */
  const go = (from = row) => {
    const to = data.stop().row;
    if (still.matches || from === to || from === null) return rest();
    end();
    const time = Math.min(LONGEST, STAGE * Math.abs(to - from));
    let began = null;
    base.body.setAttribute("aria-busy", true);
    strip.hidden = false;
    const step = (now) => {
      began ??= now;
      const part = Math.min(1, (now - began) / time);
      row = from + (to - from) * (part < 0.5 ? 2 * part ** 2 : 1 - 2 * (1 - part) ** 2);
      if (part === 1) return rest();
      show(row);
      paint(row);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  };
  base.ended.addEventListener("abort", end);
  return { node: strip, go, rest, moving: () => frame !== null };
};

/** Goes up stop by stop, and rests where there is something to see. */
export const playOf = (data, { step, says }) => {
  let timer = null;
  const pause = () => {
    clearTimeout(timer);
    timer = null;
    says(false);
  };
  const last = () => data.tower(data.stop().side).at(-1).index;
  const go = () => {
    step(data.at("stop") + 1);
    if (data.at("stop") === last()) return pause();
    timer = setTimeout(go, (still.matches ? 2 * STAGE : STAGE) + (PAUSE[data.stop().role] ?? 60));
  };
  const turn = () => {
    if (timer !== null) return pause();
    if (data.at("stop") === last()) step(data.tower(data.stop().side)[0].index);
    says(true);
    timer = setTimeout(go, STAGE);
  };
  return { turn, pause, playing: () => timer !== null };
};
