// The first picture: the keys, the question, and how far each key reaches along it.

import { svgNode } from "../kit/parts/dom.js";
import { dot, signed } from "../kit/parts/numbers.js";
import { nameAt, planeOf } from "../kit/shared/plane.js";

const LINE = 17; // pixels from a name to its score
const APART = 5; // pixels between the question and what is laid along it
const NEAR = 0.6; // so near to a key, the question would have its name on that of the key
const SNAP = 0.12; // so near to no question at all, it is none

/**
 * @param {any} line
 * @param {number[]} from
 * @param {number[]} to
 */
const setLine = (line, [x1, y1], [x2, y2]) => {
  for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, value);
};

/**
 * @param {{ words: string[], reach: number, step: number, ask: Function, pull: Function }} how
 *     `ask(question)` and `pull(word, key)` are told what the hand does
 */
export const scoresOf = ({ words, reach, step, ask, pull }) => {
  const plane = planeOf({ label: "the question and the keys", reach, step });
  const { svg } = plane;
  const axes = [0, 1].map(() => svgNode("line", { class: "axis" }));
  const onward = svgNode("line", { class: "onward" });
  const falls = words.map(() => svgNode("line", { class: "fall" }));
  const reaches = words.map(() => svgNode("line", { class: "reach" }));
  svg.append(...axes, onward, ...falls, ...reaches);
  const arrows = words.map(() => plane.arrow("key"));
  const question = plane.arrow("query");
  const names = words.map((word) => svgNode("text", { class: "key" }, word));
  const numbers = words.map(() => svgNode("text", { class: "key number" }));
  const asked = svgNode("text", { class: "query" }, "the question");
  svg.append(...names, ...numbers, asked);
  const pulls = words.map((word, i) =>
    plane.knob({
      className: "key",
      name: `the key of “${word}”`,
      moved: (key) => pull(i, key),
    }),
  );
  const handle = plane.knob({
    className: "query",
    moved: (point) => ask(Math.hypot(...point) < SNAP ? [0, 0] : point),
  });

  /** Where a key falls on the line of the question: a point, or the middle where nothing is asked. */
  const fallOf = (key, asking) => {
    const long = dot(asking, asking);
    const share = long ? dot(key, asking) / long : 0;
    return asking.map((value) => share * value);
  };
  const update = ({ asking, keys: vectors, scores }) => {
    setLine(axes[0], plane.at([-reach, 0]), plane.at([reach, 0]));
    setLine(axes[1], plane.at([0, -reach]), plane.at([0, reach]));
    const long = Math.hypot(...asking);
    const far = asking.map((value) => (long ? (2 * reach * value) / long : 0));
    setLine(onward, plane.at(far.map((value) => -value)), plane.at(far));
    vectors.forEach((key, i) => {
      const fall = fallOf(key, asking);
      const side = (i - (vectors.length - 1) / 2) * APART * 1.6;
      const [dx, dy] = long ? [(asking[1] / long) * side, (asking[0] / long) * side] : [0, 0];
      const aside = (point) => [plane.at(point)[0] + dx, plane.at(point)[1] + dy];
      setLine(falls[i], plane.at(key), plane.at(fall));
      setLine(reaches[i], aside([0, 0]), aside(fall));
      arrows[i]([0, 0], key);
      pulls[i](key);
      numbers[i].textContent = signed(scores[i], 2);
      const [place, middle] = [plane.at(key), plane.at([0, 0])];
      for (const text of [names[i], numbers[i]]) {
        nameAt(text, place, middle, asking[0] >= 0); // the question is elsewhere
      }
      // One line under the other, away from the middle
      const [text, by] = place[1] > middle[1] + 4 ? [numbers[i], LINE] : [names[i], -LINE];
      text.setAttribute("y", Number(text.getAttribute("y")) + by);
    });
    question([0, 0], asking);
    handle(asking);
    const [x, y] = plane.at(asking);
    const below = asking[1] < 0;
    asked.setAttribute("x", x);
    const isNear = ([right, up]) => Math.hypot(right - asking[0], up - asking[1]) < NEAR;
    const line = vectors.some(isNear) ? LINE : 0; // beyond the name of that key
    asked.setAttribute("y", y + (below ? 38 + line : -28 - line));
    asked.setAttribute("text-anchor", "middle");
  };
  return { node: plane.node, fit: plane.fit, update };
};
