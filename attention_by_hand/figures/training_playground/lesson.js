// What is to be learnt: the pairs that the figure was given, or the reader's own.

import { getter } from "../kit/runtime/model.js";
import { split } from "../kit/shared/words.js";

/** @import { Model } from "./figure.js" */

const LINES = ["pair 1, what it reads", "pair 1, what it writes", "pair 2, what it reads"];
const NAMES = [...LINES, "pair 2, what it writes"];

/** The first thing that is wrong with the four lines of a reader: {line, text}, or null. */
export const problemIn = (lines, most) => {
  const words = NAMES.map((_, line) => split(lines[line] ?? ""));
  const line = words.findIndex(({ length }) => length === 0 || length > most);
  if (line < 0) return null;
  const { length } = words[line];
  const long = `this line has ${length} words and signs, and at most ${most} fit.`;
  const text = `${NAMES[line]}: ${length ? long : "this line is empty."}`;
  return { line, text: text[0].toUpperCase() + text.slice(1) };
};

/** The words of these sentences, commonest first, behind the signs that every vocabulary has. */
const vocabularyOf = (sentences, signs) => {
  const counts = new Map();
  for (const word of sentences.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return [...signs, ...words.map(([word]) => word)];
};

/** How often each of these texts occurs. */
const counted = (texts) => {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
};

/**
 * The losses of a model that lacks something, for answers that begin with `<bos>`: see
 * `exhibits/floors.py`.
 */
const floorsOf = (targets, words) => {
  const answers = targets.flatMap((ids) => ids.slice(1));
  const starts = targets.flatMap((ids) => ids.slice(1).map((_, t) => ids.slice(0, t + 1).join()));
  const steps = starts.map((start, n) => `${start},${answers[n]}`);
  const mean = (counts, surprise) =>
    [...counts].reduce((sum, [text, n]) => sum + (n / answers.length) * surprise(text, n), 0);
  const begun = counted(starts);
  const before = (step) => step.slice(0, step.lastIndexOf(","));
  return [
    Math.log(words),
    mean(counted(answers), (_, n) => Math.log(answers.length / n)),
    mean(counted(steps), (step, n) => Math.log(begun.get(before(step)) / n)),
    0,
  ];
};

const padded = (rows, pad) => {
  const longest = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array(longest - row.length).fill(pad)]);
};

/** The model's size for a lesson: of its vocabularies, and of the longest that it may meet. */
const sizesOf = ({ source, target, sourceWords, targetWords }, alone) => {
  const [read, written] = [source[0].length, target[0].length];
  if (alone) return { vocab_size: targetWords.length, max_length: read + written + 3 };
  return {
    source_vocab_size: sourceWords.length,
    target_vocab_size: targetWords.length,
    max_length: Math.max(read, written) + 3,
  };
};

/**
 * What a reader's four lines have for a model to learn.
 *
 * @param {Model} model
 */
const ownOf = (model, names) => {
  const at = getter(model);
  const { pad_id, bos_id, eos_id, n_special_ids } = at("config");
  const alone = at("alone");
  const lines = at("own").map(split);
  const sides = [
    [lines[0], lines[2]],
    [lines[1], lines[3]],
  ];
  const signs = at("target_words").slice(0, n_special_ids);
  const known = alone ? [sides.flat(), sides.flat()] : sides;
  const [sourceWords, targetWords] = known.map((sentences) => vocabularyOf(sentences, signs));
  const idsOf = (words, sentences) =>
    sentences.map((one) => one.map((word) => words.indexOf(word)));
  const targets = idsOf(targetWords, sides[1]).map((ids) => [bos_id, ...ids, eos_id]);
  const floors = floorsOf(targets, targetWords.length);
  const found = {
    source: padded(idsOf(sourceWords, sides[0]), pad_id),
    target: padded(targets, pad_id),
    sourceWords,
    targetWords,
    zones: names.map((name, i) => [name, floors[i]]),
    measured: false,
    failed: [],
    untrained: {},
  };
  return { ...found, config: { ...at("config"), ...sizesOf(found, alone) } };
};

/**
 * What the figure was given.
 *
 * @param {Model} model
 */
const givenOf = (model) => {
  const at = getter(model);
  return {
    source: at("source"),
    target: at("target"),
    sourceWords: at("source_words"),
    targetWords: at("target_words"),
    zones: at("zones"),
    measured: at("measured"),
    failed: at("failed"),
    untrained: at("untrained"),
    config: at("config"),
  };
};

/**
 * The sentences to learn, as ids with padding (`source`, `target`) and without (`sources`,
 * `targets`), and all that depends on them.
 *
 * @param {Model} model
 */
export const lessonOf = (model, { most, others }) => {
  const lines = model.get("own");
  const isOwn = lines.length === NAMES.length && problemIn(lines, most) === null;
  const lesson = isOwn ? ownOf(model, others) : givenOf(model);
  const { pad_id } = lesson.config;
  const bare = (rows) => rows.map((row) => row.filter((id) => id !== pad_id));
  return {
    ...lesson,
    isOwn,
    alone: model.get("alone"),
    sources: bare(lesson.source),
    targets: bare(lesson.target),
  };
};
