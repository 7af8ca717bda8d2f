// The traits of a figure: anywidget's model, or the host's where there is no kernel.

/**
 * The traits that every figure has.
 *
 * @typedef {{ caption: string, frame: any, _style: string }} Shared
 */

/**
 * A model with the traits T, as anywidget types it.
 *
 * @template T
 * @typedef {{
 *   get<K extends keyof (T & Shared)>(trait: K): (T & Shared)[K],
 *   set<K extends keyof (T & Shared)>(trait: K, value: (T & Shared)[K]): void,
 *   on(event: `change:${keyof (T & Shared) & string}`, listener: () => void): void,
 *   off(event: `change:${keyof (T & Shared) & string}`, listener: () => void): void,
 *   save_changes(): void,
 *   hash?: () => string,
 *   page?: () => string,
 *   answers?: Record<string, string>, // for the sentences of a page: see pulled.js
 *   spoken?: Record<string, (value: number) => string>, // what a slider stands at, aloud
 * }} Model
 */

/**
 * The traits of a model M, by name.
 *
 * @template {Model<any>} M
 * @typedef {Parameters<M["get"]>[0]} TraitOf
 */

/**
 * Reads a trait by its name.
 *
 * @template {Model<any>} M
 * @param {M} model
 * @returns {M["get"]}
 */
export const getter = (model) => (trait) => model.get(trait);

/**
 * The values of some traits, in their order.
 *
 * @template {Model<any>} M
 * @param {M} model
 * @param {TraitOf<M>[]} traits
 */
export const getAll = (model, traits) => traits.map((trait) => model.get(trait));

/**
 * Sets traits together and tells the kernel, where there is one; equal values are left alone.
 *
 * @template {Model<any>} M
 * @param {M} model
 * @param {Partial<Record<TraitOf<M>, any>>} values
 */
export const put = (model, values) => {
  for (const [trait, value] of Object.entries(values))
    if (model.get(trait) !== value) model.set(trait, value);
  model.save_changes();
};

/**
 * Calls `listener` after a change of any of these traits. What it returns ends that.
 *
 * @template {Model<any>} M
 * @param {M} model
 * @param {TraitOf<M>[]} traits
 * @param {() => void} listener
 */
export const listen = (model, traits, listener) => {
  for (const trait of traits) model.on(`change:${String(trait)}`, listener);
  return () => {
    for (const trait of traits) model.off(`change:${String(trait)}`, listener);
  };
};

/** Where a control ends now. */
export const lastOf = (model, { kind, max, options }) => {
  if (kind === "scale") return options.length - 1;
  return typeof max === "string" ? model.get(max) : max;
};

/** What a slider shows: its number, or the option that it stands at. */
export const textOf = (model, { trait, kind, options }) =>
  `${kind === "scale" ? options[model.get(trait)] : model.get(trait)}`.replaceAll("-", "−");

/** Keeps sliders within the ends that another control decides, as Python does: see Control.by. */
export const fitEnds = (model, changed) => {
  for (const [last, { trait, by, ends }] of Object.entries(model.get("frame").ends)) {
    if (!by.includes(changed)) continue;
    const end = by.reduce((inner, name) => inner[model.get(name)], ends);
    put(model, { [last]: end, [trait]: Math.min(model.get(trait), end) });
  }
};

/** Keeps doing so whenever a trait that decides changes. */
export const keepFitting = (model) => {
  const deciding = Object.values(model.get("frame").ends).flatMap(({ by }) => by);
  for (const name of new Set(deciding)) model.on(`change:${name}`, () => fitEnds(model, name));
};
