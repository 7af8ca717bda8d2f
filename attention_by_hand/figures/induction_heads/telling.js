// What is said of a run, of a look, and of a cut.

import { lossText } from "../kit/shared/zones.js";

const FALLEN = 1.5; // below this loss the cliff lies behind
const MISSED = 0.05; // a loss by so much less is not felt

const percent = (share) => `${Math.round(100 * share)}\u00a0%`;

/** The state of the run. */
export const runText = ({ course, state }, { steps }) => {
  const at = course.steps.at(-1) ?? 0;
  if (state === "starting") return "drawing random numbers to begin with";
  if (state === "recorded") return `recorded run, seed ${course.seed}, after ${at} steps`;
  return `${state}, seed ${course.seed}: step ${at} of ${steps}`;
};

/** What a letter is to the one that looks. */
const whatIs = (text, place, at) => {
  const letter = text[place];
  if (at === place) return "the letter itself";
  if (at > 0 && text[at - 1] === letter && at - 1 < place)
    return `the letter after the earlier ${letter}`;
  if (at === place - 1) return "the letter one place back";
  return "";
};

/** Where a letter looks most, with a head: its weights up to its own place, or null. */
export const lookText = ({ text, place, weights, name, isCut }) => {
  if (!text) return "Type a row of letters in which something comes twice.";
  if (isCut) return `Head ${name} is cut out, so that it brings nothing.`;
  if (!weights) return "";
  const at = weights.indexOf(Math.max(...weights));
  const what = whatIs(text, place, at);
  const after = what ? `, ${what}` : "";
  return `Through head ${name}, letter ${place + 1}, ${text[place]}, looks most at letter ${at + 1}, ${text[at]}${after}, with ${percent(weights[at])} of its weight.`;
};

/** What would be written. */
export const nextText = ({ text, place, next, shares }) =>
  shares
    ? `After ${text.slice(0, place + 1)} it would write ${next}, with a share of ${percent(Math.max(...shares))}.`
    : "";

/** What a cut costs; `cut` is null while it is not known. */
export const cutText = (off, { names, parts }, { whole, cut, layers }) => {
  const all = `With all four heads the loss on the second stretch is ${lossText(whole.loss)}, and ${percent(whole.right)} of its letters are right.`;
  if (!off.length) return `${all} Cut one out, or both of a layer.`;
  const heads = parts.flatMap((part, i) => (off.includes(part) ? [names[i]] : []));
  const gone = layers.filter((layer) =>
    names.every((name) => !name.startsWith(layer) || heads.includes(name)),
  );
  const what = heads.length > 1 ? `heads ${listed(heads)}` : `head ${heads[0]}`;
  if (!cut) return `${all} Without ${what} …`;
  const cost = `Without ${what} the loss is ${lossText(cut.loss)}, and ${percent(cut.right)} are right.`;
  return `${all} ${cost} ${whyText(gone, heads, { layers, whole, cut })}`;
};

const listed = (names) => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const whyText = (gone, heads, { layers: [lower, upper], whole, cut }) => {
  if (whole.loss > FALLEN) return "These heads have not grown yet.";
  if (gone.length === 2) return "Nothing is left that could look.";
  if (gone[0] === lower) {
    const [who, what] = heads.some((name) => name.startsWith(upper))
      ? ["The upper head that is left still copies", "it mostly copies"]
      : ["The upper heads still copy", "they mostly copy"];
    return `${who}, but no letter knows any more what stands before it, and so ${what} the wrong one.`;
  }
  if (gone[0] === upper)
    return "Each letter still knows what stands before it, but nobody asks for it.";
  if (cut.loss - whole.loss < MISSED) return "Nothing is missed.";
  return heads.length > 1
    ? "Each layer has one head left, and what both do still goes together."
    : "The other head of its layer does the same work, and makes up for much of it.";
};
