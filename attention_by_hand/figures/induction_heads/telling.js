// What is said of a run, of a look, and of a cut.

import { lossText } from "../kit/shared/zones.js";

const FALLEN = 1.5; // below this loss the cliff lies behind

const percent = (share) => `${Math.round(100 * share)}\u00a0%`;

/** The state of the run. */
export const runText = ({ course, state }, { steps }) => {
  const at = course.steps.at(-1) ?? 0;
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

/** What a cut costs; `loss` is null while it is not known. */
export const cutText = (off, { names, parts }, { whole, loss, guessing, layers }) => {
  const all = `With all four heads the loss on the second stretch is ${lossText(whole)}.`;
  if (!off.length) return `${all} Cut one out, or both of a layer.`;
  const heads = parts.flatMap((part, i) => (off.includes(part) ? [names[i]] : []));
  const gone = layers.filter((layer) =>
    names.every((name) => !name.startsWith(layer) || heads.includes(name)),
  );
  const what = heads.length > 1 ? `heads ${heads.join(" and ")}` : `head ${heads[0]}`;
  if (loss === null) return `${all} Without ${what} …`;
  const cost = `Without ${what} it is ${lossText(loss)}`;
  const than = loss > guessing ? ", worse than guessing" : "";
  const why =
    whole > FALLEN ? "These heads have not grown yet." : whyText(gone, layers, loss - whole);
  return `${all} ${cost}${than}. ${why}`;
};

const whyText = (gone, [lower, upper], more) => {
  if (gone.length === 2) return "Nothing is left that could look.";
  if (more < 0.05) return "Nothing is missed.";
  if (gone[0] === lower)
    return "The upper heads are still there, but no letter knows any more what stands before it, so that they find nothing to copy.";
  if (gone[0] === upper)
    return "Each letter still knows what stands before it, but nobody asks for it.";
  return "The other head of its layer does the same work, and fills in for it.";
};
