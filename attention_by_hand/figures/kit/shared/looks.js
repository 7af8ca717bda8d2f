// Where a word looks, in one sentence under threads. It is made of parts, [text, className].

import { h } from "../parts/dom.js";

export const WORTH_SAYING = 15; // per cent
const MARKS = { ".": "the full stop", ",": "the comma", "?": "the question mark" };

/** Parts as nodes, and as plain text. */
export const told = (parts) => ({
  nodes: parts.map(([text, className]) => (className ? h("b", { className }, text) : text)),
  text: parts.map(([text]) => text).join(""),
});

export const named = (word, className) => [MARKS[word] ?? word, className];

/** The indices of the largest of these per cents, at most three, largest first. */
const strongest = (percents) =>
  percents
    .map((percent, index) => ({ percent, index }))
    .filter(({ percent }) => percent >= WORTH_SAYING)
    .sort((a, b) => b.percent - a.percent)
    .slice(0, 3);

/** Lists of parts, joined as one says them: a, b and c. */
const joined = (lists) =>
  lists.flatMap((list, n) => {
    if (n === 0) return list;
    return [[n === lists.length - 1 ? " and " : ", "], ...list];
  });

/** Where a look goes that gives so many per cent to each of the names. */
export const takes = (percents, names, className) => {
  const most = strongest(percents);
  if (!most.length) return [["it looks a little at everything."]];
  const shares = most.map(({ percent, index }, n) => [
    [`${percent}\u00a0%`, "number"],
    [n ? " to " : " of its attention to "],
    named(names[index], className),
  ]);
  return [["it gives "], ...joined(shares), ["."]];
};

const ofTarget = ({ source, target, percent }, i) => {
  const percents = source.map((_, j) => percent(i, j));
  return [["To write "], named(target[i], "target"), [", "], ...takes(percents, source, "source")];
};

const ofSource = ({ source, target, percent, meaning }, j) => {
  const english = meaning(source[j]);
  const word = [named(source[j], "source"), [english && ` (${english})`]];
  const most = strongest(target.map((_, i) => percent(i, j)));
  if (!most.length) return [...word, [" is hardly looked at here."]];
  const takers = most.map(({ percent, index }, n) => [
    named(target[index], "target"),
    [" ("],
    [`${percent}\u00a0%`, "number"],
    [n ? ")" : " of that look)"],
  ]);
  return [...word, [" is where it looks to write "], ...joined(takers), ["."]];
};

const SIDES = { target: ofTarget, source: ofSource };

/**
 * What is seen of a word, {side, index}: from where a written one takes, and who takes from one
 * that was read.
 */
export const tellLook = (view, { side, index }) => SIDES[side](view, index);
