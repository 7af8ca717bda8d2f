// What is said of a run, in words.

import { quoted } from "../kit/parts/dom.js";

const DULL = 0.75; // of the different ones it began with: below this it is dull

const percent = (share) => `${Math.round(share)}\u00a0%`;

/** Sentences, each once, with how often it comes. */
const listed = (all) =>
  [...new Set(all)]
    .map((one) => [one, all.filter((other) => other === one).length])
    .map(([one, count]) => (count > 1 ? `${count} times ${quoted(one)}` : quoted(one)))
    .join(", ");

/** What has become of what it writes. */
export const toldOf = ({ course, state }, { measured }) => {
  const [first, last] = [0, -1].map((at) =>
    Object.fromEntries(Object.entries(course).map(([name, all]) => [name, all.at(at)])),
  );
  const now = `${percent(last.right)} are sentences of the language, ${last.different} of ${measured} are different, and ${percent(last.questions)} are questions`;
  if (course.steps.length < 2) return `Before anybody has judged, ${now}.`;
  const before = `before, it was ${percent(first.right)}, ${first.different} and ${percent(first.questions)}`;
  const isRecorded = state === "recorded";
  const who = isRecorded ? "A recorded run, in which the grammar judged: after" : "After";
  const said = isRecorded ? ` Four that it then wrote: ${listed(course.ended)}.` : "";
  return `${who} ${last.steps} steps ${now}; ${before}. ${verdict(first, last)}${said}`;
};

const verdict = (first, last) => {
  const isDull = last.different < DULL * first.different;
  const isBetter = last.right > first.right + 10;
  const isWorse = last.right < first.right - 10;
  if (isBetter && isDull) return "It has become right, and dull.";
  if (isBetter) return "It has become right more often, and still says many things.";
  if (isWorse) return "It says what this judge likes, and forgets the language.";
  if (isDull) return "It says less, and is not more often right.";
  if (Math.abs(last.questions - first.questions) > 10)
    return `It asks ${last.questions < first.questions ? "less" : "more"}, and is not more often right.`;
  return "So few judgements hardly move it.";
};

/** What the leash does. */
export const leashOf = (leash) =>
  leash
    ? `With the leash at ${leash}, leaving the old model costs something.`
    : "Without a leash, only the judgement counts.";

/** What stands above the sentences. */
export const titleOf = ({ course, state }) => {
  const steps = course.steps.at(-1);
  return state === "recorded" || !steps
    ? "What it writes before anybody has judged"
    : `What it writes after ${steps} steps`;
};

/** What the reader has said so far, and what it is worth. */
export const saidOf = (judgements) => {
  const given = judgements.filter((one) => one !== null);
  const good = given.filter((one) => one > 0).length;
  if (!given.length) return "Say “good” or “bad” to some of them.";
  const said = `${good} good, ${given.length - good} bad.`;
  const isSame = good === 0 || good === given.length;
  return isSame ? `${said} All the same: that pulls at nothing, so say the other one too.` : said;
};
