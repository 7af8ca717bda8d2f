// The one sentence under the threads.

import { h } from "../kit/dom.js";

export const WORTH_SAYING = 15; // per cent
const MARKS = { ".": "the full stop", ",": "the comma", "?": "the question mark" };

/** What is seen of a word, {side, index}, or of the whole: its nodes, and the same as plain text. */
export const saying = (shown, lit) => {
  const parts = lit ? SIDES[lit.side](shown, lit.index) : AT_REST;
  const nodes = parts.map(([text, className]) => (className ? h("b", { className }, text) : text));
  return { nodes, text: parts.map(([text]) => text).join("") };
};

const AT_REST = [["Nobody told it which word belongs to which. Touch any word."]];

const named = (word, className) => [MARKS[word] ?? word, className];

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

const ofTarget = ({ source, target, percent }, i) => {
  const word = named(target[i], "target");
  const most = strongest(source.map((_, j) => percent(i, j)));
  if (!most.length) return [["To write "], word, [", it looks a little at everything."]];
  const [first, ...others] = most.map(({ percent, index }, n) => [
    [`${percent} %`, "number"],
    [n ? " from " : " of what it looks at from "],
    named(source[index], "source"),
  ]);
  return [["To write "], word, [", it takes "], ...joined([first, ...others]), ["."]];
};

const ofSource = ({ source, target, percent, meaning }, j) => {
  const english = meaning(source[j]);
  const word = [named(source[j], "source"), [english && ` (${english})`]];
  const most = strongest(target.map((_, i) => percent(i, j)));
  if (!most.length) return [...word, [" is hardly looked at here."]];
  const takers = most.map(({ percent, index }, n) => [
    named(target[index], "target"),
    [", "],
    [`${percent} %`, "number"],
    [n ? "" : " of that look"],
  ]);
  return [...word, [" is where it looks to write "], ...joined(takers), ["."]];
};

const SIDES = { target: ofTarget, source: ofSource };
